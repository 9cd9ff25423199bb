/**
 * Requests of one repository: authors open them, a pipeline plans each on the forge, and they are merged; jobs of the merged commits
 * run in any order, again, cut, or never.
 */
import type { Exchanges } from '../../src/client/transport.ts';
import type { Document } from '../support/arbitrary.ts';
import { change, type Edit, listsOf } from '../support/commit-edits.ts';
import { commitSeed } from '../support/commits.ts';
import { type FakeGithub, githubOn } from '../support/forge/github.ts';
import { memoryForge } from '../support/forge/server.ts';
import { isPart } from '../support/runs.ts';
import { changeInApp } from './app.ts';
import { documentIn, filesOf, mergedDocument, textOf } from './files.ts';
import { falseDrift, lawsOfRun, liveObjects, stepsOf, undeclared } from './oracle.ts';
import type { Fault } from './process.ts';
import { organization, type Place, type PlannedStep, type Ran, World } from './world.ts';
import type { RequestEvent, RequestYear } from './year-requests.ts';

type EventOf<Type extends RequestEvent['type']> = Extract<RequestEvent, { readonly type: Type }>;

interface Request {
  readonly number: number;
  readonly branch: string;
  head: string;
  state: 'open' | 'merged' | 'closed';
  /** The commit that its merge made. */
  merge?: string;
  /** What plans of its last commit showed and kept; a run that was cut may have kept its plan or not. */
  shown: readonly PlannedStep[];
}

/** The run for a commit of main. */
interface Job {
  readonly commit: string;
  readonly before: string;
}

export interface Happened {
  readonly wrong: readonly string[];
  readonly isHit: boolean;
  readonly code: Ran['code'];
}

const nothing: Happened = { wrong: [], isHit: false, code: 0 };

/** Rehearsals take half of the time of these years. */
const config = isPart ? [['octavo.config.yaml', 'ci: { rehearse: false }\n'] as const] : [];

/** More runs than these for one job lead nowhere. */
const mostWays = 8;

export class Requests {
  readonly world: World;
  readonly #year: RequestYear;
  readonly #requests: Request[] = [];
  readonly #jobs: Job[] = [];
  readonly #touched = new Set<string>();
  /** Commits pushed past requests. */
  readonly #direct = new Set<string>();
  #github: (FakeGithub & { readonly exchange: Exchanges['exchange'] }) | undefined;
  #machines = 0;
  #last = '';

  constructor(year: RequestYear) {
    this.#year = year;
    this.world = new World(commitSeed, { form: year.form, variants: year.reading.variants });
  }

  /** False for a beginning that contradicts itself. */
  async begin(): Promise<boolean> {
    const { world } = this;
    this.#github = await githubOn(memoryForge, world.folder('events'));
    world.forge = this.#github.exchange;
    const [live, older] = [this.#year.commits.live, this.#year.commits.older].map((one) => {
      const { translations: _none, ...rest } = one;
      return this.#year.form === '2026' ? rest : one;
    }) as [Document, Document];
    const elsewhere = world.place('before');
    elsewhere.repository.write(filesOf(live));
    const made = await world.run(elsewhere, ['apply', '-f', 'docs', '--auto-approve']);
    if (made.code !== 0) return false;
    const ada = world.place('ada');
    ada.repository.write(new Map([...filesOf(older), ...config]));
    this.#commit(ada, 'Begin');
    ada.repository.push();
    const operator = this.#machine();
    const ran = await this.#run(operator, ['apply', '-f', 'docs', '--auto-approve', '--record']);
    return ran.code === 0;
  }

  async live(event: RequestEvent, fault: Fault | undefined): Promise<Happened> {
    this.world.pass();
    switch (event.type) {
      case 'open':
        return this.#open(event);
      case 'push':
        return this.#pushMore(event);
      case 'plan':
        return this.#plan(this.#at(this.#requests, event.at), event.isMerge, fault);
      case 'merge':
        return this.#merge(this.#at(this.#allOpen, event.at), event.isSquash);
      case 'job':
        return this.#job(this.#at(this.#jobs, event.at), { fault, follows: event.follows });
      case 'direct':
        return this.#pushDirect(event);
      case 'drift':
        return this.#drift(event);
      case 'app':
        for (const name of await changeInApp(this.world, event)) this.#touched.add(name);
        return nothing;
    }
  }

  /** All requests are merged or closed, and the last job runs until it is green. */
  async settle(): Promise<Happened> {
    const last = this.#jobs.at(-1);
    if (last === undefined) return nothing;
    this.world.pass();
    const happened = await this.#job(last, { follows: true });
    if (happened.wrong.length > 0) return happened;
    if (happened.code !== 0) return { ...happened, wrong: [`STUCK: ${happened.code}\n${this.#last}`] };
    const place = this.#machine();
    const rest = await this.#run(place, ['plan', '-f', 'docs']);
    const steps = stepsOf(rest).map(({ id }) => id);
    const document = mergedDocument(place.repository.files());
    const wrong = [
      ...lawsOfRun(rest, this.world.service.token),
      ...(this.#touched.size === 0 && steps.length > 0
        ? [`NOT EMPTY: ${steps.join(', ')}\n${this.#last}`]
        : []),
      ...(this.#touched.size === 0 && document !== undefined ? await undeclared(this.world, document) : []),
      ...(this.#github?.problems ?? []).map((problem) => `FORGE: ${problem}`),
    ];
    return { ...happened, wrong };
  }

  get counts(): Readonly<Record<string, number>> {
    return { merged: this.#requests.filter(({ state }) => state === 'merged').length };
  }

  close(): Promise<void> {
    return this.world.close();
  }

  #at<T>(list: readonly T[], at: number): T | undefined {
    return list[(list.length - 1 - at + 100 * list.length) % Math.max(1, list.length)];
  }

  get #allOpen(): readonly Request[] {
    return this.#requests.filter(({ state }) => state === 'open');
  }

  #by(name: string) {
    return { author: { name, email: `${name}@acme.dev` }, time: this.world.time };
  }

  #tell(line: string): void {
    this.world.story.push(line);
  }

  #commit(place: Place, message: string): void {
    place.repository.commit(message, this.#by(place.name));
    this.#tell(`(cd ${place.name} && git add -A && git commit -qm '${message}')`);
  }

  /** Each job has a new checkout. */
  #machine(): Place {
    this.#machines += 1;
    return this.world.fresh(`job-${this.#machines}`);
  }

  async #run(
    place: Place,
    args: readonly string[],
    more: { fault?: Fault | undefined; env?: Record<string, string> } = {},
  ) {
    const { world } = this;
    const ran = await world.run(place, args, more);
    const cut =
      more.fault === undefined || !ran.isHit ? '' : `   # ${more.fault.how}: ${ran.effects[more.fault.at]}`;
    this.#tell(`(cd ${place.name} && octavo ${args.join(' ')})   # exit code ${ran.code}${cut}`);
    this.#last = `${ran.stdout}\n${ran.stderr}`.slice(-3500);
    world.outputs.push(
      `## ${place.name} ${args.join(' ')} ${ran.code}\n${ran.stdout}\n${ran.stderr}\n${ran.writes.join('\n')}`,
    );
    return ran;
  }

  #checked(ran: Ran): Happened {
    const wrong = [...lawsOfRun(ran, this.world.service.token), ...falseDrift(ran, this.#touched)];
    return { wrong, isHit: ran.isHit, code: ran.code };
  }

  /** False if the edit finds nothing in any file that the tool accepts. */
  async #edited(place: Place, { file, changes }: EventOf<'open'>['edits']): Promise<boolean> {
    const files = place.repository.files();
    const names = [...files.keys()].filter((name) => name.startsWith('docs/')).sort();
    for (const next of names.keys()) {
      const name = names[(file + next) % names.length] ?? '';
      const document = documentIn(files.get(name) ?? '');
      if (document === undefined) continue;
      const changed = structuredClone(document);
      for (const one of changes)
        if (one.type === 'grow') grow(changed, one, this.#requests.length);
        else change(changed, one as Edit);
      const text = textOf(changed);
      if (text === files.get(name)) continue;
      place.repository.write(new Map([[name, text]]));
      const { code } = await this.world.run(place, ['validate', '-f', 'docs', '--quiet']);
      if (code === 0) {
        this.#tell(`cat > ${place.name}/${name} <<'END'\n${text}END`);
        return true;
      }
      place.repository.write(new Map([[name, files.get(name)]]));
    }
    return false;
  }

  async #open({ who, edits, isPlanned, isMerge }: EventOf<'open'>): Promise<Happened> {
    const place = this.world.place(who);
    const { repository } = place;
    const branch = `r${this.#requests.length}`;
    repository.fetchBranches();
    repository.checkout('origin/main');
    repository.checkout(branch, { creates: true });
    repository.checkout(branch);
    if (!(await this.#edited(place, edits))) return nothing;
    const request = this.#opened(place, branch, 'Edit');
    return isPlanned ? this.#plan(request, isMerge, undefined) : nothing;
  }

  #opened(place: Place, branch: string, message: string): Request {
    this.#commit(place, message);
    place.repository.push(branch);
    const head = place.repository.resolve('HEAD') ?? '';
    const number = 20 + (this.#github?.pulls.length ?? 0);
    const request: Request = { number, branch, head, state: 'open', shown: [] };
    this.#github?.pulls.push({
      ...{ number, merged_at: null, merge_commit_sha: null, state: 'open' },
      ...{ base: { ref: 'main', repo: { id: 1 } }, head: { sha: head, ref: branch, repo: { id: 1 } } },
    });
    this.#github?.comments.set(number, []);
    this.#requests.push(request);
    this.#tell(`(cd ${place.name} && git push -q origin HEAD:${branch})   # request ${number}`);
    return request;
  }

  async #pushMore({ at, who, edits, isPlanned }: EventOf<'push'>): Promise<Happened> {
    const request = this.#at(this.#allOpen, at);
    if (request === undefined) return nothing;
    const place = this.world.place(who);
    place.repository.fetchBranches();
    place.repository.checkout(`origin/${request.branch}`);
    if (!(await this.#edited(place, edits))) return nothing;
    this.#commit(place, 'More');
    place.repository.push(request.branch);
    request.head = place.repository.resolve('HEAD') ?? '';
    request.shown = [];
    const pull = this.#pull(request);
    if (pull !== undefined) pull.head.sha = request.head;
    this.#tell(
      `(cd ${place.name} && git push -q origin HEAD:${request.branch})   # request ${request.number}`,
    );
    return isPlanned ? this.#plan(request, false, undefined) : nothing;
  }

  #pull({ number }: Request) {
    return this.#github?.pulls.find((one) => one.number === number);
  }

  /** The plan job. GitHub checks out the merge with main while the request is open; some workflows check out the last commit. */
  async #plan(request: Request | undefined, isMerge: boolean, fault: Fault | undefined): Promise<Happened> {
    if (request === undefined || request.state === 'closed' || this.#github === undefined) return nothing;
    const place = this.#machine();
    const { repository } = place;
    repository.fetchBranches();
    repository.checkout(request.head);
    this.#tell(
      `(cd ${place.name} && git checkout -q ${request.head.slice(0, 10)})   # request ${request.number}`,
    );
    if (isMerge && request.state === 'open') {
      if (repository.mergeBranch('origin/main', this.#by('forge')) === 'conflict') return nothing;
      this.#tell(`(cd ${place.name} && git merge -q origin/main)`);
    }
    const env = this.#github.onPull({ number: request.number, head: request.head });
    const ran = await this.#run(place, ['ci', 'plan', '-f', 'docs'], { fault, env });
    const happened = this.#checked(ran);
    if (ran.writes.length > 0) return { ...happened, wrong: [...happened.wrong, 'SENT by a plan'] };
    const output = this.world.outputs.at(-1) ?? '';
    if (output.includes('the apply would end in another state'))
      return { ...happened, wrong: [...happened.wrong, `CUT:\n${output}`] };
    const isKept = this.#github.checks.filter(({ head_sha: sha }) => sha === request.head).at(-1)?.conclusion;
    if (isKept !== 'success') request.shown = [];
    else request.shown = [...(ran.isHit ? request.shown : []), ...stepsOf(ran)];
    return happened;
  }

  /** A merge commit, or a squash. On a conflict the request is closed. */
  async #merge(request: Request | undefined, isSquash: boolean): Promise<Happened> {
    if (request === undefined) return nothing;
    const place = this.world.place('forge');
    const { repository } = place;
    repository.fetchBranches();
    repository.checkout('origin/main');
    const before = repository.resolve('HEAD') ?? '';
    const pull = this.#pull(request);
    const merged = repository.mergeBranch(
      `origin/${request.branch}`,
      this.#by('forge'),
      isSquash ? 'squash' : 'merge',
    );
    const isValid =
      merged === 'merged' && (await this.world.run(place, ['validate', '-f', 'docs', '--quiet'])).code === 0;
    if (pull !== undefined) pull.state = 'closed';
    request.state = isValid ? 'merged' : 'closed';
    if (!isValid) {
      repository.reset(before);
      return nothing;
    }
    const commit = repository.resolve('HEAD') ?? '';
    repository.push();
    request.merge = commit;
    if (pull !== undefined) {
      pull.merge_commit_sha = commit;
      pull.merged_at = this.world.time;
    }
    this.#jobs.push({ commit, before });
    this.#tell(
      `(cd forge && git merge ${isSquash ? '--squash' : '--no-ff'} -q origin/${request.branch} && git push -q)   # request ${request.number}, ${commit.slice(0, 10)}`,
    );
    return nothing;
  }

  async #pushDirect({ who, edits }: EventOf<'direct'>): Promise<Happened> {
    const place = this.world.place(who);
    place.repository.fetchBranches();
    place.repository.checkout('origin/main');
    const before = place.repository.resolve('HEAD') ?? '';
    if (!(await this.#edited(place, edits))) return nothing;
    this.#commit(place, 'Past requests');
    place.repository.push();
    const commit = place.repository.resolve('HEAD') ?? '';
    this.#direct.add(commit);
    this.#jobs.push({ commit, before });
    this.#tell(`(cd ${place.name} && git push -q origin HEAD:main)   # ${commit.slice(0, 10)}`);
    return nothing;
  }

  /** One run of the job, and if wanted, the ways that its errors name until it is green. */
  async #job(
    job: Job | undefined,
    { fault, follows }: { readonly fault?: Fault | undefined; readonly follows: boolean },
  ): Promise<Happened> {
    if (job === undefined) return nothing;
    let happened = await this.#applied(job, fault);
    let said = '';
    for (let ways = 0; follows && happened.code !== 0 && happened.wrong.length === 0; ways += 1) {
      const [told, text] = [this.#last, this.#last.replace(/\s+/g, ' ')];
      const isSame = told.slice(told.indexOf('error[')) === said;
      said = happened.isHit ? '' : told.slice(told.indexOf('error['));
      if (ways === mostWays || isSame) return { ...happened, wrong: [`ADVICE that leads nowhere:\n${told}`] };
      const followed = happened.isHit ? 'again' : await this.#follow(text);
      if (followed === undefined) return { ...happened, wrong: [`NO WAY on:\n${told}`] };
      const last = followed === 'again' ? job : (this.#jobs.at(-1) ?? job);
      this.world.pass();
      happened = await this.#applied(last, undefined);
    }
    return happened;
  }

  /** Does what an error names. */
  async #follow(text: string): Promise<'planned' | 'merged' | undefined> {
    const planAgain = /run the plan job of request (\d+) again/.exec(text)?.[1];
    if (planAgain !== undefined) {
      const request = this.#requests.find(({ number }) => number === Number(planAgain));
      const planned = await this.#plan(request, false, undefined);
      return planned.code === 0 || !/if that plan fails|or open another/.test(text)
        ? 'planned'
        : this.#another({ isBack: true });
    }
    // An error at a place in the manifests.
    if (/change the manifests in another request|--> docs\//.test(text))
      return this.#another({ isBack: true });
    if (/open another (?:pull )?request/.test(text)) return this.#another({ isBack: false });
    return undefined;
  }

  get #recorded(): string | undefined {
    const { remote } = this.world;
    const record = remote.resolve(`refs/octavo/applied/${organization}`);
    return record && remote.parentsOf(record).at(-1);
  }

  /** One more request: it plans what is left, or goes back to the manifests that were applied. */
  async #another({ isBack }: { readonly isBack: boolean }): Promise<'merged' | undefined> {
    const place = this.world.place('ada');
    const { repository } = place;
    repository.fetchBranches();
    repository.checkout('origin/main');
    if (isBack) {
      const recorded = this.world.remote.textsOf(this.#recorded ?? 'main');
      const gone = [...repository.files().keys()].filter((name) => !recorded.has(name));
      repository.write(new Map([...gone.map((name) => [name, undefined] as const), ...recorded]));
    }
    const request = this.#opened(
      place,
      `r${this.#requests.length}`,
      isBack ? 'Go back' : 'Plan what is left',
    );
    const planned = await this.#plan(request, true, undefined);
    if (planned.wrong.length > 0 || planned.code !== 0) {
      request.state = 'closed';
      return isBack ? undefined : this.#another({ isBack: true });
    }
    await this.#merge(request, false);
    return 'merged';
  }

  async #applied({ commit, before }: Job, fault: Fault | undefined): Promise<Happened> {
    if (this.#github === undefined) return nothing;
    const place = this.#machine();
    place.repository.fetchBranches();
    place.repository.checkout(commit);
    this.#tell(`(cd ${place.name} && git checkout -q ${commit.slice(0, 10)})`);
    const approving = this.#approving(commit);
    const env = this.#github.onPush(commit, 'main', before);
    const ran = await this.#run(place, ['ci', 'apply', '-f', 'docs'], { fault, env });
    const happened = this.#checked(ran);
    const wrong =
      ran.writes.length === 0
        ? []
        : notShown(
            stepsOf(ran),
            approving.flatMap(({ shown }) => shown),
          );
    return { ...happened, wrong: [...happened.wrong, ...wrong.map((text) => `${text}\n${this.#last}`)] };
  }

  /** Requests that were merged between the record and the commit. */
  #approving(commit: string): readonly Request[] {
    const { remote } = this.world;
    const recorded = this.#recorded;
    return this.#requests.filter(
      ({ merge }) =>
        merge === commit ||
        (merge !== undefined &&
          remote.contains(commit, merge) &&
          (recorded === undefined || !remote.contains(recorded, merge))),
    );
  }

  async #drift({ accepts }: EventOf<'drift'>): Promise<Happened> {
    const place = this.#machine();
    const head = place.repository.resolve('HEAD');
    if (this.#github === undefined || head === undefined) return nothing;
    const env = this.#github.onPush(head);
    const before = await liveObjects(this.world);
    const ran = await this.#run(place, ['ci', 'drift', '-f', 'docs', ...(accepts ? ['--accept'] : [])], {
      env,
    });
    const { wrong } = this.#checked(ran);
    const after = await liveObjects(this.world);
    const isOther = [...before].some(([id, value]) => after.get(id) !== value);
    return { ...nothing, wrong: isOther || ran.writes.length > 0 ? [...wrong, 'SENT by drift'] : wrong };
  }
}

// Entries with almost the same title look like renames of each other where one is removed.
// biome-ignore format: a list of words
const names = ['Alpine', 'Beacon', 'Cobalt', 'Dynamo', 'Ember', 'Fjord', 'Garnet', 'Harbour', 'Indigo', 'Juniper'];

/** A new entry behind one that is there, with a key and a name of its own: git merges those of two requests. */
function grow(
  document: Document,
  { list: chosen, first }: { readonly list: number; readonly first: number },
  number: number,
) {
  const growing = listsOf(document).filter(({ key }) =>
    ['teams', 'sections', 'shareLinks', 'translations'].includes(key),
  );
  const { key: kind, list } = growing[chosen % Math.max(1, growing.length)] ?? {};
  if (list === undefined) return;
  const entries = Object.entries(list);
  const name = kind === 'shareLinks' ? 'name' : 'title';
  const at = first % Math.max(1, entries.length);
  const { spaces } = Object(entries[at]?.[1]) as Document;
  const own = {
    [name]: `${names[number % names.length]} ${number}`,
    ...(kind === 'sections' ? { path: `own-${number}`, ...(spaces === undefined ? {} : { spaces }) } : {}),
  };
  entries.splice(1 + at, 0, [`own${number}`, own as Document]);
  for (const [key] of entries) delete list[key];
  for (const [key, entry] of entries) list[key] = entry;
}

/** Steps that no shown plan has: by what each field gets, or by what is made or deleted. */
function notShown(steps: readonly PlannedStep[], shown: readonly PlannedStep[]): readonly string[] {
  return steps.flatMap((step) => {
    const same = shown.filter(
      ({ address, liveId }) => address === step.address || (liveId !== undefined && liveId === step.liveId),
    );
    const isMade = same.some(({ action }) => action === 'create' || action === 'replace');
    const isShown =
      step.fields.length === 0 || step.phase === 'delete' || step.phase === 'create'
        ? same.some(({ action, phase }) => action === step.action || phase === step.phase)
        : step.fields.every(
            ({ field }) => isMade || same.some((one) => one.fields.some((other) => other.field === field)),
          );
    return isShown
      ? []
      : [`NOT APPROVED, and sent: ${step.id} ${step.fields.map(({ field }) => field).join()}`];
  });
}
