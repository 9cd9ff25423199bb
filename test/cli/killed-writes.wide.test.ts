/** Files that belong together: a command that is killed between two of them can be run again, and no other command acts on half of them. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WorkFolder } from '../../src/manifest/files/work-folder.ts';
import { type Service, startService } from '../../src/server/index.ts';
import { failingAt, killedAt } from '../support/killed-writes.ts';
import { patience, runs } from '../support/runs.ts';
import { folder, octavo } from './octavo.ts';

type Files = Readonly<Record<string, string>>;

const token = 'token-of-the-tests';
let service: Service;
beforeAll(async () => {
  const teams = ['Docs', 'Readers'].map((title) => ({ id: `team_${title}`, title }));
  const sites = ['Dev', 'Status'].map((title) => ({ id: `site_${title}`, title }));
  const seed = { organizations: [{ id: 'org_acme', title: 'Acme', teams, sites }] };
  service = await startService({ data: ':memory:', token, seed });
});
afterAll(() => service.close());

const declare = (text: string) => `octavo: 1\norganization: org_acme\n${text}\n`;

/** The team is named by its key in a manifest and an overlay, and by its address in settings, rules and a test. */
const mentions: Files = {
  'acme.yaml': declare('teams: { docs: { title: Docs } }'),
  'more.yaml': declare('teams: { readers: { title: Readers } }\nsettings: { protect: teams/docs }'),
  'octavo.rules.yaml':
    'rules: { named: { when: { address: teams/docs }, message: No, severity: warning } }\n',
  'over.yaml': `overlay: production\n${declare('teams: { docs: { title: Poets } }')}`,
  'tests/a.test.yaml': 'tests: { a: { expect: { steps: { teams/docs: create } } } }\n',
};
/** The live titles differ, and there is no site Gone. */
const differing: Files = {
  'a.yaml': declare('sites:\n  gone: { title: Gone, type: basic }\n  dev: { id: site_Dev, title: Dev one }'),
  'b.yaml':
    'octavo: 1\norganization:\n  id: org_acme\n  title: Acme one\n  defaultContent: { site: gone }\nteams:\n  docs: { id: team_Docs, title: Docs one }\n',
  'c/c.yaml': declare('teams:\n  readers: { id: team_Readers, title: Readers one }'),
};
const titled: Files = {
  'a.yaml': declare('teams:\n  docs: { title:   Docs }'),
  'b.yaml': declare('teams:\n  readers: { title:   Readers }'),
  'c/c.yaml': declare('sites:\n  dev: { title:   Dev }'),
};

interface Row {
  readonly files: Files;
  readonly args: readonly string[];
  readonly written: readonly string[];
  /** True if each file is correct without the others. */
  readonly isApart?: true;
}

const rows: Readonly<Record<string, Row>> = {
  mv: { files: mentions, args: ['mv', 'teams/docs', 'teams/writers'], written: Object.keys(mentions) },
  fmt: { files: titled, args: ['fmt'], written: Object.keys(titled), isApart: true },
  'drift --pin': { files: titled, args: ['drift', '--pin'], written: Object.keys(titled) },
  'drift --accept': {
    files: differing,
    args: ['drift', '--accept', 'teams/**', 'organization', 'sites/dev'],
    written: Object.keys(differing),
  },
  'export into manifests': {
    files: differing,
    args: ['export', '--out', '.'],
    written: Object.keys(differing),
  },
  'export --split': { files: {}, args: ['export', '--split', '--out', 'docs'], written: [] },
  'init --from-live': { files: {}, args: ['init', '--from-live', '--ci', 'gitlab'], written: [] },
};

const isDraft = (name: string) => name.includes('.octavo-draft-');

function textsIn(cwd: string): Files {
  const entries = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const names = entries.map((one) => join(one.parentPath, one.name).slice(cwd.length + 1));
  const own = names.filter((name) => !isDraft(name) && !name.startsWith('.octavo/')).sort();
  return Object.fromEntries(own.map((name) => [name, readFileSync(join(cwd, name), 'utf8')]));
}

describe.each(Object.entries(rows))('%s', (_name, { files, args, written, isApart }) => {
  const env = () => ({ OCTAVO_TOKEN: token, OCTAVO_BASE_URL: service.url });
  const run = (cwd: string, ...words: readonly string[]) => octavo(words, { cwd, env: env() });

  test('killed at any of its writes, is completed by the same command', {
    timeout: patience(120_000),
  }, async () => {
    const whole = folder(files);
    let done = '';
    const { count, renames } = await killedAt(whole, Number.POSITIVE_INFINITY, async (writes) => {
      const ran = await octavo(args, { cwd: whole, env: env(), folder: writes });
      done = ran.stdout;
      expect([0, 2], ran.stderr).toContain(ran.code);
    });
    const after = textsIn(whole);
    const changed = Object.keys(after).filter((name) => after[name] !== files[name]);
    if (written.length > 0) expect(changed).toEqual([...written].sort());
    expect(changed.length).toBeGreaterThan(2);
    const plans = [(await run(folder(files), 'plan')).stdout, (await run(whole, 'plan')).stdout];
    const told = new Set<number>();
    const seen = new Set<number>();
    for (let at = 1; at <= count; at += 1) {
      if (!renames.includes(at) && at !== count && at % Math.ceil(4 / runs(4)) > 0) continue;
      const cwd = folder(files);
      await killedAt(cwd, at, (writes) => octavo(args, { cwd, env: env(), folder: writes }));
      const half = textsIn(cwd);
      const placed = changed.filter((name) => half[name] === after[name]).length;
      expect(placed).toBe(renames.filter((one) => one < at).length);
      for (const command of seen.has(placed) ? [] : ['validate', 'plan']) {
        const ran = await run(cwd, command);
        if (ran.stderr.includes('error[interrupted-write]')) {
          expect(ran.code).toBe(1);
          expect(ran.stderr).toContain(`${args[0]}`);
          expect(ran.stderr).toContain(`was interrupted after ${placed} of `);
          told.add(placed);
        } else if (command === 'plan' && ran.code === 0) expect(plans).toContain(ran.stdout);
        else if (placed > 0 && placed < changed.length) expect(ran.code).toBe(0);
      }
      seen.add(placed);
      expect(textsIn(cwd), 'no other command writes').toEqual(half);
      const again = await run(cwd, ...args);
      expect(textsIn(cwd)).toEqual(after);
      if (placed === changed.length) continue;
      expect([0, 2], again.stderr).toContain(again.code);
      if (isApart !== true) expect(again.stdout).toBe(done);
    }
    const between = changed.length - (args[0] === 'init' ? 3 : 1);
    expect([...told]).toEqual(isApart ? [] : Array.from({ length: between }, (_, one) => one + 1));
  });
});

const move = ['mv', 'teams/docs', 'teams/writers'];

/** A folder in which `mv` was killed after its first file. */
async function killedMove(): Promise<string> {
  const cwd = folder(mentions);
  const whole = folder(mentions);
  const moved = (at: string) => (writes: WorkFolder) => octavo(move, { cwd: at, folder: writes });
  const { renames } = await killedAt(whole, Number.POSITIVE_INFINITY, moved(whole));
  await killedAt(cwd, renames[1] ?? 0, moved(cwd));
  return cwd;
}

test('names the folders to delete if a file was changed since', async () => {
  const cwd = await killedMove();
  const mine = `${readFileSync(join(cwd, 'acme.yaml'), 'utf8')}# mine\n`;
  writeFileSync(join(cwd, 'acme.yaml'), mine);
  const { code, stderr } = await octavo(move, { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain('error[changed]: acme.yaml was changed after octavo mv was interrupted\n');
  const drafts = readdirSync(cwd, { recursive: true, encoding: 'utf8' }).filter(
    (name) => isDraft(name) && !/draft-.*\//.test(name),
  );
  expect(drafts).toHaveLength(5);
  for (const draft of drafts) {
    expect(stderr.replace(/\s+/g, ' ')).toContain(draft);
    rmSync(join(cwd, draft), { recursive: true });
  }
  expect(readFileSync(join(cwd, 'acme.yaml'), 'utf8')).toBe(mine);
  expect((await octavo(['fmt', '--check'], { cwd })).stderr).not.toContain('interrupted');
});

test.each([[[...move, '--dry-run']], [['fmt']], [['export', '--out', '.', '--base-url', 'local']]])(
  'is not restored by %j',
  async (args) => {
    const cwd = await killedMove();
    const half = textsIn(cwd);
    const { code, stderr } = await octavo(args, { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain('octavo mv was interrupted after 1 of 5 files');
    expect(textsIn(cwd)).toEqual(half);
  },
);

test('writes no file but the ones next to drafts, whatever a checkout contains', async () => {
  const outside = folder({ 'kept.yaml': 'after' });
  const file = { name: relative('.', join(outside, 'kept.yaml')), before: 'before', after: 'after' };
  const other = relative(join('/tmp', 'a', 'b'), outside);
  const files = ['.', '../.octavo-draft-2', other, outside].map((at) => ({ ...file, folder: at }));
  const group = JSON.stringify({ command: 'mv', files });
  const cwd = folder({
    ...mentions,
    '.octavo-draft-1/group.json': group,
    '.octavo-draft-2/group.json': group,
    '.octavo-draft-2/draft': '',
    '.octavo-draft-3/group.json': '{"command":"mv","files":[{"folder":3}]}',
    '.octavo-draft-4/group.json': '{',
  });
  const ran = await octavo(move, { cwd });
  expect(ran.stderr).toContain('error[changed]: kept.yaml was changed');
  expect(readdirSync(outside)).toEqual(['kept.yaml']);
  expect(readFileSync(join(outside, 'kept.yaml'), 'utf8')).toBe('after');
});

test('writes no file if one of them cannot be written', async () => {
  const cwd = folder(mentions);
  const failed = await failingAt(cwd, 3, (writes) => octavo(move, { cwd, folder: writes }));
  expect(failed.stderr).toContain('error[write]: cannot write octavo.rules.yaml: the disk is full');
  expect(failed.stderr).toContain('nothing was written');
  expect(textsIn(cwd)).toEqual(mentions);
  expect(await octavo(move, { cwd })).toMatchObject({ code: 0 });
});
