/** Rehearsals from the command line: findings, refusals, and the requests they send. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rehearsalSchema } from '../../src/plan/rehearsal.ts';
import type { Seed } from '../../src/server/index.ts';
import { folder, octavo, type Ran, start } from './octavo.ts';
import { applied, local, planIn, schemaErrors, titles, withTeams } from './plans.ts';
import { served } from './served.ts';

const seed: Seed = {
  organizations: [
    {
      id: 'org_acme',
      title: 'Acme',
      teams: [{ id: 'team_platform', title: 'Platform' }],
      spaces: [{ id: 'sp_guide', title: 'Guide' }],
    },
    { id: 'org_beta', title: 'Beta', spaces: [{ id: 'sp_beta', title: 'Beta guide' }] },
  ],
};

const head = 'octavo: 1\norganization: { id: org_acme }\n';
/** The list of teams is complete and does not include team_gone. */
const impossible = `${head}teams: { platform: { title: Platform }, writers: { title: Writers } }
samlProviders: { okta: { label: Okta, defaultTeam: { id: team_gone } } }
`;
const possible = `${head}teams: { platform: { title: Platform }, writers: { title: Writers } }\n`;

/** A service that records each request, with the manifest in a folder. */
async function serve(
  manifest: string,
  form: 'document' | '2026' = 'document',
): Promise<{
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly requests: string[];
  readonly run: (args: readonly string[]) => Promise<Ran>;
}> {
  const requests: string[] = [];
  const { env } = await served({
    seed,
    form,
    log: (line) => requests.push(line.replace(/ [\d.]+ms.*$/, '')),
  });
  const cwd = folder({ 'acme.yaml': manifest });
  return { cwd, env, requests, run: (args) => octavo(args, { cwd, env }) };
}

test('passes for a plan that converges, and sends the same requests as the plan alone', async () => {
  const { requests, run } = await serve(possible);
  expect((await run(['plan'])).code).toBe(0);
  const alone = requests.splice(0);
  const planned = await run(['plan', '--rehearse']);
  expect(planned).toMatchObject({ code: 0, stderr: '' });
  expect(planned.stdout).toContain('+ teams/writers');
  expect(planned.stdout).toMatch(
    /\nCut at its only request, the apply continues to the same state\.\n✓ Rehearsal passed: 1 step succeeds on a copy of the live state; the next plan is empty\.\n$/,
  );
  expect(requests.sort()).toEqual([...alone].sort());
  const comment = await run(['plan', '--rehearse', '--format', 'markdown']);
  expect(comment.stdout).toContain(
    'Rehearsed. Cut at its only request, the apply continues to the same state.',
  );
});

test('finds an id that the service would reject, without changing the service', async () => {
  const { requests, run } = await serve(impossible);
  expect((await run(['plan'])).code).toBe(0);
  const alone = requests.splice(0);
  const ran = await run(['plan', '--rehearse']);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain(`  ✗ samlProviders/okta (create)
      saml.create failed with status 400: body.defaultTeam: no such team
✗ Rehearsal failed: 1 of 2 steps would fail.
`);
  expect(requests.splice(0).sort()).toEqual([...alone].sort());
  const refused = await run(['apply', '--rehearse', '--auto-approve']);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain('✗ Rehearsal failed: 1 of 2 steps would fail.');
  expect(refused.stderr).toContain('error[rehearsal]: nothing was applied: the rehearsal of the plan failed');
  expect(requests.filter((line) => !line.startsWith('GET '))).toEqual([]);
  expect((await run(['apply', '--auto-approve'])).stdout).toContain('no such team');
});

test('names the requests at which an apply that is cut would end in another state', async () => {
  const { run } = await serve(
    `octavo: 1
organization: { id: org_acme }
settings: { service: { profile: "2026" } }
sites:
  hub: { title: Hub, customization: { pageActions: { items: { add: [markdown] } } } }
`,
    '2026',
  );
  const ran = await run(['plan', '--rehearse']);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain(`
Cut at these requests, the apply would end in another state:
  sites.create (sites/hub): customization of sites/hub: other pageActions.items
If the apply is interrupted there, look at these objects before you apply again.
✓ Rehearsal passed: 3 steps succeed on a copy of the live state; the next plan is empty.
`);
  const planned = await run(['plan', '--rehearse', '--format', 'json']);
  const { rehearsal } = JSON.parse(planned.stdout);
  expect(rehearsalSchema().parse(rehearsal)).toEqual(rehearsal);
  expect(rehearsal.cuts.failures).toMatchObject([{ address: 'sites/hub', operation: 'sites.create' }]);
  const comment = await run(['plan', '--rehearse', '--format', 'markdown']);
  expect(comment.stdout).toContain('**⚠ This plan should not be interrupted**');
});

test('continues with the apply if it passes', async () => {
  const { run } = await serve(possible);
  const ran = await run(['apply', '--rehearse', '--auto-approve']);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain('✓ Rehearsal passed: 1 step');
  expect(ran.stdout).toContain('Applied: 1 created');
  expect((await run(['apply', '--rehearse', '--auto-approve'])).stdout).not.toContain('Rehearsal');
});

test('assumes that unread objects exist, and reports them', async () => {
  const { run } = await serve(
    `${head}samlProviders: { okta: { label: Okta, defaultTeam: { id: team_platform } } }\n`,
  );
  const ran = await run(['plan', '--rehearse']);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain(
    'Not included:\n  team team_platform: not read by the plan, assumed to exist\n',
  );
  expect((await run(['apply', '--auto-approve'])).code).toBe(0);
});

test('knows a space named by its id, on a site, too: the plan has read it', async () => {
  const { run } = await serve(
    `${head}sites: { hub: { title: Hub, visibility: public, spaces: { guide: { space: { id: sp_guide }, path: start } } } }\n`,
  );
  const ran = await run(['plan', '--rehearse']);
  expect(ran.stdout).not.toContain('assumed to exist');
  expect(ran.code).toBe(0);
  expect((await run(['apply', '--auto-approve'])).code).toBe(0);
});

test('is a part of the JSON of a plan', async () => {
  const { run } = await serve(impossible);
  const planned = await run(['plan', '--rehearse', '--format', 'json']);
  expect(planned.code).toBe(1);
  const document = JSON.parse(planned.stdout);
  expect(schemaErrors(document)).toEqual([]);
  const { rehearsal } = document;
  expect(rehearsalSchema().parse(rehearsal)).toEqual(rehearsal);
  expect(rehearsal).toMatchObject({
    converges: false,
    failures: [{ address: 'samlProviders/okta', operation: 'saml.create', phase: 'create' }],
  });
  const refused = await run(['apply', '--rehearse', '--auto-approve', '--format', 'json']);
  expect(JSON.parse(refused.stdout)).toMatchObject({ diagnostics: [{ code: 'rehearsal' }] });
  expect(refused.stderr).toContain('no such team');
});

test('is skipped if the plan is refused', async () => {
  const { run } = await serve('octavo: 1\norganization: { id: org_acme, sso: true }\n');
  const planned = await run(['plan', '--rehearse']);
  expect(planned.code).toBe(3);
  expect(planned.stderr).toMatch(/^Not rehearsed: \d changes? (is|are) refused\./);
});

test('runs for a saved plan and for an undo', async () => {
  const cwd = await applied();
  const more = withTeams({
    platform: '{ title: Platform }',
    writers: '{ title: Writers }',
    new: '{ title: New }',
  });
  writeFileSync(join(cwd, 'acme.yaml'), more);
  const run = (args: readonly string[]) => octavo(args, { cwd, env: local });
  expect(await run(['plan', '--rehearse', '--out', 'plan.json'])).toMatchObject({ code: 0 });
  expect(schemaErrors(planIn(cwd))).toEqual([]);
  const saved = await run(['apply', 'plan.json', '--rehearse']);
  expect(saved.code).toBe(0);
  expect(saved.stdout).toContain('✓ Rehearsal passed: 1 step');
  expect(await titles(cwd)).toContain('New');
  const undone = await run(['undo', '--rehearse', '--auto-approve']);
  expect(undone.code).toBe(0);
  expect(undone.stdout).toContain('✓ Rehearsal passed: 1 step');
  expect(await titles(cwd)).not.toContain('New');
});

test('prevents saving the plan if it fails', async () => {
  const { cwd, run } = await serve(impossible);
  const ran = await run(['plan', '--rehearse', '--out', 'plan.json']);
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('Not saved as plan.json: the rehearsal failed.');
  expect(existsSync(join(cwd, 'plan.json'))).toBe(false);
  writeFileSync(join(cwd, 'acme.yaml'), possible);
  expect(await run(['plan', '--rehearse', '--out', 'plan.json'])).toMatchObject({ code: 0 });
});

test('is aborted by Ctrl-C', async () => {
  const teams = Array.from({ length: 300 }, (_, n) => `  team-${n}: { title: Team ${n} }`);
  const { env, cwd } = await serve(`${head}teams:\n${teams.join('\n')}\n`);
  const running = start(['plan', '--rehearse'], { cwd, env });
  await running.stdout.until('Digest: ');
  running.kill('SIGINT');
  const ran = await running.ended;
  expect(ran.code).toBe(130);
  expect(ran.stdout).not.toContain('Rehearsal');
});

test('covers all organizations together, and names the one that fails', async () => {
  const more = 'octavo: 1\norganization: { id: org_beta }\nteams: { platform: { title: Platform } }\n';
  const { cwd, run } = await serve(impossible);
  writeFileSync(join(cwd, 'beta.yaml'), more);
  const ran = await run(['plan', '--rehearse']);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('✗ org_acme: samlProviders/okta (create)');
  expect(ran.stdout).toContain('1 of 3 steps would fail.');
});

test('is not made of a plan that names a space of another organization', async () => {
  const { run } = await serve(`${head}spaces: { other: { id: sp_beta } }
sites: { hub: { title: Hub, visibility: public, spaces: { other: { space: other } } } }
`);
  const ran = await run(['plan', '--rehearse']);
  expect(ran.stderr).toContain('error[other-organization]: space sp_beta belongs to org_beta');
  expect(ran.code).toBe(1);
});

test('prints no secret from an error of the service', async () => {
  const { cwd, env } = await serve(
    'octavo: 1\norganization: { id: org_acme, emailDomains: ["${secret:DOMAIN}"] }\n',
  );
  const run = (args: readonly string[]) =>
    octavo(args, { cwd, env: { ...env, DOMAIN: 'hunter2 is no domain' } });
  for (const args of [
    ['plan', '--rehearse'],
    ['plan', '--rehearse', '--format', 'json'],
  ]) {
    const ran = await run(args);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('is not a valid domain');
    expect(ran.stdout + ran.stderr).not.toContain('hunter2');
  }
});

test('is a part of the JSON of a run, also if it fails', async () => {
  const { cwd, run } = await serve(impossible);
  const reported = async (args: readonly string[]) => {
    await run([...args, '--format', 'json=report.json']);
    return planIn(cwd, 'report.json');
  };
  const rehearsal = { converges: false, failures: [{ address: 'samlProviders/okta' }] };
  expect(await reported(['plan', '--rehearse'])).toMatchObject({ run: { outcome: 'refused' }, rehearsal });
  expect(await reported(['apply', '--rehearse', '--auto-approve'])).toMatchObject({
    run: { outcome: 'refused', counts: { done: 0 } },
    rehearsal,
  });
});
