/**
 * Random work of two colleagues and a pipeline on one remote: commits, merges, reverts, applies by hand, retries of old jobs,
 * records that cannot be pushed, services that fail half-way, sparse, partial and shallow clones, flags that leave things out.
 *
 * - An apply deletes only objects that the recorded commit declares and the applied one does not.
 * - Once a commit is recorded, no object of an earlier recorded commit that this one omits is live, unless it is reported.
 * - "No changes" and "No drift" are checked against an independent reading of the live state and the commit.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type FaultRule, type Service, startService } from '../../src/server/index.ts';
import { git, initBare } from '../cli/git.ts';
import { folder, octavo, type Ran } from '../cli/octavo.ts';
import { seed } from '../support/harness.ts';
import { patience, tries } from '../support/runs.ts';

const ref = 'refs/octavo/applied/org_acme';
const keys = ['a', 'b', 'c', 'd', 'e'] as const;

/** Declarations of a commit. Titles begin with the key, which identifies an object after renames. */
interface Declared {
  readonly teams: Readonly<Record<string, string>>;
  /** In order. */
  readonly sections: readonly (readonly [string, string])[];
}

const nothing: Declared = { teams: {}, sections: [] };

/** Two files in separate folders, with space between entries so that git can merge changes of two authors. */
function write({ teams, sections }: Declared): Readonly<Record<string, string>> {
  const entry = ([key, title]: readonly [string, string], more = '') =>
    `${key}: { title: ${title}${more} }\n#\n#\n#\n`;
  const indented = (by: string, text: string) => text.replace(/^(?=\S)/gm, by);
  const head = 'octavo: 1\norganization: org_acme\n';
  const teamLines = Object.entries(teams).map((one) => entry(one));
  const sectionLines = sections.map((one) =>
    entry(one, `, path: ${one[0]}, spaces: { main: { space: s1 } }`),
  );
  return {
    'docs/one/teams.yaml': `${head}settings: { limits: { deletes: null, deletePercent: null } }\nteams:${teamLines.length === 0 ? ' {}\n' : `\n${indented('  ', teamLines.join(''))}`}`,
    'docs/two/site.yaml': `${head}spaces: { s1: { title: API guide } }\nsites:\n  s:\n    title: Site\n    basename: site-s\n    sections:${sectionLines.length === 0 ? ' {}\n' : `\n${indented('      ', sectionLines.join(''))}`}`,
  };
}

function readDeclared(root: string, commit: string): Declared {
  const text = (file: string) => {
    try {
      return git(root, 'show', `${commit}:${file}`);
    } catch {
      return '';
    }
  };
  type Titles = Record<string, { title: string }> | null | undefined;
  const parsed = (file: string): unknown => {
    try {
      return parse(text(file));
    } catch {
      // A merge may give the same key twice.
      return null;
    }
  };
  const one = parsed('docs/one/teams.yaml') as { teams?: Titles } | null;
  const two = parsed('docs/two/site.yaml') as { sites?: { s?: { sections?: Titles } } } | null;
  const titles = (map: Titles) => Object.entries(map ?? {}).map(([key, { title }]) => [key, title] as const);
  return { teams: Object.fromEntries(titles(one?.teams)), sections: titles(two?.sites?.s?.sections) };
}

const key = fc.constantFrom(...keys);
const actor = fc.constantFrom('ada', 'bob');
const clone = fc.constantFrom('full', 'full', 'depth', 'partial', 'sparse', 'partial-sparse');
const flags = fc.constantFrom<readonly string[]>(
  [],
  [],
  [],
  [],
  ['--base', 'none'],
  ['--base', 'HEAD~1'],
  ['--prune', 'never'],
  ['--ignore-drift'],
  ['--offline'],
  ['-f', 'docs/one'],
);
const action = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constantFrom('add', 'add', 'remove', 'remove', 'rename', 'reorder'),
      actor,
      pushes: fc.boolean(),
      list: fc.constantFrom('teams', 'sections'),
      key,
      at: fc.nat(4),
    }),
  },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('push' as const), actor }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('pipeline' as const),
      clone,
      flags,
      records: fc.constantFrom(true, true, false),
      trouble: fc.constantFrom('none', 'none', 'none', 'push', 'fail', 'fail'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('retry' as const), flags }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('by hand' as const), actor, flags, records: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('revert' as const), actor }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('rename in app', 'create in app', 'delete in app'),
      at: fc.nat(4),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('look' as const), actor }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** Writes that succeed before the service refuses all others. */
const trouble403 = { left: Number.POSITIVE_INFINITY };
const fault: FaultRule = {
  type: 'status',
  only: 'writes',
  status: 403,
  get probability() {
    trouble403.left -= 1;
    return trouble403.left < 0 ? 1 : 0;
  },
};

interface LiveObject {
  readonly id: string;
  readonly title: string;
}

interface Live {
  readonly teams: readonly LiveObject[];
  /** In order. */
  readonly sections: readonly LiveObject[];
}

const keysIn = ({ teams, sections }: Declared, list: 'teams' | 'sections') =>
  list === 'teams' ? Object.keys(teams) : sections.map(([name]) => name);

const keyOf = ({ title }: { readonly title: string }) => title.slice(0, 1);

class History {
  readonly #service: Service;
  readonly #outer: string;
  readonly #bare: string;
  readonly #clones = new Map<string, string>();
  #version = 0;
  #count = 0;
  /** The checkout of the last pipeline. */
  #job: string | undefined;
  /** Objects that no commit of the line declares: created in the app, or by an apply without a base. */
  readonly #foreign = new Set<string>();

  constructor(service: Service) {
    this.#service = service;
    this.#outer = folder({});
    this.#bare = join(this.#outer, 'remote.git');
    initBare(this.#outer, this.#bare);
    git(this.#bare, 'config', 'uploadpack.allowFilter', 'true');
    for (const name of ['ada', 'bob']) {
      const root = join(this.#outer, name);
      git(this.#outer, 'init', '--quiet', '--initial-branch=main', root);
      git(root, 'remote', 'add', 'origin', `file://${this.#bare}`);
      for (const [name2, value] of [
        ['user.name', name],
        ['user.email', `${name}@acme.dev`],
      ] as const)
        git(root, 'config', name2, value);
      this.#clones.set(name, root);
    }
    const ada = this.#root('ada');
    this.#commit(ada, {
      teams: { a: 'a0', b: 'b0' },
      sections: [
        ['a', 'a0'],
        ['b', 'b0'],
        ['z', 'z0'],
      ],
    });
    git(ada, 'push', '--quiet', '-u', 'origin', 'main');
    git(this.#root('bob'), 'fetch', '--quiet', 'origin');
    git(this.#root('bob'), 'checkout', '--quiet', '-B', 'main', '--track', 'origin/main');
  }

  async start(): Promise<void> {
    await this.run({ type: 'pipeline', clone: 'full', flags: [], records: true, trouble: 'none' });
  }

  async run(one: Action): Promise<void> {
    switch (one.type) {
      case 'push':
        return this.#push(this.#root(one.actor));
      case 'pipeline':
        return this.#pipeline(one);
      case 'retry':
        return this.#job === undefined
          ? undefined
          : this.#apply(this.#job, [...one.flags, '--record=origin']);
      case 'by hand':
        return this.#apply(this.#root(one.actor), [...one.flags, ...(one.records ? ['--record'] : [])]);
      case 'revert':
        return this.#quietly(
          () => git(this.#root(one.actor), 'revert', '--no-edit', 'HEAD'),
          () => git(this.#root(one.actor), 'revert', '--abort'),
        );
      case 'look':
        return this.#look(this.#root(one.actor));
      case 'rename in app':
      case 'create in app':
      case 'delete in app':
        return this.#inApp(one.type, one.at);
      default:
        this.#edit(one);
        if (one.pushes) this.#push(this.#root(one.actor));
    }
  }

  #root(name: string): string {
    return this.#clones.get(name) ?? '';
  }

  /** A commit that git refuses is ignored. */
  #quietly(work: () => void, otherwise: () => void = () => undefined): void {
    try {
      work();
    } catch {
      try {
        otherwise();
      } catch {
        // No merge was in progress.
      }
    }
  }

  #commit(root: string, declared: Declared): void {
    for (const [name, text] of Object.entries({ '.gitignore': '.octavo\n', ...write(declared) })) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    git(root, 'add', '--all');
    this.#quietly(() => git(root, 'commit', '--quiet', '-m', 'A change'));
  }

  #edit({ type, actor: name, list, key: which, at }: Extract<Action, { list: string }>): void {
    const root = this.#root(name);
    const now = readDeclared(root, 'HEAD');
    this.#version += 1;
    const title = `${which}${this.#version}`;
    const entries = list === 'teams' ? Object.entries(now.teams) : [...now.sections];
    const others = entries.filter(([key2]) => key2 !== which);
    const isThere = others.length < entries.length;
    const place = Math.min(at, others.length);
    const kept = entries.find(([key2]) => key2 === which) ?? ([which, title] as const);
    const changed =
      type === 'remove'
        ? others
        : type === 'reorder'
          ? isThere
            ? [...others.slice(0, place), kept, ...others.slice(place)]
            : entries
          : isThere === (type === 'rename')
            ? isThere
              ? entries.map((one) => (one[0] === which ? ([which, title] as const) : one))
              : [...others.slice(0, place), [which, title] as const, ...others.slice(place)]
            : entries;
    this.#commit(
      root,
      list === 'teams' ? { ...now, teams: Object.fromEntries(changed) } : { ...now, sections: changed },
    );
  }

  #push(root: string): void {
    this.#quietly(
      () => {
        git(root, 'pull', '--quiet', '--no-rebase', '--no-edit', 'origin', 'main');
        git(root, 'push', '--quiet', 'origin', 'HEAD:main');
      },
      () => git(root, 'merge', '--abort'),
    );
  }

  async #pipeline({
    clone: how,
    flags: given,
    records,
    trouble,
  }: Extract<Action, { type: 'pipeline' }>): Promise<void> {
    this.#count += 1;
    const root = join(this.#outer, `job-${this.#count}`);
    const depth = how === 'depth' ? ['--depth', '1'] : [];
    const filter = how.startsWith('partial') ? ['--filter=blob:none'] : [];
    const isSparse = how.endsWith('sparse');
    git(
      this.#outer,
      'clone',
      '--quiet',
      ...depth,
      ...filter,
      ...(isSparse ? ['--sparse'] : []),
      `file://${this.#bare}`,
      root,
    );
    if (isSparse) git(root, 'sparse-checkout', 'set', 'docs/one');
    this.#job = root;
    const hook = join(this.#bare, 'hooks/update');
    if (trouble === 'push') writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    if (trouble === 'fail') trouble403.left = 1 + (this.#count % 3);
    await this.#apply(root, [...given, ...(records ? ['--record=origin'] : [])]);
    rmSync(hook, { force: true });
    trouble403.left = Number.POSITIVE_INFINITY;
  }

  #octavo(root: string, args: readonly string[]): Promise<Ran> {
    const manifests = args.includes('-f') ? [] : ['-f', 'docs'];
    const env = { OCTAVO_BASE_URL: this.#service.url, OCTAVO_TOKEN: this.#service.token };
    return octavo([...args, ...manifests], { cwd: root, env });
  }

  /** The manifests of the commit that is recorded in the remote or in a checkout. */
  #recorded(root: string): Declared | undefined {
    for (const at of [root, this.#bare]) {
      try {
        const { commit } = JSON.parse(git(at, 'cat-file', 'blob', `${ref}:applied.json`)) as {
          commit: string;
        };
        return this.#anywhere(commit);
      } catch {
        // Not there.
      }
    }
    return undefined;
  }

  #anywhere(commit: string): Declared {
    for (const root of [this.#bare, ...this.#clones.values(), this.#job ?? ''])
      try {
        git(root, 'cat-file', '-e', `${commit}^{commit}`);
        return readDeclared(root, commit);
      } catch {
        // Another object has this title.
      }
    return nothing;
  }

  async #apply(root: string, args: readonly string[]): Promise<void> {
    const head = git(root, 'rev-parse', 'HEAD').trim();
    const wanted = readDeclared(root, head);
    const before = await this.#live();
    const bases = [this.#recorded(root), this.#recorded(this.#bare)];
    const named = args.includes('HEAD~1') ? this.#before(root) : undefined;
    const ran = await this.#octavo(root, ['apply', '--auto-approve', ...args]);
    const after = await this.#live();
    const said = `${args.join(' ')}\n${ran.stdout}${ran.stderr}`;
    expect(said).not.toMatch(/^\s+at .*\.ts:/m);
    for (const list of ['teams', 'sections'] as const) {
      const declared = (one: Declared | undefined) => keysIn(one ?? nothing, list);
      for (const gone of before[list].filter(({ id }) => !after[list].some((one) => one.id === id))) {
        expect(declared(wanted), `${list}/${gone.title} was deleted\n${said}`).not.toContain(keyOf(gone));
        const asked = [...bases, named].some((base) => declared(base).includes(keyOf(gone)));
        expect(asked, `nobody declared ${list}/${gone.title}\n${said}`).toBe(true);
      }
      const isOnLine = !args.includes('none');
      for (const made of after[list].filter(({ id }) => !before[list].some((one) => one.id === id)))
        if (!isOnLine) this.#foreign.add(made.id);
    }
    if (ran.stderr.includes('Recorded commit')) this.#checkRecord(root, { live: after, said });
    // Only read parts count.
    const isPart = args.includes('-f');
    const sections = after.sections.map((one) => [keyOf(one), one.title] as const);
    this.#checkSentences(ran, isPart ? { ...wanted, sections } : wanted, after);
  }

  #before(root: string): Declared | undefined {
    try {
      return readDeclared(root, 'HEAD~1');
    } catch {
      return undefined;
    }
  }

  /** Every object that the line ever declared is declared now or deleted. */
  #checkRecord(root: string, { live, said }: { readonly live: Live; readonly said: string }): void {
    const [now = nothing, ...earlier] = this.#recordedIn(root);
    for (const list of ['teams', 'sections'] as const) {
      for (const one of live[list]) {
        if (this.#foreign.has(one.id) || keysIn(now, list).includes(keyOf(one))) continue;
        const was = earlier.some((former) => keysIn(former, list).includes(keyOf(one)));
        expect(was, `${list}/${one.title} was removed by a commit and is live\n${said}`).toBe(false);
      }
    }
  }

  /** Declarations of the records of a checkout, newest first; the first parent of each is the previous one. */
  #recordedIn(root: string): readonly Declared[] {
    const found: Declared[] = [];
    for (const oid of git(root, 'rev-list', '--first-parent', ref).trim().split('\n')) {
      try {
        const { commit } = JSON.parse(git(root, 'cat-file', 'blob', `${oid}:applied.json`)) as {
          commit: string;
        };
        found.push(this.#anywhere(commit));
      } catch {
        break;
      }
    }
    return found;
  }

  #checkSentences({ stdout }: Ran, wanted: Declared, live: Live): void {
    if (!/No changes\. Live state|^No drift\.$/m.test(stdout)) return;
    const titles = (list: readonly LiveObject[]) => list.map(({ title }) => title);
    expect(titles(live.teams).sort(), stdout).toEqual(Object.values(wanted.teams).sort());
    expect(titles(live.sections), stdout).toEqual(wanted.sections.map(([, title]) => title));
  }

  /** A colleague runs plan and drift; their output matches the checked-out commit. */
  async #look(root: string): Promise<void> {
    const wanted = readDeclared(root, 'HEAD');
    const live = await this.#live();
    for (const command of ['plan', 'drift']) {
      const ran = await this.#octavo(root, [command]);
      if (command === 'plan') this.#checkSentences(ran, wanted, live);
      else if (/^No drift\.$/m.test(ran.stdout)) this.#checkSentences(ran, wanted, live);
    }
  }

  async #inApp(type: string, at: number): Promise<void> {
    const { teams } = await this.#live();
    const one = teams[at];
    if (type === 'create in app') {
      const made = await this.#send('PUT', 'orgs/org_acme/teams', { title: `x${this.#version}` });
      if (made !== undefined) this.#foreign.add(made.id);
    } else if (one !== undefined) {
      const path = `orgs/org_acme/teams/${one.id}`;
      if (type === 'delete in app') await this.#send('DELETE', path);
      else await this.#send('PATCH', path, { title: `${keyOf(one)}-app` });
    }
  }

  async #send(method: string, path: string, body?: object): Promise<LiveObject | undefined> {
    const response = await fetch(`${this.#service.url}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#service.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return response.ok && text !== '' ? (JSON.parse(text) as LiveObject) : undefined;
  }

  async #list(path: string): Promise<readonly LiveObject[]> {
    const found = (await this.#send('GET', `${path}?limit=1000`)) as unknown as
      | { items: LiveObject[] }
      | undefined;
    return found?.items ?? [];
  }

  async #live(): Promise<Live> {
    const [teams, sites] = await Promise.all([
      this.#list('orgs/org_acme/teams'),
      this.#list('orgs/org_acme/sites'),
    ]);
    const site = sites.find(({ title }) => title === 'Site');
    const sections = site === undefined ? [] : await this.#list(`orgs/org_acme/sites/${site.id}/sections`);
    return { teams, sections };
  }
}

test('plans, records and reports exactly the checked-out commit', {
  timeout: patience(120_000),
}, async () => {
  const service = await startService({ data: ':memory:', seed, faults: [fault] });
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 24, size: 'max' }), async (actions) => {
        trouble403.left = Number.POSITIVE_INFINITY;
        service.reset(seed, {});
        const history = new History(service);
        await history.start();
        for (const one of actions) await history.run(one);
      }),
      { ...tries(2), endOnFailure: true },
    );
  } finally {
    await service.close();
  }
});
