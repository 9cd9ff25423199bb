/** Help that names the cause, and that works when it is followed. */
import { expect, test } from 'vitest';
import { folder, octavo } from './octavo.ts';

const head = 'octavo: 1\norganization: org_acme\n';
const spaces = '{ main: { space: { id: sp_x } } }';
const site = (more: string, sections: string) =>
  `${head}sites:\n  hub:\n    title: Hub\n${more}    sections:\n${sections}`;
const api = (more = '') => `      api: { title: API, path: api, spaces: ${spaces}${more} }\n`;

/** Manifest with a default at the wrong place, the help, and the manifest after the help was followed. */
const defaults: readonly (readonly [what: string, wrong: string, help: string, right: string])[] = [
  [
    'a section',
    site('', api(', default: true')),
    'at sites/hub: the site names its default, with default: api',
    site('    default: api\n', api()),
  ],
  [
    'a section group',
    site('', `      more: { title: More, default: true, sections: {\n  ${api().trimEnd()} } }\n`),
    'at sites/hub: the site names its default, with default: more',
    site('    default: more\n', `      more: { title: More, sections: {\n  ${api().trimEnd()} } }\n`),
  ],
  [
    'a site-space',
    site('', api().replace('sp_x }', 'sp_x }, default: true')),
    'at sites/hub/sections/api: the section names its default, with default: main',
    site('', api(', default: main')),
  ],
  [
    'the sections',
    site('', `      default: api\n${api()}`),
    'at sites/hub: the site names its default, with default: api',
    site('    default: api\n', api()),
  ],
];

test.each(defaults)('says where the default of %s is named', async (what, wrong, help, right) => {
  const cwd = folder({ 'm.yaml': wrong });
  const refused = await octavo(['validate'], { cwd });
  expect(refused.code).toBe(1);
  expect(refused.stderr.replace(/\s+/g, ' ')).toContain(`help: write it ${help}`);
  const followed = await octavo(['validate'], { cwd: folder({ 'm.yaml': right }) });
  // A group has no page of its own, so the default must be in it.
  expect(followed.code).toBe(what === 'a section group' ? 1 : 0);
});

const team = (title: string, members = '') => `${head}teams:\n  crew: { title: ${title}${members} }\n`;

/** A manifest with a slip, a part of the help, and the manifest after the help was followed. */
const followed: readonly (readonly [what: string, wrong: string, help: string, right: string])[] = [
  [
    'a list of members without a value',
    team('Crew', ', members:'),
    '{} for none',
    team('Crew', ', members: {}'),
  ],
  [
    'a setting beside settings',
    `${head}protect: ["sites/**"]\nteams: {}\n`,
    'below settings',
    `${head}settings: { protect: ["sites/**"] }\nteams: {}\n`,
  ],
  [
    'a title one level out',
    `${head}sites:\n  hub:\n  title: Hub\n    sections: {}\n`,
    'indent the lines above like it',
    `${head}sites:\n  hub:\n    title: Hub\n    sections: {}\n`,
  ],
  [
    'entries without their collection',
    `${head}  crew: { title: Crew }\n`,
    'add the key that it belongs below',
    `${head}teams:\n  crew: { title: Crew }\n`,
  ],
  ['a value that starts with a colon', team(':crew:'), 'quote it', team('":crew:"')],
  ['a variable of a shell', team('$TEAM'), 'did you mean "${env:TEAM}"?', team('"${env:TEAM}"')],
  [
    'a domain of a site',
    site('    hostname: docs.acme.example\n', api()),
    'custom domains are set in the app',
    site('', api()),
  ],
];

test.each(followed)('names the way out of %s', async (_what, wrong, help, right) => {
  const env = { TEAM: 'Crew' };
  const refused = await octavo(['validate'], { cwd: folder({ 'm.yaml': wrong }), env });
  expect((refused.stderr + refused.stdout).replace(/\s+/g, ' ')).toContain(help);
  const followed = await octavo(['validate'], { cwd: folder({ 'm.yaml': right }), env });
  expect({ code: followed.code, text: followed.stderr }).toEqual({ code: 0, text: '' });
});

/** A command line with a slip, the command that its help names, and the exit code of that one. */
const lines: readonly (readonly [wrong: readonly string[], help: readonly string[], code: number])[] = [
  [['plan', 'help'], ['plan', '--help'], 0],
  [['fmt', '--write'], ['fmt', '--check'], 3],
  [['validate', '--fix'], ['fmt'], 0],
  [['plan', '--env', 'prod'], ['plan', '--overlay', '<file>'], 1],
  [['validate', 'm.yaml'], ['validate', '-f', 'm.yaml'], 0],
  [['diff'], ['plan'], 1],
  [['-f', 'm.yaml', 'validate'], ['validate', '-f'], 1],
];

test.each(lines)('octavo %j names a command that exists', async (wrong, help, code) => {
  const cwd = folder({ 'm.yaml': team('Crew') });
  const refused = await octavo(wrong, { cwd });
  expect(refused.code).toBe(1);
  expect(refused.stderr.replace(/\s+/g, ' ')).toContain(`octavo ${help.join(' ')}`);
  expect((await octavo(help, { cwd })).code).toBe(code);
});

const backslashes: readonly (readonly [string, readonly string[], string | undefined])[] = [
  ['-f', ['validate', '-f', 'docs\\m.yaml'], undefined],
  ['--overlay', ['validate', '-f', 'docs', '--overlay', 'docs\\prod.yaml'], undefined],
  ['file: in the settings', ['validate'], 'file: docs\\m.yaml\n'],
  ['a saved plan', ['show', 'docs\\plan.json'], undefined],
  ['an included file', ['validate', '-f', 'more'], undefined],
];

test.each(backslashes)('a path with backslashes in %s: the help has slashes', async (...row) => {
  const [, args, config] = row;
  const cwd = folder({
    'docs/m.yaml': `${head}teams: { t: { title: Team } }\n`,
    'docs/prod.yaml': 'octavo: 1\noverlay: prod\nteams: { t: { title: Crew } }\n',
    'more/m.yaml': `${head}teams: { t: { title: '\${file:certs\\t.txt}' } }\n`,
    ...(config === undefined ? {} : { 'octavo.config.yaml': config }),
  });
  const { code, stderr } = await octavo(args, { cwd });
  expect(code).toBe(1);
  const [, path = ''] = /help: write it with forward slashes: (\S+)/.exec(stderr) ?? [];
  expect(path).toMatch(/^[a-z]+\/[a-z]+\.[a-z]+$/);
});

test.each([
  ['a merge request', { GITLAB_CI: 'true', CI_COMMIT_REF_PROTECTED: 'false' }, 'hides protected variables'],
  ['dependabot', { GITHUB_ACTIONS: 'true', GITHUB_ACTOR: 'dependabot[bot]' }, 'secrets for Dependabot'],
  ['a protected ref', { GITLAB_CI: 'true', CI_COMMIT_REF_PROTECTED: 'true' }, 'set OCTAVO_TOKEN or'],
])('a token that is missing in the pipeline of %s: the help says why', async (_what, env, help) => {
  const cwd = folder({ 'm.yaml': `${head}teams: {}\n` });
  const { code, stderr } = await octavo(['plan'], {
    cwd,
    env: { ...env, OCTAVO_BASE_URL: 'https://api.acme.invalid', OCTAVO_TOKEN: '' },
  });
  expect(code).toBe(1);
  expect(stderr.replace(/\s+/g, ' ')).toContain(help);
});

test('a member who left the manifests stays, unmanaged, by the line that the refusal names', async () => {
  const manifest = (edda: string, more = '') =>
    `${head}${more}members:\n  ada@acme.example: { role: admin }\n${edda}`;
  const cwd = folder({ 'm.yaml': manifest('  edda@acme.example: { role: edit }\n') });
  const env = { OCTAVO_BASE_URL: 'local:x.db' };
  expect((await octavo(['apply', '--seed', 'sample', '--auto-approve', '-q'], { cwd, env })).code).toBe(0);
  const gone = folder({ 'm.yaml': manifest('') });
  const base = ['--base', cwd];
  const refused = await octavo(['plan', ...base], {
    cwd: gone,
    env: { OCTAVO_BASE_URL: `local:${cwd}/x.db` },
  });
  expect(refused.code).toBe(3);
  const [, line = ''] =
    /with (lifecycle: \{ release: true \})/.exec(refused.stdout.replace(/\s+/g, ' ')) ?? [];
  const kept = folder({ 'm.yaml': manifest(`  edda@acme.example: { ${line} }\n`) });
  const plan = await octavo(['plan', '--detailed-exitcode', ...base], {
    cwd: kept,
    env: { OCTAVO_BASE_URL: `local:${cwd}/x.db` },
  });
  expect({ code: plan.code, out: plan.stdout.includes('Refused') }).toEqual({ code: 0, out: false });
});
