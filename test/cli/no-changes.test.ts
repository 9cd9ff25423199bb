/** Plans print "No changes" only if they omit no object. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Service } from '../../src/server/index.ts';
import { seed } from '../support/harness.ts';
import { folder, octavo, type Ran } from './octavo.ts';
import { served } from './served.ts';

const whole = 'No changes. Live state matches the manifests.\n';

const manifest = `octavo: 1
organization: { id: org_acme }
members: { ada@acme.dev: { role: admin } }
teams:
  platform: { title: Platform }
  writers: { title: Writers }
samlProviders: {}
sites:
  hub: { title: Hub, shareLinks: {} }
`;

interface Applied {
  readonly cwd: string;
  readonly service: Service;
  readonly run: (...args: string[]) => Promise<Ran>;
  /** Creates or changes an object outside git. */
  readonly send: (method: string, path: string, body: object) => Promise<Record<string, string>>;
}

/** Applies the manifests, and copies them as a base. */
async function applied(text = manifest): Promise<Applied> {
  const { service, env, send } = await served({ seed });
  const cwd = folder({ 'now/acme.yaml': text, 'before/now/acme.yaml': text });
  const run = (...args: string[]) => octavo([...args, '-f', 'now'], { cwd, env });
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  return {
    cwd,
    service,
    run,
    send: (method, path, body) => send(method, `orgs/org_acme/${path}`, body),
  };
}

test('rejects mistyped targets and exclusions with a suggestion', async () => {
  const { run } = await applied();
  const errorFor = async (...args: string[]) => {
    const ran = await run('plan', ...args);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    return ran.stderr;
  };
  expect(await errorFor('--target', 'nope')).toContain(
    'error[no-such-address]: --target nope matches no address',
  );
  expect(await errorFor('--target', 'teams/writer')).toContain('help: did you mean teams/writers?');
  expect(await errorFor('--target', 'team/writers')).toContain('help: did you mean teams/writers?');
  expect(await errorFor('--target', 'site/**')).toContain('help: did you mean sites/**?');
  expect(await errorFor('--target', 'writers')).toContain('help: did you mean teams/writers?');
  expect(await errorFor('--exclude', 'teams/platforms')).toContain(
    '--exclude teams/platforms matches no address',
  );
  const both = await errorFor('--target', 'teams/writers', '--target', 'nope', '--exclude', 'neither');
  expect(both).toContain('2 errors');
  expect(await run('plan', '--target', 'org_acme/teams/writers')).toMatchObject({ code: 0 });
});

test('accepts targets that are unmanaged and to be deleted, or only in the base', async () => {
  const { cwd, run, send } = await applied(
    `${manifest}settings: { pruneKinds: { team: unlisted }, limits: { deletes: 9, deletePercent: null } }\n`,
  );
  const { id } = await send('PUT', 'teams', { title: 'By hand' });
  const pruned = await run('plan', '--target', `teams/id=${id}`);
  expect(pruned).toMatchObject({ code: 0 });
  expect(pruned.stdout).toContain('1 to delete');
  expect((await run('plan', '--target', 'teams/id=nobody')).stderr).toContain('matches no address');
  writeFileSync(join(cwd, 'now/acme.yaml'), manifest.replace('  writers: { title: Writers }\n', ''));
  const removed = await run('plan', '--base', 'before', '--target', 'teams/writers');
  expect(removed.stdout).toContain('- teams/writers');
});

test('declares a partial plan in its first and last line, and in JSON', async () => {
  const { cwd, run } = await applied();
  const changed = manifest
    .replace('Writers', 'Authors, was: Writers')
    .replace('Platform }', 'Infra, was: Platform }');
  for (const [text, flag] of [
    [manifest, '--target'],
    [changed, '--target'],
    [manifest, '--exclude'],
    [changed, '--exclude'],
  ] as const) {
    writeFileSync(join(cwd, 'now/acme.yaml'), text);
    const ran = await run('plan', flag, 'teams/writers');
    const lines = ran.stdout.trimEnd().split('\n');
    const note =
      flag === '--target' ? 'Partial plan: only teams/writers' : 'Partial plan: without teams/writers';
    expect(lines[0]).toContain(note);
    expect(lines.at(-1)).toBe(lines[0]);
    expect(ran.stdout).not.toContain(whole);
    const json = JSON.parse((await run('plan', flag, 'teams/writers', '--format', 'json')).stdout);
    expect(json).toMatchObject({ partial: true });
    expect(json.organizations[0].leftOut).toMatchObject({ [flag.slice(2)]: ['teams/writers'] });
  }
  writeFileSync(join(cwd, 'now/acme.yaml'), changed);
  const targeted = await run('plan', '--target', 'teams/writers');
  expect(targeted.stdout).toContain('Left out: changes of 1 object or more (targets)');
  const excluded = await run('plan', '--exclude', 'teams/writers');
  expect(excluded.stdout).toContain('Left out: changes of 1 object (targets)');
  expect(JSON.parse((await run('plan', '--format', 'json')).stdout)).toMatchObject({ partial: false });
});

test('counts ignored drift and ignored fields', async () => {
  const { cwd, run, send, service } = await applied();
  const team = service.store.every('team').find(({ title }) => title === 'Writers');
  await send('PATCH', `teams/${team?.id}`, { title: 'Crew' });
  const pinned = manifest.replace('{ title: Writers }', `{ title: Writers, id: ${team?.id} }`);
  writeFileSync(join(cwd, 'now/acme.yaml'), pinned);
  writeFileSync(join(cwd, 'before/now/acme.yaml'), pinned);
  const drift = await run('plan', '--base', 'before', '--ignore-drift');
  expect(drift.stdout).toBe(
    'Acme (org_acme)   base before\n\nNo changes to apply.\nLeft out: 1 difference (drift), 3 unmanaged members (--show unmanaged).\n',
  );
  writeFileSync(
    join(cwd, 'now/acme.yaml'),
    pinned.replace('id: team', 'lifecycle: { ignore: [title] }, id: team'),
  );
  const ignored = await run('plan', '--base', 'before');
  expect(ignored.stdout).toBe(
    'Acme (org_acme)   base before\n\nManagement changes (no requests)\n' +
      '  ignored fields of teams/writers: [] → ["title"]\n\n' +
      'No changes to apply.\nLeft out: 1 difference (lifecycle.ignore), 3 unmanaged members (--show unmanaged).\n',
  );
});

test('counts unmanaged objects with and without a base, dangerous ones first', async () => {
  const { run, send, service } = await applied();
  expect((await run('plan', '--base', 'before')).stdout).toContain('Left out: 3 unmanaged members');
  const site = service.store.every('site').find(({ title }) => title === 'Hub');
  await send('POST', `sites/${site?.id}/share-links`, { name: 'Leaked' });
  await send('POST', 'saml', { label: 'Backdoor' });
  await send('PUT', 'teams', { title: 'By hand' });
  await send('PATCH', 'members/user_cyd', { role: 'admin' });
  const expected =
    'Left out: 1 unmanaged administrator, 1 unmanaged share link, 1 unmanaged SAML provider, 2 unmanaged members, 1 unmanaged team';
  for (const base of [[], ['--base', 'before']]) {
    const ran = await run('plan', ...base);
    expect(ran.stdout.replace(/\s+/g, ' ')).toContain(`No changes to apply. ${expected} (--show unmanaged).`);
    const listed = await run('plan', ...base, '--show', 'unmanaged');
    expect(listed.stdout.replace(/\s+/g, ' ')).toMatch(
      /Unmanaged: .* member "cyd@acme.dev" \S+ ! administrator share link "Leaked" \S+ ! anyone .* SAML provider "Backdoor" \S+ ! people can sign in/,
    );
    const json = JSON.parse((await run('plan', ...base, '--format', 'json')).stdout);
    expect(json.organizations[0].unmanaged.map(({ title }: { title: string }) => title)).toHaveLength(6);
  }
});

test('prints "No changes" if no object is omitted', async () => {
  const { run, cwd } = await applied();
  const text = manifest.replace(/members: .*\n/, '');
  for (const file of ['now/acme.yaml', 'before/now/acme.yaml']) writeFileSync(join(cwd, file), text);
  for (const flags of [[], ['--base', 'before'], ['--base', 'before', '--ignore-drift']])
    expect(await run('plan', ...flags)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/No changes\. Live/),
    });
});
