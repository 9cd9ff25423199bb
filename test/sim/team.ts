/** The people and pipelines of one world, and what each of them does. */

import { defined } from '../../src/util/defined.ts';
import type { Document } from '../support/arbitrary.ts';
import { change, type Edit, listsOf, type Objects } from '../support/commit-edits.ts';
import { commitSeed } from '../support/commits.ts';
import { differences } from '../support/snapshot.ts';
import { changeInApp } from './app.ts';
import { commentsIn, documentIn, filesOf, mergedDocument, textOf } from './files.ts';
import {
  entryAt,
  falseDrift,
  lawsOfRun,
  liveObjects,
  lostValues,
  siteSpacesIn,
  stepsOf,
  undeclared,
} from './oracle.ts';
import type { Fault } from './process.ts';
import { organization, type Place, type Ran, type RunChoices, readerToken, World } from './world.ts';
import type { SimEdit, SimEvent, Year } from './year.ts';

export interface Happened {
  readonly wrong: readonly string[];
  readonly isHit: boolean;
  readonly code: Ran['code'];
  /** Effects of the run, if there was one. */
  readonly effects: readonly string[];
}

/** How a cut command is repeated. */
export interface Repetition {
  readonly isOther: boolean;
  readonly unlocks: boolean;
  readonly wanted: Ran['code'] | undefined;
}

const nothing: Happened = { wrong: [], isHit: false, code: 0, effects: [] };

type EventOf<Type extends SimEvent['type']> = Extract<SimEvent, { readonly type: Type }>;

export class Team {
  readonly world: World;
  /** The next event is an undo. */
  isUndoneNext = false;
  /** A run was cut, so that the runs differ from those of a twin. */
  wasHit = false;
  /** No plan knows the work of a cut run. */
  isForgotten = false;
  readonly #year: Year;
  /** Ids and titles of what someone changed in the app. */
  readonly #touched = new Set<string>();
  readonly #managed = new Set<string>();
  /** Plans may compare with an older state: after an undo, or without the last record. */
  #isOlder = false;
  #before: ReadonlyMap<string, string> = new Map();
  /** Ids of what runs of the runner created that were cut, and no manifest has declared since. */
  readonly #begun = new Set<string>();
  #lastEdit: Edit | undefined;
  #jobs = 0;
  /** The commit that was applied last, if nothing happened to the live state since. */
  #applied: string | undefined;
  /** The state before the last run of the runner, if nothing happened since. */
  #undoable: unknown;
  /** Ids by address after the last apply, and after the last recorded one. */
  #ids: Readonly<Record<string, string>> = {};
  #recorded: Readonly<Record<string, string>> = {};

  constructor(year: Year) {
    this.#year = year;
    this.world = new World(commitSeed, { form: year.form, variants: year.reading.variants });
  }

  /** What is wrong with the first apply; undefined for a beginning that contradicts itself. */
  async begin(): Promise<readonly string[] | undefined> {
    const [live, older] = [this.#year.commits.live, this.#year.commits.older].map((one) => {
      const { translations: _none, ...rest } = one;
      return this.#year.form === '2026' ? rest : one;
    }) as [Document, Document];
    const { world } = this;
    const elsewhere = world.place('before');
    elsewhere.repository.write(filesOf(live));
    const made = await world.run(elsewhere, ['apply', '-f', 'docs', '--auto-approve']);
    if (made.code !== 0) return undefined;
    this.#before = await liveObjects(world);
    const ada = world.place('ada');
    const config: readonly (readonly [string, string])[] = this.#year.hasLock
      ? [['octavo.config.yaml', 'lock: git:origin\n']]
      : [];
    ada.repository.write(new Map([...filesOf(older), ...config]));
    this.#commit(ada, 'Begin');
    ada.repository.push();
    const { wrong, code } = await this.#apply({ late: 0, isFresh: false }, undefined);
    return wrong.length === 0 && code !== 0 ? undefined : wrong;
  }

  async live(event: SimEvent, fault: Fault | undefined): Promise<Happened> {
    this.world.pass();
    switch (event.type) {
      case 'edit':
        return this.#edit(event.edits, event.pushes);
      case 'apply':
        if (event.edits !== undefined) await this.#edit(event.edits, true);
        return this.#apply(event, fault);
      case 'revert':
        return this.#history(event, (place) =>
          place.repository.revert(`HEAD~${event.back}`, this.#by(event.who)),
        );
      case 'rebase':
        return this.#history(event, (place) => place.repository.rebase('origin/main', this.#by(event.who)));
      case 'plan':
        return this.#plan(event);
      case 'mv':
        return this.#mv(event);
      case 'app': {
        this.#applied = undefined;
        this.#undoable = undefined;
        const before = await liveObjects(this.world);
        for (const name of await changeInApp(this.world, event)) this.#touched.add(name);
        const after = await liveObjects(this.world);
        for (const [id, value] of before) if (after.get(id) !== value) this.#touched.add(id);
        return nothing;
      }
      case 'accept':
        return this.#accept(event);
      case 'night':
        // What ends is applied then, and an undo does not give it back on another day.
        this.world.pass(24 * 60 * 60 * 1000);
        this.world.story.push('sleep 24h');
        this.#applied = undefined;
        this.#undoable = undefined;
        return nothing;
      case 'undo':
        return this.#undo();
      case 'lose':
        return this.#lose(event);
      case 'reader':
        return this.#reader(event);
      case 'split':
        return this.#split(event);
    }
  }

  /** The same command, here or on a new machine, ends as the undisturbed one did. */
  async again(event: SimEvent, { isOther, unlocks, wanted }: Repetition): Promise<readonly string[]> {
    if (event.type !== 'apply') return [];
    this.world.pass();
    if (unlocks) await this.#unlock();
    const isFresh = isOther || event.isFresh;
    const happened = await this.#apply({ ...event, isFresh }, undefined, unlocks ? undefined : 'again');
    if (happened.wrong.length > 0) return happened.wrong;
    return wanted === undefined || happened.code === wanted
      ? []
      : [`STUCK: exit code ${happened.code} instead of ${wanted}\n${this.#last}`];
  }

  /** Everyone merges, and the pipeline applies. */
  async settle(): Promise<Happened> {
    this.world.pass();
    const happened = await this.#apply({ late: 0, isFresh: false }, undefined);
    if (happened.wrong.length > 0 || happened.code !== 0) return happened;
    const now = await liveObjects(this.world);
    // What someone deletes may be listed for some time, with what it contains.
    const isTouched = (id: string, value: string) =>
      this.#touched.has(id) || [...this.#touched].some((one) => value.includes(`"parent":"${one}"`));
    const wrong = [...this.#before].flatMap(([id, value]) =>
      this.#managed.has(id) || isTouched(id, value) || now.get(id) === value
        ? []
        : [`TOUCHED: no one declared ${value}; now ${now.get(id) ?? 'gone'}`],
    );
    return { ...happened, wrong };
  }

  get leavesOutSiteSpaces(): boolean {
    return this.#last.includes('unmanaged site-space');
  }

  close(): Promise<void> {
    return this.world.close();
  }

  #last = '';

  async #run(place: Place, args: readonly string[], choices: RunChoices = {}): Promise<Ran> {
    const { world } = this;
    const ran = await world.run(place, args, choices);
    const cut =
      choices.fault === undefined || !ran.isHit
        ? ''
        : `   # ${choices.fault.how}: ${ran.effects[choices.fault.at]}`;
    world.story.push(`(cd ${place.name} && octavo ${args.join(' ')})   # exit code ${ran.code}${cut}`);
    world.outputs.push(
      `## ${place.name} ${args.join(' ')} ${ran.code}\n${ran.stdout}\n${ran.stderr}\n${ran.writes.join('\n')}`,
    );
    this.#last = `${ran.stdout}\n${ran.stderr}`.slice(-2500);
    for (const { ids } of ran.json?.organizations ?? [])
      for (const id of Object.values(ids)) this.#managed.add(id);
    return ran;
  }

  #checked(ran: Ran): Happened {
    const wrong = [
      ...lawsOfRun(ran, this.world.service.token),
      ...falseDrift(ran, this.#isOlder ? undefined : this.#touched),
    ];
    return { wrong, isHit: ran.isHit, code: ran.code, effects: ran.effects };
  }

  #by(name: string) {
    return { author: { name, email: `${name}@acme.dev` }, time: this.world.time };
  }

  #commit(place: Place, message: string): void {
    place.repository.commit(message, this.#by(place.name));
    this.world.story.push(`(cd ${place.name} && git add -A && git commit -qm '${message}')`);
  }

  /** Merges what others pushed; on a conflict, the own work is given up. */
  #pull(place: Place): void {
    const { repository } = place;
    if (repository.pull(this.#by(place.name)) !== 'conflict') return;
    repository.reset('origin/main');
    this.world.story.push(`(cd ${place.name} && git reset -q --hard origin/main)`);
  }

  #push(place: Place): void {
    if (place.repository.push() === 'rejected') {
      this.#pull(place);
      place.repository.push();
    }
    this.world.story.push(`(cd ${place.name} && git push -q)`);
  }

  async #edit({ who, file, changes, replace, ends, isSame }: SimEdit, pushes: boolean): Promise<Happened> {
    const place = this.world.place(who);
    this.#pull(place);
    const files = place.repository.files();
    const names = this.#manifests(place).filter((name) => replace === null || name.includes('site'));
    const name = names[file % Math.max(1, names.length)];
    const document = name === undefined ? undefined : documentIn(files.get(name) ?? '');
    if (name === undefined || document === undefined) return nothing;
    const changed = structuredClone(document);
    const { list, first } = this.#lastEdit ?? {};
    this.#lastEdit = changes[0] as Edit;
    if (ends !== null) endOne(changed, ends.at, this.#dayIn(ends.days));
    else if (replace === null)
      for (const one of changes) change(changed, { ...one, ...(isSame && defined({ list, first })) } as Edit);
    else showAnother(changed, replace);
    return this.#keep(place, { [name]: textOf(changed) }, 'Edit', pushes);
  }

  #dayIn(days: number): string {
    return new Date(Date.parse(this.world.time) + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  }

  /** Commits files that the tool accepts; others are given up. */
  async #keep(
    place: Place,
    files: Readonly<Record<string, string | undefined>>,
    message: string,
    pushes = true,
  ): Promise<Happened> {
    const before = place.repository.files();
    place.repository.write(new Map(Object.entries(files)));
    const { code } = await this.world.run(place, ['validate', '-f', 'docs', '--quiet']);
    if (code !== 0) {
      place.repository.write(new Map(Object.keys(files).map((name) => [name, before.get(name)])));
      return nothing;
    }
    for (const [name, text] of Object.entries(files))
      this.world.story.push(
        text === undefined ? `rm ${place.name}/${name}` : `cat > ${place.name}/${name} <<'END'\n${text}END`,
      );
    this.#commit(place, message);
    if (pushes) this.#push(place);
    return nothing;
  }

  #manifests(place: Place): readonly string[] {
    return [...place.repository.files().keys()].filter((name) => name.startsWith('docs/')).sort();
  }

  async #history(
    { who, type }: EventOf<'revert' | 'rebase'>,
    work: (place: Place) => string,
  ): Promise<Happened> {
    const place = this.world.place(who);
    if (type === 'revert') this.#pull(place);
    else place.repository.fetchBranches();
    const ended = work(place);
    this.world.story.push(`(cd ${place.name} && git ${type})   # ${ended}`);
    if (ended !== 'conflict') this.#push(place);
    return nothing;
  }

  async #apply(
    { late, isFresh }: Pick<EventOf<'apply'>, 'late' | 'isFresh'>,
    fault: Fault | undefined,
    again?: 'again',
  ): Promise<Happened> {
    const { world } = this;
    if (isFresh) this.#jobs += 1;
    const place = isFresh ? world.fresh(`job-${this.#jobs}`) : world.place('runner');
    place.repository.fetchBranches();
    const commit =
      place.repository.resolve(`origin/main~${late}`) ?? place.repository.resolve('origin/main') ?? '';
    place.repository.checkout(commit);
    world.story.push(`(cd ${place.name} && git checkout -q ${commit.slice(0, 10)})`);
    const meanwhile = async () => {
      this.#jobs += 1;
      const other = world.place(`job-${this.#jobs}`);
      await this.#run(other, ['apply', '-f', 'docs', '--auto-approve', '--record']);
    };
    const args = [
      'apply',
      '-f',
      'docs',
      '--auto-approve',
      '--record',
      ...(again === undefined ? [] : ['--lock-timeout', '10m']),
    ];
    const before = await this.stateNow();
    const undoable = isFresh || !this.isUndoneNext ? undefined : await world.snapshot();
    const { skew } = this.#year;
    const clockError = isFresh ? (this.#jobs % 2 === 0 ? skew : -skew) * 60_000 : 0;
    const ran = await this.#run(place, args, { fault, meanwhile, clockError });
    this.wasHit ||= ran.isHit;
    if (ran.isHit && !isFresh) for (const id of ran.made) this.#begun.add(id);
    // By its clock, the run was before the record, so plans do not know its work.
    if (ran.isHit && clockError < -600_000) {
      this.#isOlder = true;
      this.isForgotten = true;
    }
    const happened = this.#checked(ran);
    if (ran.writes.length > 0 && this.#applied === commit && happened.wrong.length === 0)
      return { ...happened, wrong: [`AGAIN: ${ran.writes.join(', ')} for a commit that was applied`] };
    // An undo reverts the last run that sent something.
    if (ran.writes.length > 0 || isFresh) this.#undoable = ran.isHit ? undefined : undoable;
    this.#applied = ran.code === 0 && !ran.isHit ? commit : undefined;
    if (happened.wrong.length > 0 || ran.code !== 0) return happened;
    const wrong = await this.#afterApply(place, ran, before);
    const advised = /undo it first: octavo undo (r-[\w-]+)/.exec(ran.stderr.replace(/\s+/g, ' '))?.[1];
    if (wrong.length > 0 || advised === undefined || isFresh || late > 0) return { ...happened, wrong };
    const undone = this.#checked(await this.#run(place, ['undo', advised, '--auto-approve']));
    if (undone.wrong.length > 0) return { ...happened, wrong: undone.wrong };
    // 3: a former value names what later runs replaced; what is left over is gone, as the next apply shows.
    if (undone.code !== 0 && undone.code !== 3)
      return { ...happened, wrong: [`ADVICE that fails: undo ${advised}\n${this.#last}`] };
    this.#applied = undefined;
    // What an undo makes again has another id.
    this.#ids = {};
    world.pass();
    const repeated = await this.#apply({ late, isFresh }, undefined, 'again');
    return {
      ...happened,
      wrong:
        repeated.wrong.length === 0 && repeated.code !== 0
          ? [`ADVICE that leads nowhere\n${this.#last}`]
          : repeated.wrong,
    };
  }

  /** What is recorded, and values of live objects. */
  async stateNow() {
    const { remote } = this.world;
    const record = remote.resolve(`refs/octavo/applied/${organization}`);
    const commit = record && remote.parentsOf(record).at(-1);
    return {
      commit,
      ids: this.#ids,
      values: await siteSpacesIn(this.world),
      live: await liveObjects(this.world),
    };
  }

  async #afterApply(
    place: Place,
    applied: Ran,
    before: Awaited<ReturnType<Team['stateNow']>>,
  ): Promise<readonly string[]> {
    const { world } = this;
    const rest = await this.#run(place, ['plan', '-f', 'docs']);
    const checked = this.#checked(rest);
    if (checked.wrong.length > 0) return checked.wrong;
    if (rest.code !== 0) return [`NO PLAN after an apply:\n${this.#last}`];
    const steps = stepsOf(rest);
    if (steps.length > 0)
      return [`NOT EMPTY after an apply: ${steps.map(({ id }) => id).join(', ')}\n${this.#last}`];
    const older = before.commit === undefined ? undefined : await this.#olderBase(place, before.commit);
    if (older !== undefined) return [older];
    const told = (ran: Ran) => ran.json?.organizations?.flatMap(({ leftovers = [] }) => leftovers) ?? [];
    const still = new Set(told(rest).map(({ id }) => id));
    const forgotten = told(applied).filter(({ id }) => !still.has(id) && !this.#managed.has(id));
    if (forgotten.length > 0) return [`FORGOTTEN: ${forgotten.map(({ address }) => address).join()}`];
    const document = mergedDocument(place.repository.files());
    if (document === undefined) return [];
    const [{ ids = {} } = {}] = rest.json?.organizations ?? [];
    const after = { ...(await this.stateNow()), ids };
    const former = new Set(Object.values(ids));
    const isRecorded = after.commit === place.repository.resolve('HEAD');
    // A list that no manifest has any more is released.
    const isListed = (address: string) =>
      entryAt(document, address.slice(0, address.lastIndexOf('/'))) !== undefined;
    const left = Object.entries(this.#recorded).filter(
      ([address, id]) => isListed(address) && !former.has(id) && after.live.has(id) && !still.has(id),
    );
    const wrong = [
      ...(await undeclared(world, document)),
      ...lostValues(document, before, after),
      ...(isRecorded && left.length > 0
        ? [`LEFT BEHIND: ${left.map((one) => one.join(' ')).join(', ')}`]
        : []),
      ...(before.commit !== undefined &&
      after.commit !== undefined &&
      !world.remote.contains(after.commit, before.commit)
        ? [`BACK: ${before.commit} was recorded, and ${after.commit} lacks it`]
        : []),
    ];
    this.#ids = ids;
    if (isRecorded) this.#recorded = ids;
    for (const id of former) this.#begun.delete(id);
    const unknown = [...this.#begun].filter(
      (id) => (after.live.has(id) || after.values.has(id)) && !this.#isTold(rest),
    );
    if (place.name === 'runner' && unknown.length > 0)
      return [...wrong, `FORGOTTEN: ${unknown.join()}, which a cut run created\n${this.#last}`];
    return wrong;
  }

  #isTold({ json }: Ran): boolean {
    return (
      json?.diagnostics?.some(({ code }) => code === 'unfinished-run') === true ||
      json?.organizations?.some(({ leftovers = [] }) => leftovers.length > 0) === true
    );
  }

  async #plan({ who }: EventOf<'plan'>): Promise<Happened> {
    const place = this.world.place(who);
    const ran = await this.#run(place, ['plan', '-f', 'docs']);
    const happened = this.#checked(ran);
    const document = mergedDocument(place.repository.files());
    if (happened.wrong.length > 0 || ran.code !== 0 || stepsOf(ran).length > 0 || document === undefined)
      return happened;
    const apart = await undeclared(this.world, document);
    return { ...happened, wrong: apart.map((text) => `"No changes" is not true: ${text}`) };
  }

  async #undo(): Promise<Happened> {
    // The manifests still declare what was undone, and plans call that drift; so is what later runs of others changed.
    this.#isOlder = true;
    this.#applied = undefined;
    this.#ids = {};
    const before = this.#undoable;
    this.#undoable = undefined;
    const happened = this.#checked(await this.#run(this.world.place('runner'), ['undo', '--auto-approve']));
    if (happened.wrong.length > 0 || happened.code !== 0 || before === undefined) return happened;
    const apart = differences(before, await this.world.snapshot()).filter(
      (path) => !path.endsWith('.revision'),
    );
    return {
      ...happened,
      wrong: apart.length === 0 ? [] : [`NOT UNDONE: ${apart.join(', ')}\n${this.#last}`],
    };
  }

  async #lose({ isRewritten }: EventOf<'lose'>): Promise<Happened> {
    const { remote } = this.world;
    const ref = `refs/octavo/applied/${organization}`;
    const record = remote.resolve(ref);
    const [former, commit] = record === undefined || !isRewritten ? [] : remote.parentsOf(record);
    // The first record has no other one.
    const to = commit === undefined ? undefined : former;
    await remote.setRef(ref, to);
    this.world.story.push(`git -C remote update-ref ${to === undefined ? `-d ${ref}` : `${ref} ${to}`}`);
    // Without a base, a new machine cannot know which objects were meant.
    this.#recorded = {};
    this.#ids = {};
    this.#isOlder = true;
    this.#applied = undefined;
    return nothing;
  }

  /** Takes the locks of killed runs away, as the message about them says. */
  async #unlock(): Promise<void> {
    const place = this.world.place('ada');
    const listed = await this.#run(place, ['unlock']);
    for (const run of new Set(listed.stdout.match(/\br-[\w-]+/g)))
      await this.#run(place, ['unlock', run, '--force']);
  }

  /** What may not be seen is not concluded to be gone: a plan with fewer rights has no step that the whole one lacks. */
  async #reader({ applies }: EventOf<'reader'>): Promise<Happened> {
    const place = this.world.place('reader');
    place.repository.fetchBranches();
    place.repository.checkout(place.repository.resolve('origin/main') ?? '');
    const whole = await this.#run(place, ['plan', '-f', 'docs']);
    const token = readerToken;
    const part = await this.#run(place, ['plan', '-f', 'docs'], { token });
    const happened = this.#checked(part);
    if (happened.wrong.length > 0 || whole.code === 1 || part.code === 1) return happened;
    const known = new Set(stepsOf(whole).map(({ id }) => id));
    const more = stepsOf(part).filter(({ id }) => !known.has(id));
    if (more.length > 0)
      return { ...happened, wrong: [`UNSEEN: ${more.map(({ id }) => id).join(', ')}\n${this.#last}`] };
    if (!applies) return happened;
    const before = await this.world.snapshot();
    const applied = this.#checked(
      await this.#run(place, ['apply', '-f', 'docs', '--auto-approve', '--record'], { token }),
    );
    const apart = differences(before, await this.world.snapshot());
    if (applied.wrong.length > 0 || apart.length === 0) return applied;
    return { ...applied, wrong: [`CHANGED by a reader: ${apart.join(', ')}`] };
  }

  /** A base from before the apply does not take it back. */
  async #olderBase(place: Place, base: string): Promise<string | undefined> {
    if (this.#isOlder || this.#touched.size > 0 || this.wasHit || place.name !== 'runner') return undefined;
    if (base === place.repository.resolve('HEAD')) return undefined;
    const ran = await this.#run(place, ['plan', '-f', 'docs', '--base', base]);
    const steps = stepsOf(ran).map(({ id }) => id);
    return steps.length === 0
      ? undefined
      : `NOT EMPTY against an older base: ${steps.join(', ')}\n${this.#last}`;
  }

  async #mv({ who, at }: EventOf<'mv'>): Promise<Happened> {
    const place = this.world.place(who);
    this.#pull(place);
    const document = mergedDocument(place.repository.files());
    const lists = ['teams', 'translations', 'sites'] as const;
    const list = lists[at % lists.length] ?? 'teams';
    const keys = Object.keys((document?.[list] ?? {}) as Objects);
    const key = keys[at % Math.max(1, keys.length)];
    if (key === undefined) return nothing;
    const before = await this.#run(place, ['plan', '-f', 'docs']);
    const comments = commentsIn([...place.repository.files().values()].join('\n')).length;
    const moved = await this.#run(place, ['mv', `${list}/${key}`, `${list}/${key}m`, '-f', 'docs']);
    const { wrong } = this.#checked(moved);
    if (wrong.length > 0 || moved.code !== 0) return { ...nothing, wrong };
    if (commentsIn([...place.repository.files().values()].join('\n')).length < comments)
      return { ...nothing, wrong: ['COMMENT lost by mv'] };
    this.#commit(place, `Move ${key}`);
    const after = await this.#run(place, ['plan', '-f', 'docs']);
    const [one, other] = [before, after].map((ran) => stepsOf(ran).length);
    if (before.code === 0 && after.code === 0 && one !== other)
      return { ...nothing, wrong: [`MV changed the plan: ${one} steps, now ${other}\n${this.#last}`] };
    this.#push(place);
    return this.#checked(after);
  }

  async #accept({ who, what }: EventOf<'accept'>): Promise<Happened> {
    const place = this.world.place(who);
    this.#pull(place);
    const before = place.repository.files();
    const ran = await this.#run(place, ['drift', '-f', 'docs', what]);
    const { wrong } = this.#checked(ran);
    if (wrong.length > 0) return { ...nothing, wrong };
    const after = place.repository.files();
    if ([...after].every(([name, text]) => before.get(name) === text)) return nothing;
    const valid = await this.#run(place, ['validate', '-f', 'docs']);
    if (valid.code !== 0) return { ...nothing, wrong: [`${what} writes invalid manifests:\n${this.#last}`] };
    const kept = new Set(commentsIn([...after.values()].join('\n')));
    const lost = commentsIn([...before.values()].join('\n')).filter((line) => !kept.has(line));
    // Ended entries are removed with their comments.
    const hasEnded = [...before.values()].some((text) => /\buntil: /.test(text));
    if (lost.length > 0 && this.#touched.size === 0 && !this.#isOlder && !hasEnded)
      return { ...nothing, wrong: [`COMMENT lost by ${what}: ${lost.join()}`] };
    this.#commit(place, what);
    this.#push(place);
    return nothing;
  }

  /** One site, or the teams, get a file of their own. */
  async #split({ who, at }: EventOf<'split'>): Promise<Happened> {
    const place = this.world.place(who);
    this.#pull(place);
    const files = place.repository.files();
    const source = documentIn(files.get('docs/sites.yaml') ?? '');
    const { sites } = (source ?? {}) as { readonly sites?: Objects };
    const keys = Object.keys(sites ?? {});
    const key = keys[at % Math.max(1, keys.length)];
    const [name, { octavo, organization }] = [`docs/site-${key}.yaml`, (source ?? {}) as Document];
    if (sites === undefined || key === undefined || files.has(name)) return nothing;
    const { [key]: own, ...rest } = sites;
    const own1 = textOf({ octavo, organization, sites: { [key]: own } });
    return this.#keep(
      place,
      { 'docs/sites.yaml': textOf({ ...source, sites: rest }), [name]: own1 },
      'Split',
    );
  }
}

/** Gives a share link, or a member of a team, a last day. */
function endOne(document: Document, at: number, until: string): void {
  const links = Object.values((document.sites ?? {}) as Objects).flatMap(({ shareLinks }) =>
    Object.values((shareLinks ?? {}) as Objects).map((link) => () => void Object.assign(link, { until })),
  );
  const people = Object.values((document.teams ?? {}) as Objects).flatMap(({ members }) =>
    Object.entries((members ?? {}) as Readonly<Record<string, unknown>>).map(([who, value]) => () => {
      const { role = value } = typeof value === 'object' && value !== null ? (value as Document) : {};
      Object.assign(members as Document, { [who]: { role, until } });
    }),
  );
  const all = [...links, ...people];
  all[at % Math.max(1, all.length)]?.();
}

/** Lets a site show a space that it does not show, in place of one: the site-space is replaced. */
function showAnother(document: Document, at: number): void {
  const lists = listsOf(document).filter(
    ({ key, list }) => key === 'spaces' && Object.values(list).some((one) => typeof one.space === 'string'),
  );
  const { list } = lists[at % Math.max(1, lists.length)] ?? {};
  if (list === undefined) return;
  const [key = ''] = Object.keys(list);
  const shown = new Set(Object.values(list).map((one) => one.space));
  const [space] = ['g1', 'g2', 'g3', 'g4'].filter((one) => !shown.has(one)).slice(at % 2);
  if (space !== undefined) list[key] = { ...list[key], space, ...(at % 3 === 0 ? { path: undefined } : {}) };
}
