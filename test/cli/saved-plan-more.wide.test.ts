/** Saved plans with secrets, with a commit, for several organizations, and interrupted. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, initRepository } from './git.ts';
import { folder, manifest, octavo, start } from './octavo.ts';
import { applied, applySaved, idOf, local, planIn, retitle, save, send, titles, withTeams } from './plans.ts';
import { served } from './served.ts';

test('includes no secret, and apply takes its value from the environment', async () => {
  const certificate = 'hush-1';
  const text = `${manifest}samlProviders:\n  okta: { label: Okta, certificate: "a\${secret:PEM}$\${x}" }\n`;
  const cwd = folder({ 'acme.yaml': text });
  const secret = { ...local, PEM: certificate };
  const planned = await save(cwd, text, ['--verbose'], secret);
  const json = await octavo(['show', 'plan.json', '--format', 'json'], { cwd });
  const shown = await octavo(['show', 'plan.json'], { cwd });
  const missing = await octavo(['apply', 'plan.json'], { cwd, env: local });
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.stderr).toContain('error[missing-secret]: the secret PEM is not set');
  expect(missing.stderr).toContain('set the environment variable PEM');
  expect(await octavo(['apply', 'plan.json'], { cwd, env: { ...local, PEM: '' } })).toMatchObject({
    code: 1,
  });
  const empty = await send(cwd, 'saml.list', 'organizationId=org_acme');
  expect(empty).toMatchObject({ items: [] });

  const done = await octavo(['apply', 'plan.json', '--verbose'], { cwd, env: secret });
  expect(done.code).toBe(0);
  const again = await octavo(['apply', 'plan.json', '--format', 'json'], { cwd, env: secret });
  expect(JSON.parse(again.stdout)).toMatchObject({ run: { outcome: 'complete' } });
  for (const ran of [planned, json, shown, missing, done, again]) {
    expect(`${ran.stdout}${ran.stderr}`).not.toContain('hush');
  }
  expect(readFileSync(join(cwd, 'plan.json'), 'utf8')).not.toContain('hush');
  const live = await send(cwd, 'saml.list', 'organizationId=org_acme');
  expect(live).toMatchObject({ items: [{ label: 'Okta', certificate: 'ahush-1${x}' }] });
  expect(await octavo(['plan', '--detailed-exitcode'], { cwd, env: secret })).toMatchObject({ code: 0 });
});

test('is applied with the current value of a changed secret', async () => {
  const text = `${manifest}samlProviders:\n  okta: { label: Okta, certificate: "\${secret:PEM}" }\n`;
  const cwd = folder({ 'acme.yaml': text });
  await save(cwd, text, [], { ...local, PEM: 'old' });
  expect(await octavo(['apply', 'plan.json'], { cwd, env: { ...local, PEM: 'new' } })).toMatchObject({
    code: 0,
  });
  const live = await send(cwd, 'saml.list', 'organizationId=org_acme');
  expect(live).toMatchObject({ items: [{ certificate: 'new' }] });
});

const two = (acme: string, globex: string) =>
  `octavo: 1\norganization: { id: org_acme }\nteams: { one: { title: ${acme} } }\n---\noctavo: 1\norganization: { id: org_globex }\nteams: { one: { title: ${globex} } }\n`;

test('applies to no organization if one of several has changed', async () => {
  const cwd = await applied(two('One', 'Uno'));
  const moved = two('{ title: First, was: One }', '{ title: Primo, was: Uno }')
    .replaceAll('title: {', '')
    .replaceAll('} }', '}');
  await save(cwd, moved);
  const globex = (await send(cwd, 'teams.list', 'organizationId=org_globex')) as { items: { id: string }[] };
  const team = `teamId=${globex.items[0]?.id}`;
  await send(cwd, 'teams.update', 'organizationId=org_globex', team, '-F', 'title=Other');
  const stale = await applySaved(cwd);
  expect(stale.code).toBe(1);
  expect(stale.stderr).toContain('title was "Uno" and is "Other" now');
  expect(await titles(cwd)).toEqual(['One']);
  await send(cwd, 'teams.update', 'organizationId=org_globex', team, '-F', 'title=Uno');
  const ran = await applySaved(cwd);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain('Applied: 0 created, 2 updated,');
  expect(await titles(cwd)).toEqual(['First']);
});

test('applies to the planned organization, even if another one has its title now', async () => {
  const seed = { organizations: ['org_acme', 'org_other'].map((id) => ({ id, title: `Title of ${id}` })) };
  const text =
    'octavo: 1\norganization: { match: { title: Title of org_acme } }\nteams: { one: { title: One } }\n';
  const cwd = folder({ 'acme.yaml': text, 'seed.json': JSON.stringify(seed) });
  await save(cwd, text, ['--seed', 'seed.json']);
  await send(cwd, 'orgs.update', 'organizationId=org_acme', '-F', 'title=Former');
  await send(cwd, 'orgs.update', 'organizationId=org_other', '-F', 'title=Title of org_acme');
  expect(await applySaved(cwd)).toMatchObject({ code: 0 });
  expect(await titles(cwd)).toEqual(['One']);
  expect(await send(cwd, 'teams.list', 'organizationId=org_other')).toMatchObject({ items: [] });
});

test('finishes the remaining steps after Ctrl-C', async () => {
  const { service, env } = await served({
    faults: [{ operations: ['teams.create'], type: 'latency', milliseconds: 300 }],
  });
  const entries = Array.from({ length: 8 }, (_, at) => `  t${at}: { title: Team ${at} }`).join('\n');
  const text = `octavo: 1\norganization: { id: org_acme, title: Acme Inc }\nteams:\n${entries}\n`;
  const cwd = folder({ 'acme.yaml': text });
  await save(cwd, text, [], env);
  const child = start(['apply', 'plan.json', '--parallelism', '2'], { cwd, env });
  await child.stderr.until('✓ teams');
  child.kill('SIGINT');
  const broken = await child.ended;
  expect(broken.code).toBe(130);
  const made = service.store.every('team').length;
  expect(made).toBeGreaterThan(0);
  expect(made).toBeLessThan(8);
  const rest = await octavo(['apply', 'plan.json'], { cwd, env });
  expect(rest.code).toBe(0);
  expect(rest.stdout).toContain(`Applied: ${8 - made} created,`);
  expect(rest.stdout).toContain('Already done:');
  expect(service.store.every('team')).toHaveLength(8);
  expect(await octavo(['plan', '--detailed-exitcode'], { cwd, env })).toMatchObject({ code: 0 });
});

test('records the commit of the plan with --record', async () => {
  const outer = folder({ 'repo/acme.yaml': manifest });
  const cwd = join(outer, 'repo');
  const env = { OCTAVO_BASE_URL: 'local:../w.db' };
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', 'first');
  const planned = git(cwd, 'rev-parse', 'HEAD');
  await save(cwd, manifest, [], env);
  const recorded = () =>
    JSON.parse(git(cwd, 'cat-file', 'blob', 'refs/octavo/applied/org_acme:applied.json')).commit;
  expect(planIn(cwd)).toMatchObject({ inputs: { commit: planned.trim() } });
  git(cwd, 'commit', '--quiet', '--allow-empty', '-m', 'second');
  writeFileSync(join(cwd, 'acme.yaml'), 'broken: [');
  expect(await octavo(['apply', 'plan.json', '--record'], { cwd, env })).toMatchObject({ code: 0 });
  expect(recorded()).toBe(planned.trim());

  // Uncommitted manifests have no commit to record.
  await save(cwd, manifest.replace('Writers', 'Authors'), [], env);
  expect(planIn(cwd)).not.toMatchObject({ inputs: { commit: expect.anything() } });
  const dirty = await octavo(['apply', 'plan.json', '--record'], { cwd, env });
  expect(dirty.code).toBe(1);
  expect(dirty.stderr).toContain('the manifests differ from the commit that would be recorded');
  renameSync(join(cwd, 'acme.yaml'), join(cwd, 'acme.txt'));
  const alone = await octavo(['apply', 'plan.json', '--record'], { cwd, env });
  expect(alone.stderr).toContain('the plan names no commit to record');
  expect(recorded()).toBe(planned.trim());

  // A repository that lacks the commit of the plan.
  git(cwd, 'checkout', '--quiet', '--', 'acme.yaml');
  await save(cwd, manifest, [], env);
  mkdirSync(join(outer, 'other'));
  git(join(outer, 'other'), 'init', '--quiet');
  renameSync(join(cwd, 'plan.json'), join(outer, 'other', 'plan.json'));
  const foreign = await octavo(['apply', 'plan.json', '--record'], { cwd: join(outer, 'other'), env });
  expect(foreign.code).toBe(1);
  expect(foreign.stderr).toContain('the commit of the plan is not in this repository');

  // Followed: committed, and planned again.
  writeFileSync(join(cwd, 'acme.yaml'), manifest.replace('Writers', 'Authors'));
  git(cwd, 'commit', '--quiet', '-am', 'third');
  await save(cwd, manifest.replace('Writers', 'Authors'), [], env);
  expect(await octavo(['apply', 'plan.json', '--record'], { cwd, env })).toMatchObject({ code: 0 });
  expect(recorded()).toBe(git(cwd, 'rev-parse', 'HEAD').trim());
});

test('records the same as a direct apply, also values of variables in objects that it does not need', async () => {
  const text = (title: string) => `octavo: 1
organization: { id: org_acme, title: Acme }
teams:
  one: { title: "${title}" }
  two: { title: "\${env:TWO}" }
  three: { title: "\${env:THREE}", members: {} }
customFields:
  owner: { type: text, title: "\${env:FIELD}" }
`;
  const records = [];
  for (const way of ['direct', 'saved']) {
    const cwd = join(folder({ 'repo/acme.yaml': text('One') }), 'repo');
    const env = { OCTAVO_BASE_URL: 'local:../w.db', TWO: 'Two', THREE: 'Three', FIELD: 'Owner' };
    initRepository(cwd);
    const commit = () => git(cwd, 'add', '.') + git(cwd, 'commit', '--quiet', '-m', 'all');
    commit();
    const run = async (...args: string[]) =>
      expect(await octavo(args, { cwd, env })).toMatchObject({ code: 0 });
    await run('apply', '--auto-approve', '--record');
    writeFileSync(join(cwd, 'acme.yaml'), text('Uno'));
    commit();
    if (way === 'direct') await run('apply', '--auto-approve', '--record');
    else {
      await run('plan', '--out', 'plan.json');
      rmSync(join(cwd, 'acme.yaml'));
      await run('apply', 'plan.json', '--record');
      git(cwd, 'checkout', '--quiet', '.');
    }
    const record = git(cwd, 'cat-file', 'blob', 'refs/octavo/applied/org_acme:applied.json');
    const { ids, inputs, pending } = JSON.parse(record);
    records.push({ ids: Object.keys(ids), inputs: Object.keys(inputs.digests), pending });
    expect(records.at(-1)?.inputs).toHaveLength(3);
    // A changed variable is then a change, also of an object that the plan did not need.
    const next = await octavo(['plan'], { cwd, env: { ...env, TWO: 'Deux', FIELD: 'Holder' } });
    expect(next.stdout).not.toContain('outside git');
    expect(next.stdout).toContain('Plan: 0 to create, 2 to update');
  }
  expect(records[1]).toEqual(records[0]);
});

test('keeps deletions and causes from a base that no longer exists', async () => {
  const cwd = await applied();
  mkdirSync(join(cwd, '..', `${cwd.split('/').at(-1)}-before`));
  const before = `${cwd}-before`;
  writeFileSync(join(before, 'acme.yaml'), manifest);
  const text = manifest.replace('title: Platform', 'title: Infrastructure').replace(/ {2}writers.*\n/, '');
  const planned = await save(cwd, text, ['--base', before]);
  expect(planned.stdout).toContain('Plan: 0 to create, 1 to update, 0 to move, 0 to replace, 1 to delete.');
  execFileSync('rm', ['-r', before]);
  expect(existsSync(before)).toBe(false);
  const ran = await applySaved(cwd);
  expect(ran.code).toBe(0);
  expect(ran.stdout.startsWith(planned.stdout)).toBe(true);
  expect(await titles(cwd)).toEqual(['Infrastructure']);
  expect(await applySaved(cwd)).toMatchObject({ code: 0 });
});

test('does not delete an object whose title changed', async () => {
  const cwd = await applied(manifest, { 'before/base.txt': '' });
  writeFileSync(join(cwd, 'before/acme.yaml'), manifest);
  await save(cwd, manifest.replace(/ {2}writers.*\n/, ''), ['-f', 'acme.yaml', '--base', 'before']);
  await retitle(cwd, 'Writers', 'Authors');
  const stale = await applySaved(cwd);
  expect(stale.code).toBe(1);
  expect(stale.stderr).toContain('the team to delete has changed');
  await retitle(cwd, 'Authors', 'Writers');
  expect(await applySaved(cwd)).toMatchObject({ code: 0 });
  expect(await titles(cwd)).toEqual(['Platform']);
  expect(await applySaved(cwd)).toMatchObject({ code: 0 });
});

test('keeps drift that --ignore-drift excludes, even if the run changes the title', async () => {
  const people = [
    { id: 'user_ada', email: 'ada@acme.dev', role: 'admin' },
    { id: 'user_bob', email: 'bob@acme.dev', role: 'read' },
  ];
  const seed = JSON.stringify({ organizations: [{ id: 'org_acme', title: 'Acme', members: people }] });
  const before = withTeams({ red: '{ title: Red, members: { ada@acme.dev: member } }' });
  const after = withTeams({
    red: '{ title: Crimson, members: { ada@acme.dev: member } }',
    blue: '{ title: Blue }',
  });
  for (const how of ['saved', 'at once']) {
    const cwd = await applied(before, { 'seed.json': seed, 'before/base.txt': '' });
    writeFileSync(join(cwd, 'before/acme.yaml'), before);
    writeFileSync(join(cwd, 'add.json'), '{ "add": ["user_bob"] }');
    const team = ['organizationId=org_acme', `teamId=${await idOf(cwd, 'Red')}`];
    await send(cwd, 'teams.updateMembers', ...team, '--input', 'add.json');
    const flags = ['-f', 'acme.yaml', '--base', 'before', '--ignore-drift'];
    await save(cwd, after, flags);
    const ran =
      how === 'saved'
        ? await applySaved(cwd)
        : await octavo(['apply', '--auto-approve', ...flags], { cwd, env: local });
    expect(ran.code).toBe(0);
    expect(await titles(cwd)).toEqual(['Blue', 'Crimson']);
    expect(await send(cwd, 'teams.listMembers', ...team)).toMatchObject({ count: 2 });
    if (how === 'saved') expect(await applySaved(cwd)).toMatchObject({ code: 0 });
    expect(await send(cwd, 'teams.listMembers', ...team)).toMatchObject({ count: 2 });
  }
});

test('includes only the objects that it needs', async () => {
  const many = (count: number, entry: (at: number) => string) =>
    Array.from({ length: count }, (_one, at) => `  ${entry(at)}\n`).join('');
  const text = `octavo: 1
organization: { id: org_acme, title: Acme }
teams:
${many(20, (at) => `t${at}: { title: Team ${at} }`)}translations:
${many(150, (at) => `l${at}: { title: Language ${at} }`)}customFields:
${many(150, (at) => `f${at}: { type: text, title: Field ${at} }`)}`;
  const cwd = await applied(text);
  const changed = text.replace('Team 7 ', 'Team seven ');
  await save(cwd, changed.replace('title: Team seven', 'title: Team seven, was: Team 7'));
  const saved = readFileSync(join(cwd, 'plan.json'), 'utf8');
  expect(saved).toContain('Team seven');
  expect(saved).not.toMatch(/Language \d|Field \d/);
  expect(saved.length).toBeLessThan(25_000);
  expect(await octavo(['apply', 'plan.json'], { cwd, env: local })).toMatchObject({ code: 0 });
  expect(await octavo(['plan', '--detailed-exitcode'], { cwd, env: local })).toMatchObject({ code: 0 });
});
