/** Rules of a repository: the changes they apply to, their output in each format, and attempts to evade them from a checkout. */
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { shippedRules } from '../../src/kinds/rules/rules.ts';
import { git, initRepository } from '../cli/git.ts';
import { folder, octavo, root } from '../cli/octavo.ts';

const env = { OCTAVO_BASE_URL: 'local:acme.db' };

/** Text that starts with a comma continues the organization. */
const manifest = (rest: string) => `octavo: 1
organization: { id: org_acme, title: Acme${rest.startsWith(',') ? rest : ' }'}
settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } }
${rest.startsWith(',') ? '' : rest}`;

/** A repository whose manifests are applied, and whose rules are committed with them. */
async function repository(before: string, rules?: string) {
  const cwd = folder({
    'docs/acme.yaml': manifest(before),
    ...(rules === undefined ? {} : { 'octavo.rules.yaml': rules }),
    '.gitignore': 'acme.db*\n.octavo\n',
  });
  initRepository(cwd);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', 'before');
  // Existing objects were applied without rules.
  const file = join(cwd, 'octavo.rules.yaml');
  if (rules !== undefined) rmSync(file);
  const applied = await octavo(['apply', '-f', 'docs', '--base', 'none', '--auto-approve'], { cwd, env });
  expect(applied.code, applied.stderr).toBe(0);
  if (rules !== undefined) writeFileSync(file, rules);
  const plan = (args: readonly string[] = [], more: Readonly<Record<string, string>> = {}) =>
    octavo(['plan', '-f', 'docs', ...(args.includes('--base') ? [] : ['--base', 'HEAD']), ...args], {
      cwd,
      env: { ...env, ...more },
    });
  return {
    cwd,
    plan,
    change: (after: string) => writeFileSync(join(cwd, 'docs/acme.yaml'), manifest(after)),
    data: async (args: readonly string[] = []) =>
      JSON.parse((await plan(['--format', 'json', ...args])).stdout) as {
        digest: string;
        organizations: {
          refusals: { guard: string; rule?: string; address: string; steps: string[]; skipped?: true }[];
          findings?: { rule: string; address: string; lifted?: { by: string; why: string } }[];
          steps: { address: string }[];
        }[];
      },
  };
}

const hub = (rest = '') => `sites:\n  hub: { title: Hub, type: basic, visibility: unlisted${rest} }\n`;
const status = '  status: { title: Status, type: basic, visibility: unlisted }\n';

test('a shipped rule is off by default, and enabled by its name', async () => {
  const off = await repository(hub() + status);
  off.change(hub());
  expect((await off.plan()).code).toBe(0);
  const on = await repository(hub() + status, 'rules: { no-site-deletes: {} }\n');
  on.change(hub());
  const { code, stdout } = await on.plan();
  expect(code).toBe(3);
  expect(stdout).toContain('  Rules  1 refuses: no-site-deletes\n');
  expect(stdout).toContain('no-site-deletes: a site would be deleted');
  expect(stdout).toMatch(/the rule is in octavo\.rules\.yaml:1 at [0-9a-f]{7}/);
  const apply = await octavo(['apply', '-f', 'docs', '--base', 'HEAD', '--auto-approve'], {
    cwd: on.cwd,
    env,
  });
  expect(apply.code).toBe(1);
});

test('names the violated rule in each format', async () => {
  const { plan, change } = await repository(
    hub() + status,
    'rules: { no-site-deletes: {}, no-public-sites: { severity: warning } }\n',
  );
  change(hub().replace('unlisted', 'public'));
  for (const format of ['text', 'markdown', 'html', 'json', 'github']) {
    const { stdout, code } = await plan(['--format', format]);
    expect(code, format).toBe(3);
    expect(stdout, format).toContain('no-site-deletes');
  }
  for (const format of ['text', 'markdown', 'html', 'json'])
    expect((await plan(['--format', format])).stdout, format).toContain('no-public-sites');
});

test('a rule with severity warning refuses no change', async () => {
  const { plan, change } = await repository(hub(), 'rules: { no-public-sites: { severity: warning } }\n');
  change(hub().replace('unlisted', 'public'));
  const { code, stdout } = await plan();
  expect(code).toBe(0);
  expect(stdout).toContain('no-public-sites warns: a site would become public');
});

test('--skip-refused omits changes that a rule refuses', async () => {
  const { data, change } = await repository(hub() + status, 'rules: { no-site-deletes: {} }\n');
  change(hub().replace('title: Hub', 'title: Handbook'));
  const [plan] = (await data(['--skip-refused'])).organizations;
  expect(plan?.refusals).toMatchObject([{ guard: 'rules', rule: 'no-site-deletes', skipped: true }]);
  expect(plan?.steps.map(({ address }) => address)).toEqual(['sites/hub']);
});

test('the digest includes which rule refuses a change', async () => {
  const rules = 'rules: { a: { when: { kind: site }, message: no } }\n';
  const { data, change, cwd } = await repository(hub(), rules);
  change(hub().replace('title: Hub', 'title: Handbook'));
  const first = await data();
  writeFileSync(join(cwd, 'octavo.rules.yaml'), rules.replace('a:', 'b:'));
  git(cwd, 'commit', '--quiet', '-m', 'rules', 'octavo.rules.yaml');
  expect((await data()).digest).not.toBe(first.digest);
});

const strict = 'rules: { nothing: { when: { address: "**" }, message: nothing may change } }\n';

test.each([
  ['empty', 'rules: {}\n'],
  ['another rule', 'rules: { small-plans: {} }\n'],
  ['the same rule as a warning', strict.replace('message', 'severity: warning, message')],
  ['gone', undefined],
])('rules changed in the checkout do not apply to its plan: %s', async (_what, text) => {
  const { plan, change, cwd } = await repository(hub(), strict);
  change(hub().replace('title: Hub', 'title: Handbook'));
  const file = join(cwd, 'octavo.rules.yaml');
  if (text === undefined) rmSync(file);
  else writeFileSync(file, text);
  const { code, stdout, stderr } = await plan();
  expect(code).toBe(3);
  expect(stdout).toContain('nothing: nothing may change');
  expect(stderr).toContain('differs from the base');
  // The same for rules that are committed, or in another folder.
  git(cwd, 'commit', '--quiet', '--allow-empty', '-am', 'after');
  writeFileSync(join(cwd, 'docs/octavo.rules.yaml'), 'rules: {}\n');
  const later = await plan(['--base', 'HEAD~1']);
  expect(later.code, later.stderr).toBe(3);
});

test.each<[what: string, files: Readonly<Record<string, string>>]>([
  ['no base', { 'octavo.config.yaml': 'base: none\n' }],
  ['itself as the base', { 'octavo.config.yaml': 'base: HEAD\n' }],
  ['a base without rules', { 'octavo.config.yaml': 'base: HEAD~2\n' }],
  [
    'a folder with other rules',
    {
      'octavo.config.yaml': 'base: old\n',
      'old/docs/acme.yaml': manifest(hub()),
      'old/octavo.rules.yaml': 'rules: {}\n',
    },
  ],
  [
    'another name of the organization',
    {
      'docs/acme.yaml': manifest(hub())
        .replace('{ id: org_acme, title: Acme }', '{ match: { title: Acme } }')
        .replace('Hub', 'Handbook'),
    },
  ],
])('a checkout cannot evade rules of the last apply with %s', async (_what, files) => {
  const { cwd } = await repository(hub());
  writeFileSync(join(cwd, 'octavo.rules.yaml'), strict);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', 'rules');
  const applied = await octavo(['apply', '-f', 'docs', '--record', '--auto-approve'], { cwd, env });
  expect(applied.code, applied.stderr).toBe(0);
  rmSync(join(cwd, 'octavo.rules.yaml'));
  writeFileSync(join(cwd, 'docs/acme.yaml'), manifest(hub().replace('title: Hub', 'title: Handbook')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '--quiet', '-m', 'evade');
  const planned = await octavo(['plan', '-f', 'docs'], { cwd, env });
  expect(planned.code, planned.stderr + planned.stdout).toBe(3);
  expect(planned.stdout).toContain('nothing: nothing may change');
});

test('an organization with a label that the base lacks is subject to the rules of the base', async () => {
  const { plan, cwd } = await repository(hub(), strict);
  rmSync(join(cwd, 'octavo.rules.yaml'));
  const renamed = manifest(hub()).replace('{ id: org_acme, title: Acme }', '{ match: { title: Acme } }');
  writeFileSync(join(cwd, 'docs/acme.yaml'), renamed.replace('title: Hub', 'title: Handbook'));
  const planned = await plan();
  expect(planned.code, planned.stderr + planned.stdout).toBe(3);
});

test('the remote is searched for records once, also without a record', async () => {
  const { cwd } = await repository(hub());
  const outer = folder({});
  git(outer, 'init', '--quiet', '--bare', 'origin.git');
  git(cwd, 'remote', 'add', 'origin', join(outer, 'origin.git'));
  const log = join(outer, 'log');
  writeFileSync(
    join(outer, 'git'),
    `#!/bin/sh\necho "$@" >> '${log}'\nPATH='${process.env.PATH}' exec git "$@"\n`,
  );
  chmodSync(join(outer, 'git'), 0o755);
  const PATH = `${outer}:${process.env.PATH}`;
  const planned = await octavo(['plan', '-f', 'docs'], { cwd, env: { ...env, PATH } });
  expect(planned.code, planned.stderr).toBe(0);
  expect(readFileSync(log, 'utf8').match(/ls-remote/g)).toHaveLength(1);
});

test('an unreachable remote does not cause the rules of the work tree to apply', async () => {
  const { cwd } = await repository(hub(), 'rules: {}\n');
  git(cwd, 'remote', 'add', 'origin', join(folder({}), 'gone.git'));
  for (const args of [['plan'], ['plan', '--base', 'applied'], ['apply', '--auto-approve'], ['drift']]) {
    const ran = await octavo([...args, '-f', 'docs'], { cwd, env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('cannot read records from origin');
    expect(ran.stderr).toContain('--offline');
  }
  expect((await octavo(['plan', '-f', 'docs', '--offline'], { cwd, env })).code).toBe(0);
});

test('new rules apply after they are in the base', async () => {
  const { plan, change, cwd } = await repository(hub());
  change(hub().replace('title: Hub', 'title: Handbook'));
  writeFileSync(join(cwd, 'octavo.rules.yaml'), strict);
  const first = await plan();
  expect(first.code).toBe(0);
  expect(first.stderr).toContain('octavo.rules.yaml is new: it applies to no plan until it is in the base');
  git(cwd, 'add', 'octavo.rules.yaml');
  git(cwd, 'commit', '--quiet', '-m', 'rules');
  expect((await plan()).code).toBe(3);
});

test('the rules in the record of the last apply are used by default', async () => {
  const { change, cwd } = await repository(hub());
  writeFileSync(join(cwd, 'octavo.rules.yaml'), strict);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', 'rules');
  const record = ['apply', '-f', 'docs', '--record', '--auto-approve'];
  const applied = await octavo(record, { cwd, env });
  expect(applied.code, applied.stderr).toBe(0);
  rmSync(join(cwd, 'octavo.rules.yaml'));
  change(hub().replace('title: Hub', 'title: Handbook'));
  git(cwd, 'commit', '--quiet', '-am', 'without rules');
  expect((await octavo(['plan', '-f', 'docs'], { cwd, env })).code).toBe(3);
});

test('rules next to the manifests apply without a base and without git', async () => {
  const cwd = folder({ 'acme.yaml': manifest(hub()), 'octavo.rules.yaml': strict });
  const planned = await octavo(['plan'], { cwd, env: { OCTAVO_BASE_URL: 'local' } });
  expect(planned.code, planned.stderr).toBe(3);
  expect(planned.stdout).toContain('the rule is in octavo.rules.yaml:1\n');
});

test('a base in a folder applies its own rules', async () => {
  const { plan, change, cwd } = await repository(hub());
  change(hub().replace('title: Hub', 'title: Handbook'));
  const base = folder({ 'docs/acme.yaml': manifest(hub()), 'octavo.rules.yaml': strict });
  const planned = await plan(['--base', base]);
  expect(planned.code, planned.stderr).toBe(3);
  expect(readFileSync(join(cwd, 'docs/acme.yaml'), 'utf8')).toContain('Handbook');
});

test('invalid rules of the base are replaced only by valid ones in the checkout', async () => {
  const broken = 'rules: { nothing: { when: { kind: sites }, message: no } }\n';
  const { plan, change, cwd } = await repository(hub());
  writeFileSync(join(cwd, 'octavo.rules.yaml'), broken);
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '-m', 'broken');
  change(hub().replace('title: Hub', 'title: Handbook'));
  const stuck = await plan();
  expect(stuck.code).toBe(1);
  expect(stuck.stderr).toContain('octavo.rules.yaml:1:');
  writeFileSync(join(cwd, 'octavo.rules.yaml'), strict);
  expect((await plan()).code).toBe(3);
  rmSync(join(cwd, 'octavo.rules.yaml'));
  expect((await plan()).code).toBe(1);
});

test('invalid rules in the checkout are an error before they are in the base', async () => {
  const { plan, cwd } = await repository(hub(), strict);
  writeFileSync(join(cwd, 'octavo.rules.yaml'), 'rules: { no-site-delete: {} }\n');
  const planned = await plan();
  expect(planned.code).toBe(1);
  expect(planned.stderr).toContain('did you mean no-site-deletes?');
});

test('all problems of a file are reported together, with their positions', async () => {
  const cwd = folder({
    'acme.yaml': manifest(''),
    'octavo.rules.yaml': `rules:
  no-site-delete: {}
  fields: { when: { kind: site, field: visibilty }, message: x }
  wrong: { when: { kind: site }, require: "after.title ==", message: x }
  everything: { message: x }
  lifted: { when: { action: delete }, exempt: {}, message: x }
  kinds: { when: { kind: sites }, message: x }
  keys: { when: { kind: site }, requires: "a", message: x }
---
rules: {}
`,
  });
  const { code, stderr } = await octavo(['validate'], { cwd });
  expect(code).toBe(1);
  for (const place of ['2:3', '3:40', '4:43', '5:3', '6:47', '7:26', '8:33', '10:1'])
    expect(stderr, stderr).toContain(`octavo.rules.yaml:${place}`);
  expect(stderr).toContain('8 errors');
});

test('a comment fits its limit with any number of violated rules', async () => {
  const rule = (at: number) =>
    `  r${at}-${'x'.repeat(50)}: { when: { kind: site }, severity: ${at % 2 === 0 ? 'warning' : 'error'}, message: "${'<b>`m`'.repeat(49)} ${at}" }\n`;
  const many = Array.from({ length: 400 }, (_one, at) => rule(at)).join('');
  const { plan, change } = await repository(hub(), `rules:\n${many}`);
  change(hub().replace('title: Hub', 'title: Handbook'));
  const { stdout, code } = await plan(['--format', 'markdown']);
  expect(code).toBe(3);
  expect(Buffer.byteLength(stdout)).toBeLessThan(65_536);
  expect(stdout).toMatch(/200 refuse: r1-x+, .* and 190 more · 200 warn/);
});

test('a symbolic link is not followed', async () => {
  const { plan, cwd } = await repository(hub());
  writeFileSync(join(cwd, 'elsewhere'), 'secret: text\n');

  symlinkSync(join(cwd, 'elsewhere'), join(cwd, 'octavo.rules.yaml'));
  const planned = await plan();
  expect(planned.code).toBe(1);
  expect(planned.stderr).toContain('octavo.rules.yaml is not a regular file but a symbolic link');
  expect(planned.stderr).not.toContain('secret');
});

test('a pattern cannot read a secret', async () => {
  const { cwd, plan } = await repository(
    hub(),
    'rules: { leak: { when: { kind: samlProvider, field: label }, require: { after: { label: { not: "hunter?" } } }, message: no } }\n',
  );
  writeFileSync(
    join(cwd, 'docs/saml.yaml'),
    'octavo: 1\norganization: org_acme\nsamlProviders:\n  okta: { label: "${secret:LABEL}", entityID: a, ssoURL: https://a.dev, certificate: c }\n',
  );
  for (const LABEL of ['hunter2', 'another']) {
    const planned = await plan([], { LABEL });
    expect(planned.stdout).toContain('leak: no');
    expect(planned.stdout + planned.stderr).not.toContain(LABEL);
  }
});

test('rules apply to objects that are deleted with their parent', async () => {
  const { data, change } = await repository(
    `${hub(', shareLinks: { partners: { name: Partners } }')}${status}`,
    'rules: { links: { when: { kind: shareLink, action: delete }, message: no } }\n',
  );
  change(`sites:\n${status}`);
  const [plan] = (await data()).organizations;
  expect(plan?.refusals).toMatchObject([
    { guard: 'rules', address: expect.stringMatching(/^sites.hub.shareLinks/), steps: ['sites/hub#delete'] },
  ]);
});

const okta =
  '\nsamlProviders: { okta: { label: Okta, entityID: http://a.dev, ssoURL: https://a.dev, certificate: c } }\n';

/** For each shipped rule: the state before, a change it refuses, and one it allows. */
const cases: Readonly<Record<string, readonly [before: string, bad: string, good: string]>> = {
  'no-site-deletes': [hub() + status, hub(), hub().replace('Hub', 'Handbook') + status],
  'no-space-deletes': [
    'collections: { a: { title: A }, b: { title: B } }\n',
    'collections: { a: { title: A } }\n',
    'collections: { a: { title: A2 }, b: { title: B } }\n',
  ],
  'no-public-sites': [
    hub(),
    hub().replace('unlisted', 'public'),
    hub().replace('title: Hub', 'title: Public'),
  ],
  'no-new-share-links': [
    hub(),
    hub(', shareLinks: { a: { name: A } }'),
    hub(', shareLinks: { a: { name: A, active: false } }'),
  ],
  'no-new-admins': ['', ', defaultRole: admin }', 'teams: { a: { title: A } }\n'],
  'no-open-defaults': [
    '',
    'collections: { a: { title: A, defaultLevel: edit } }\n',
    'collections: { a: { title: A, defaultLevel: read } }\n',
  ],
  'sso-only': [
    `, sso: true }${okta}`,
    `, sso: false }${okta}`,
    `, sso: true }${okta.replace('label: Okta', 'label: Main')}`,
  ],
  'teams-have-owners': [
    '',
    'teams: { a: { title: A, members: { owner@octavo.example: member } } }\n',
    'teams: { a: { title: A, members: { owner@octavo.example: owner } } }\n',
  ],
  'keep-addresses': [hub(), hub(), hub()],
  'small-plans': [
    '',
    `teams:\n${Array.from({ length: 51 }, (_one, at) => `  t${at}: { title: T${at} }\n`).join('')}`,
    `teams:\n${Array.from({ length: 50 }, (_one, at) => `  t${at}: { title: T${at} }\n`).join('')}`,
  ],
};

test('each shipped rule has a case', () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(shippedRules).sort());
});

test.each(Object.entries(cases))(
  '%s refuses its bad case, and allows its good one',
  async (name, [before, bad, good]) => {
    const { data, change } = await repository(before, `rules: { ${name}: {} }\n`);
    const named = async (after: string) => {
      change(after);
      return (await data()).organizations.flatMap(({ refusals }) =>
        refusals.flatMap(({ rule }) => rule ?? []),
      );
    };
    if (bad !== good) expect(new Set(await named(bad))).toEqual(new Set([name]));
    expect(await named(good)).toEqual([]);
  },
);

test('the example includes its policies as rules', async () => {
  const rules = readFileSync(join(root, 'examples/policies/octavo.rules.yaml'), 'utf8');
  const { plan, change } = await repository(hub() + status, rules);
  change(hub().replace('unlisted', 'public'));
  const { stdout, code } = await plan();
  expect(code).toBe(3);
  expect(stdout).toContain('Rules  2 refuse: no-site-deletes, nothing-public');
  expect(stdout.replace(/\s+/g, ' ')).toContain('the label allow-site-deletes on the pull request lifts it');
});

const twoOrganizations = JSON.stringify({
  organizations: [
    { id: 'org_acme', title: 'Acme' },
    { id: 'org_globex', title: 'Globex' },
  ],
});
const noPublic = 'rules: { no-public-sites: {} }\n';

test.each<[what: string, change: (cwd: string) => void]>([
  [
    'a link to the rules themselves',
    (cwd) => {
      mkdirSync(join(cwd, 'config'));
      git(cwd, 'mv', 'octavo.rules.yaml', 'config/octavo.rules.yaml');
      symlinkSync('config/octavo.rules.yaml', join(cwd, 'octavo.rules.yaml'));
    },
  ],
  [
    'a pointer of LFS',
    (cwd) =>
      writeFileSync(
        join(cwd, 'octavo.rules.yaml'),
        'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
      ),
  ],
  [
    'a folder',
    (cwd) => {
      rmSync(join(cwd, 'octavo.rules.yaml'));
      mkdirSync(join(cwd, 'octavo.rules.yaml'));
      writeFileSync(join(cwd, 'octavo.rules.yaml/keep'), '');
    },
  ],
])('%s is an error in the work tree and in the base, never "new here"', async (_what, change) => {
  const { cwd, plan } = await repository(hub(), noPublic);
  change(cwd);
  for (const command of [['validate'], ['plan', '-f', 'docs', '--base', 'HEAD']]) {
    const { code, stderr } = await octavo(command, { cwd, env });
    expect(code, stderr).toBe(1);
    expect(stderr).toContain('octavo.rules.yaml');
  }
  // After a merge it is the base: the repaired file of the checkout applies, and the plan reports this.
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '--quiet', '-m', 'rules of another form');
  expect((await plan()).code).toBe(1);
  rmSync(join(cwd, 'octavo.rules.yaml'), { recursive: true });
  expect((await plan()).code).toBe(1);
  writeFileSync(join(cwd, 'octavo.rules.yaml'), noPublic);
  writeFileSync(join(cwd, 'docs/acme.yaml'), manifest(hub().replace('unlisted', 'public')));
  for (const format of ['text', 'markdown', 'html', 'json']) {
    const { stdout, stderr, code } = await plan(['--format', format]);
    expect(code, format).toBe(3);
    expect(stdout.replace(/\s+/g, ' '), format).toMatch(
      /is not valid, so the rules of this checkout apply: no-public-sites/,
    );
    expect(stderr).not.toContain('new here');
  }
});

test('rules of the newest applied commit in history apply to all organizations, independent of clocks', async () => {
  const cwd = folder({
    'docs/a.yaml':
      'octavo: 1\norganization: { id: org_acme }\nsites: { status: { title: Status, visibility: unlisted } }\n',
    'docs/b.yaml': 'octavo: 1\norganization: { id: org_globex }\nteams: { x: { title: Support } }\n',
    'seed.json': twoOrganizations,
    '.gitignore': 'acme.db*\n.octavo\n',
  });
  await octavo(['api', 'orgs.list', '--seed', 'seed.json'], { cwd, env });
  initRepository(cwd);
  const commit = (message: string) => {
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '--quiet', '-m', message);
  };
  const apply = async (file: string, now?: string) => {
    const args = ['apply', '-f', file, '--record', '--auto-approve'];
    const ran = await octavo(args, {
      cwd,
      env,
      ...(now === undefined ? {} : { now: () => Date.parse(now) }),
    });
    expect(ran.code, ran.stderr).toBe(0);
  };
  commit('one');
  await apply('docs/b.yaml', '2036-01-01T00:00:00Z');
  await apply('docs/a.yaml');
  writeFileSync(join(cwd, 'octavo.rules.yaml'), noPublic);
  commit('rules');
  writeFileSync(
    join(cwd, 'docs/b.yaml'),
    'octavo: 1\norganization: { id: org_globex }\nteams: { x: { title: Help } }\n',
  );
  commit('b');
  await apply('docs/b.yaml', '2020-01-01T00:00:00Z');
  const file = join(cwd, 'docs/a.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('unlisted', 'public'));
  for (const of of ['docs/a.yaml', 'docs']) {
    const { code, stdout, stderr } = await octavo(['plan', '-f', of], { cwd, env });
    expect(code, stdout + stderr).toBe(3);
    expect(stdout).toContain('1 refuses: no-public-sites');
  }
});

test('rejects records on different branches, since no commit includes all rules', async () => {
  const cwd = folder({
    'docs/acme.yaml': manifest(hub()),
    'octavo.rules.yaml': noPublic,
    'seed.json': twoOrganizations,
    '.gitignore': 'acme.db*\n.octavo\nseed.json\n',
  });
  await octavo(['api', 'orgs.list', '--seed', 'seed.json'], { cwd, env });
  initRepository(cwd);
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '--quiet', '-m', 'one');
  const applied = await octavo(
    ['apply', '-f', 'docs', '--base', 'HEAD', '--record', '--auto-approve', '--skip-refused'],
    { cwd, env },
  );
  expect(applied.stderr).toContain('Recorded');
  git(cwd, 'checkout', '--quiet', '--orphan', 'other');
  rmSync(join(cwd, 'octavo.rules.yaml'));
  rmSync(join(cwd, 'docs'), { recursive: true });
  writeFileSync(join(cwd, 'globex.yaml'), 'octavo: 1\norganization: { id: org_globex }\n');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '--quiet', '-m', 'other');
  const refused = await octavo(
    ['apply', '-f', 'globex.yaml', '--base', 'none', '--record', '--auto-approve'],
    { cwd, env },
  );
  expect(refused.code, refused.stderr).toBe(0);
  const planned = await octavo(['plan', '-f', 'globex.yaml'], { cwd, env });
  expect(planned.code).toBe(1);
  expect(planned.stderr).toContain('are on different branches');
  expect(planned.stderr).toContain('--base');
});

test.each(['octavo.rules.yml', 'Octavo.Rules.yaml', 'octavo.config.yml', 'OCTAVO.config.yaml'])(
  'a file named %s is rejected by each command that would read the right name',
  async (name) => {
    const { cwd } = await repository(hub());
    writeFileSync(join(cwd, name), name.includes('onfig') ? 'file: docs\n' : noPublic);
    for (const command of [
      ['validate', '-f', 'docs'],
      ['plan', '-f', 'docs'],
      ['apply', '-f', 'docs', '--auto-approve'],
    ]) {
      const { code, stderr } = await octavo(command, { cwd, env });
      expect(code, command.join(' ')).toBe(1);
      expect(stderr).toContain(`${name} is not read`);
    }
  },
);
