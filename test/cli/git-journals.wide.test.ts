/** Pipeline runs are undone from another clone with journals in git, which anyone with push access may have forged. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../src/server/index.ts';
import { sharedRemote, teams } from './clones.ts';
import { git } from './git.ts';

const prefix = 'refs/octavo/journals/org_acme/';
const secret = 'q7Zp-hidden-value-91';

type Titles = Readonly<Record<string, string>>;
const manifest = (titles: Titles) => ({ 'acme.yaml': teams(titles) });

async function setup(faults: readonly FaultRule[] = []) {
  const {
    service,
    bare: origin,
    first,
    clone,
    live,
  } = await sharedRemote(manifest({ first: 'First' }), {
    faults,
  });
  const ci = first.root;
  const merge = (titles: Titles) => first.push(manifest(titles));
  return {
    origin,
    ci,
    service,
    merge,
    live,
    run: first.run,
    /** Applies as the pipeline does after a merge. Returns the id of the run. */
    apply: async (titles: Titles, more: Titles = {}) => {
      merge(titles);
      const ran = await first.runIn(more, 'apply', '--auto-approve', '--record=origin');
      expect(ran.code, ran.stderr).toBe(0);
      return /Undo: octavo undo (\S+)/.exec(ran.stdout)?.[1] ?? '';
    },
    clone,
    journal: (id: string) => git(origin, 'cat-file', 'blob', `${prefix}${id}:journal.ndjson`),
    /** Pushes another journal for a run, as anyone with push access can. */
    forge: (id: string, text: string) => {
      writeFileSync(join(ci, 'journal.ndjson'), text);
      git(ci, 'checkout', '--quiet', '--orphan', 'forged');
      git(ci, 'rm', '--quiet', '--cached', '-r', '.');
      git(ci, 'add', '-f', 'journal.ndjson');
      git(ci, 'commit', '--quiet', '-m', 'forged');
      git(ci, 'push', '--quiet', '--force', 'origin', `HEAD:${prefix}${id}`);
    },
  };
}

test('a pipeline run is shown and undone from a fresh clone', async () => {
  const { apply, clone, live } = await setup();
  await apply({ first: 'First' });
  const id = await apply({ first: 'Erste', second: 'Second' });
  expect(await live()).toEqual(['Erste', 'Second']);
  const there = clone();
  expect((await there.run('history')).stdout).toContain(id);
  const details = await there.run('history', id);
  expect(details.stdout, details.stderr).toContain('teams/second');
  const undone = await there.run('undo', id, '--auto-approve');
  expect(undone.code, undone.stderr).toBe(0);
  expect(undone.stderr).toContain(`Its journal comes from ${prefix}${id}, where others can write`);
  expect(await live()).toEqual(['First']);
});

test('a run without a journal is reported with both places searched, and undo never picks a run from git', async () => {
  const { apply, clone } = await setup();
  await apply({ first: 'First' });
  const there = clone();
  const unknown = await there.run('undo', 'r-mdlq2v9k-03faaf30', '--auto-approve');
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain(
    'no journal of a run "r-mdlq2v9k-03faaf30" in .octavo/journal, nor in git (refs/octavo/journals of origin)',
  );
  expect(unknown.stderr).toContain('applied with --record');
  const unnamed = await there.run('undo', '--auto-approve');
  expect(unnamed.stderr).toContain('nothing to undo');
  git(there.root, 'remote', 'set-url', 'origin', '/nowhere');
  expect((await there.run('undo', 'r-mdlq2v9k-03faaf30')).stderr).toContain('origin cannot be asked');
  expect((await there.run('history')).stderr).toContain(
    'warning[journal]: cannot read runs of others from origin',
  );
});

test('the newest 20 journals are kept, and a run without changes writes none', async () => {
  const { apply, ci, origin } = await setup();
  const id = await apply({ first: 'First' });
  const commit = git(ci, 'rev-parse', `${prefix}${id}`).trim();
  const old = Array.from({ length: 25 }, (_, count) => `r-aaaa${String(count).padStart(4, '0')}-0000`);
  for (const name of old) for (const cwd of [ci, origin]) git(cwd, 'update-ref', `${prefix}${name}`, commit);
  const next = await apply({ first: 'Next' });
  await apply({ first: 'Next' });
  for (const cwd of [ci, origin]) {
    const kept = git(cwd, 'for-each-ref', '--format=%(refname:lstrip=4)', prefix).trim().split('\n');
    expect(kept).toEqual([...old.slice(-18), id, next]);
  }
});

test('no secret is stored in git', async () => {
  const { apply, origin, journal } = await setup();
  await apply({ first: 'First' });
  const id = await apply({ first: 'Code ${secret:CODE}' }, { CODE: secret });
  expect(journal(id)).toContain('teams/first');
  const objects = git(origin, 'cat-file', '--batch-all-objects', '--batch');
  expect(objects).toContain('${secret:CODE}');
  expect(objects).not.toContain(secret);
});

describe('a forged journal', () => {
  async function forged(change: (text: string, id: string) => string) {
    const all = await setup();
    await all.apply({ first: 'First' });
    const id = await all.apply({ first: 'Erste', second: 'Second' });
    all.forge(id, change(all.journal(id), id));
    const undo = await all.clone().runIn({ STOLEN: secret }, 'undo', id, '--auto-approve');
    return { ...all, id, undo };
  }

  test.each<[string, (text: string) => string, string]>([
    ['a line that is none', (text) => text.replace('\n', '\nnonsense\n'), 'line 2 does not have the form'],
    ['another run', (text) => text.replace(/"run":"r-[^"]*"/, '"run":"r-aaaa-0000"'), 'it is about run'],
    ['a second plan', (text) => `${text.split('\n')[0]}\n${text}`, 'it is not one whole run'],
    ['no end', (text) => text.replace(/\{"type":"end".*\n$/, ''), 'it is not one whole run'],
    ['nothing', () => '', 'line 1 does not have the form'],
    ['depth', () => `${'['.repeat(100_000)}\n`, 'line 1 does not have the form'],
    [
      'a commit that is an option',
      (text) => text.replace(/"commit":"[0-9a-f]+"/, '"commit":"--output=x"'),
      'its commit',
    ],
    [
      'another organization',
      (text) => text.replace(/"organization":"[^"]*","step"/, '"organization":"org_other","step"'),
      'organizations that its plan does not have',
    ],
  ])('with %s is rejected', async (_, change, message) => {
    const { undo, live } = await forged(change);
    expect(undo.code).toBe(1);
    expect(undo.stderr).toContain('was not written by octavo apply');
    expect(undo.stderr).toContain(message);
    expect(await live()).toEqual(['Erste', 'Second']);
  });

  test('cannot redirect the token to another service', async () => {
    const { undo } = await forged((text) =>
      text.replace(/"service":"[^"]*"/, '"service":"https://evil.example"'),
    );
    expect(undo.code).toBe(1);
    expect(undo.stderr).toContain('error[other-service]');
    expect(undo.stderr).not.toContain('--base-url https://evil');
  });

  test('cannot send a variable of the environment', async () => {
    const { undo, live } = await forged((text) =>
      text.replaceAll('"title":"First"', '"title":{"$secret":"${secret:STOLEN}"}'),
    );
    expect((await live()).join()).not.toContain(secret);
    expect(undo.stdout + undo.stderr).not.toContain(secret);
  });

  test('cannot delete an object that existed before the run', async () => {
    const all = await setup();
    await all.apply({ first: 'First' });
    await new Promise((done) => setTimeout(done, 5));
    const listed = await all.run('api', 'teams.list', 'organizationId=org_acme');
    const { items } = JSON.parse(listed.stdout) as { items: { id: string; title: string }[] };
    const victim = items.find(({ title }) => title === 'First')?.id ?? '';
    const id = await all.apply({ first: 'First', second: 'Second' });
    // A run whose id claims that it started long after the team was created.
    const later = `r-${(Date.now() + 3_600_000).toString(36)}-0000`;
    const own = /"id":"([^"]+)"/.exec(/\{"type":"response".*/.exec(all.journal(id))?.[0] ?? '')?.[1] ?? '';
    expect(own).not.toBe('');
    all.forge(later, all.journal(id).replaceAll(id, later).replaceAll(own, victim));
    const undo = await all.clone().run('undo', later, '--auto-approve');
    expect(undo.stderr).toContain('and the journal comes from git');
    expect(await all.live()).toEqual(['First', 'Second']);
  });
});

test('a run of which git has only the beginning is not said to have changed nothing', async () => {
  const { apply, clone, live, journal, forge } = await setup();
  await apply({ first: 'First' });
  const id = await apply({ first: 'First', second: 'Second' });
  // Its machine died: only what it pushed before its first request is left.
  const [begin = ''] = journal(id).split('\n');
  forge(id, `${begin}\n`);
  const undone = await clone().run('undo', id, '--auto-approve');
  expect(undone.stderr).toContain('which did not end');
  expect(undone.stderr + undone.stdout).not.toContain('changed nothing');
  expect(await live()).toEqual(['First']);
});

describe('a failed run of another machine', () => {
  const before = { first: 'First', second: 'Second', third: 'Third' };
  const wanted = { first: 'Erste', second: 'Zweite', third: 'Dritte', aa: 'Alpha', bb: 'Beta' };
  const refused = (operation: string, skip: number): FaultRule => ({
    type: 'status',
    status: 403,
    operations: [operation],
    skip,
    times: 1,
  });
  const lost = (operation: string, skip: number): FaultRule => ({
    type: 'lost-response',
    operations: [operation],
    skip,
  });
  const failures: Readonly<Record<string, readonly FaultRule[]>> = {
    'a failed create': [refused('teams.create', 4)],
    'a failed update': [refused('teams.update', 1)],
    'a lost response of a create': [lost('teams.create', 3), refused('teams.update', 1)],
    'a lost response of an update': [lost('teams.update', 0), refused('teams.create', 4)],
  };
  const next: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'is reverted': before,
    'is merged again': wanted,
    'is corrected': { ...wanted, aa: 'Alfa', second: 'Second team' },
  };
  const cases = Object.keys(failures).flatMap((failure) => Object.keys(next).map((then) => [failure, then]));

  test.each(cases)(
    'with %s is planned the same on both machines after a commit that %s',
    async (failure = '', then = '') => {
      const { run, apply, merge, clone } = await setup(failures[failure]);
      await apply(before);
      merge(wanted);
      const failed = await run('apply', '--auto-approve', '--record=origin', '--parallelism', '1');
      expect(failed.code, failed.stdout).toBe(1);
      const id = /Undo: octavo undo (\S+)/.exec(failed.stdout + failed.stderr)?.[1] ?? 'none';
      merge(next[then] ?? {});
      const other = clone();
      const [here, there] = [await run('plan'), await other.run('plan')];
      expect(there).toEqual(here);
      expect(here.stdout).not.toContain('outside git');
      const changes = (text: string) => text.split('\n').filter((line) => /^ +[~+-] teams\//.test(line));
      expect(changes((await other.run('plan', '--changed')).stdout)).toEqual(changes(here.stdout));
      if (then !== 'is reverted') return expect(here.stdout).not.toMatch(/\+ teams\/aa/);
      const isLeft = (await other.run('plan', '--show', 'unmanaged')).stdout.includes('Alpha');
      if (!isLeft) return undefined;
      expect(there.stderr).toContain(`run ${id} is not recorded`);
      const applied = await other.run('apply', '--auto-approve', '--record=origin');
      expect(applied.stdout + applied.stderr).toContain('Not recorded');
    },
  );
});
