/** The command line: help, version, and messages for mistakes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flagName } from '../../src/cli/line/flags.ts';
import { helpTexts } from '../../src/cli/line/help.ts';
import { loadCommand } from '../../src/cli/line/list.ts';
import { commandNames, summaries } from '../../src/cli/line/names.ts';
import { readLine } from '../../src/cli/line/read-line.ts';
import { planViews } from '../../src/cli/show/views.ts';
import { folder, manifest, octavo, root } from './octavo.ts';
import { served } from './served.ts';

test('--help lists all commands on one screen', async () => {
  const { code, stdout, stderr } = await octavo(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const text = stdout.replace(/\s+/g, ' ');
  for (const [name, summary] of Object.entries(summaries)) expect(text).toContain(` ${name} ${summary}`);
  expect(stdout.split('\n').length).toBeLessThanOrEqual(41);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});

test.each(commandNames)('%s --help links to an existing page', async (name) => {
  const { code, stdout, stderr } = await octavo([name, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^octavo ${name}`));
  const page = /^Documentation: (docs\/[\w-]+\.md), /m.exec(stdout)?.[1] ?? '';
  expect(existsSync(join(root, page)), page).toBe(true);
});

test.each([[], ['help'], ['-h']])('prints the help without a command: %j', async (...args) => {
  expect(await octavo(args)).toEqual(await octavo(['--help']));
});

test('help plan prints the same as plan --help: groups, value names, examples, exit codes', async () => {
  const ran = await octavo(['help', 'plan']);
  expect(ran).toEqual(await octavo(['plan', '--help']));
  for (const part of [
    'Manifests:',
    '-f, --file <path>',
    '--base <ref>',
    'Examples:',
    'Exit codes:',
    '#octavo-plan',
  ]) {
    expect(ran.stdout).toContain(part);
  }
  for (const line of ran.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
});

test.each([
  ['list', 'offline', 'Ask neither the service nor git remotes'],
  ['plan', 'offline', 'Do not ask git remotes for records of what was applied'],
  ['ci', 'base', '(default: the last record, else the target branch)'],
  ['api', 'list', 'List the operations'],
] as const)('%s describes --%s', async (name, flag, text) => {
  const { flags } = await loadCommand(name);
  expect(flags[flag]?.description).toContain(text);
  for (const { description } of Object.values(flags)) {
    expect(description).not.toMatch(/; drift for issues|list asks no service/);
  }
});

test('examples in the help are valid command lines', async () => {
  for (const name of commandNames) {
    for (const example of helpTexts[name].examples) {
      expect(example).toMatch(new RegExp(`^octavo ${name}\\b`));
      const args = example
        .replace(/ [>|].*/, '')
        .split(' ')
        .slice(1)
        .map((word) => word.replaceAll("'", ''));
      await expect(readLine(args), example).resolves.toMatchObject({ name });
    }
  }
});

test.each(['version', '--version', '-v', '-V', '--version --json'])(
  '%s prints the version',
  async (words) => {
    expect(await octavo(words.split(' '))).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+ \(0123456\+\)\n$/),
    });
  },
);

test.each([
  [['pln'], 'error[usage]: unknown command pln; did you mean plan?\n  help: see octavo --help\n'],
  [
    ['exprot', '--out', 'docs'],
    'error[usage]: unknown command exprot; did you mean export?\n  help: see octavo --help\n',
  ],
  [['pln', '--out=x'], 'error[usage]: unknown command pln; did you mean plan?\n  help: see octavo --help\n'],
  [['xyzzy'], 'error[usage]: unknown command xyzzy\n  help: see octavo --help\n'],
  [
    ['plan', '--targt', 'x'],
    'error[usage]: unknown flag --targt; did you mean --target?\n  help: see octavo plan --help\n',
  ],
  [
    ['validate', '--auto-approve'],
    'error[usage]: unknown flag --auto-approve\n  help: octavo apply --auto-approve applies without being asked\n',
  ],
  [
    ['plan', 'docs'],
    'error[usage]: unknown argument docs\n  help: pass manifests with -f: octavo plan -f docs\n',
  ],
  [
    ['plan', '--parallelism', 'many'],
    'error[usage]: --parallelism must be a whole number, is "many"\n  help: see octavo plan --help\n',
  ],
  [
    ['plan', '--no-colour'],
    'error[usage]: unknown flag --no-colour; did you mean --no-color?\n  help: see octavo plan --help\n',
  ],
  [['plan', '--no-such'], 'error[usage]: unknown flag --no-such\n  help: see octavo plan --help\n'],
  [['plan', '--color=always'], 'error[usage]: --color takes no value\n  help: pass --color or --no-color\n'],
  [
    ['apply', '--yes'],
    'error[usage]: unknown flag --yes\n  help: pass --auto-approve to apply without being asked\n',
  ],
  [['init', '--yes'], 'error[usage]: unknown flag --yes\n  help: see octavo init --help\n'],
  [['mv', '--force'], 'error[usage]: unknown flag --force\n  help: see octavo mv --help\n'],
  [['unlock', '--json'], 'error[usage]: unknown flag --json\n  help: see octavo unlock --help\n'],
  [['fmt', '--token=x'], 'error[usage]: unknown flag --token\n  help: see octavo fmt --help\n'],
  [
    ['apply', '--dry-run'],
    'error[usage]: unknown flag --dry-run\n  help: octavo plan shows what apply would do\n',
  ],
  [
    ['plan', '--token', 'x'],
    'error[usage]: unknown flag --token\n  help: set OCTAVO_TOKEN, or pass --token-file: tokens in flags end up in logs\n',
  ],
  [['diff'], 'error[usage]: unknown command diff\n  help: octavo plan shows the differences\n'],
  [
    ['destroy'],
    'error[usage]: unknown command destroy\n  help: to delete objects, remove them from the manifests and run octavo apply; without a record, with --base <ref>\n',
  ],
  [['help', 'pln'], 'error[usage]: unknown command pln; did you mean plan?\n  help: see octavo --help\n'],
  [
    ['plan', '--format', 'jsn'],
    'error[usage]: --format cannot be "jsn"; did you mean json?\n  help: use one of FORMATS\n',
  ],
  [['plan', '--base'], 'error[usage]: --base needs a value\n  help: write --base <ref>\n'],
  [['plan', '-f'], 'error[usage]: -f needs a value\n  help: write --file <path>\n'],
  [
    ['schema', 'plans'],
    'error[usage]: of cannot be "plans"; did you mean plan?\n  help: use one of manifest, config, rules, plan, events, test\n',
  ],
  [['plan', '--base-url', 'a', '--base-url', 'b'], 'error[usage]: --base-url is set more than once\n'],
])('rejects %j', async (args, stderr) => {
  const listed = stderr.replace('FORMATS', Object.keys(planViews).join(', '));
  expect(await octavo(args)).toEqual({ code: 1, stdout: '', stderr: listed });
});

test.each([
  ['plan -target x', /unknown flag -target; did you mean --target\?/],
  ['plan -target=x', /unknown flag -target; did you mean --target\?/],
  ['plan -out=x', /unknown flag -out; did you mean --out\?/],
  ['apply -auto-approve', /unknown flag -auto-approve; did you mean --auto-approve\?/],
  ['plan -auto-approve', /unknown flag -auto-approve\n {2}help: octavo apply --auto-approve /],
  ['plan -no-color', /unknown flag -no-color; did you mean --no-color\?/],
  ['plan -refresh-only', /unknown flag -refresh-only\n {2}help: octavo drift /],
  ['plan -destroy', /unknown flag -destroy\n {2}help: to delete objects, /],
  ['plan -lock=false', /unknown flag -lock\n {2}help: plans take no lock/],
  ['plan -o json', /unknown flag -o\n {2}help: pass --format json/],
  ['apply -input=false', /unknown flag -input\n {2}help: without a terminal nothing is asked/],
  ['fmt -check', /unknown flag -check; did you mean --check\?/],
  ['fmt -recursive', /unknown flag -recursive\n {2}help: octavo fmt /],
  ['undo --last', /unknown flag --last\n {2}help: octavo undo without a run /],
  ['undo -n', /unknown flag -n\n {2}help: octavo undo --out undo\.json /],
])('suggests the Octavo flag for a flag of other tools: %s', async (words, stderr) => {
  const ran = await octavo(words.split(' '));
  expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(stderr) });
});

test.each([
  ['rename teams/a teams/b', 'octavo mv OLD NEW changes a key or a place'],
  ['state mv teams.a teams.b', 'octavo mv OLD NEW changes a key or a place'],
  ['state list', 'octavo list lists the declared objects'],
  ['get teams', 'octavo list lists the declared objects'],
  ['status', 'octavo drift shows what was changed outside the manifests'],
  ['refresh', 'octavo drift shows what was changed outside the manifests'],
  ['import', 'octavo export writes the live workspace'],
  ['adopt', 'octavo drift --pin writes ids'],
  ['remove', 'remove them from the manifests'],
  ['add', 'octavo explain lists what can be declared'],
  ['sync', 'octavo apply applies the manifests'],
  ['auth status', 'octavo doctor checks them'],
  ['rollback', 'octavo undo reverts the changes of a run'],
  ['resume', 'finished steps are not repeated'],
  ['logs', 'octavo history lists the runs'],
  ['taint', 'remove it from the manifests, apply, and add it again'],
  ['workspace select production', 'octavo plan --overlay <name>'],
])('suggests the Octavo command for a command of other tools: %s', async (words, help) => {
  const [name = ''] = words.split(' ');
  const { code, stdout, stderr } = await octavo(words.split(' '));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.startsWith(`error[usage]: unknown command ${name}\n  help: `), stderr).toBe(true);
  expect(stderr).toContain(help);
});

test('suggestions name only commands and flags that exist', async () => {
  const source = readFileSync(join(root, 'src/cli/line/mistakes.json'), 'utf8');
  const lines = [...source.matchAll(/octavo ([a-z]+)((?: --[a-z-]+)*)/g)];
  expect(lines.length).toBeGreaterThan(20);
  for (const [line, name = '', given = ''] of lines) {
    expect(commandNames, line).toContain(name);
    const { flags } = await loadCommand(name as (typeof commandNames)[number]);
    const known = Object.keys(flags).map(flagName);
    for (const flag of given.split(' --').slice(1))
      expect(known, line).toContain(known.includes(flag) ? flag : flag.replace(/^no-/, ''));
  }
});

test.each(['constructor', 'toString', '__proto__'])('%s is not a command', async (name) => {
  const { stderr } = await octavo([name]);
  expect(stderr).toMatch(
    /^error\[usage\]: unknown command \w+(?:; did you mean \w+\?)?\n {2}help: see octavo --help\n$/,
  );
});

test.each([
  [{}, {}, /no service configured/],
  [{}, { OCTAVO_BASE_URL: 'https://api.acme.example' }, /no token configured/],
  [
    {},
    { OCTAVO_BASE_URL: 'api.acme.example', OCTAVO_TOKEN: 'x' },
    /not an http\(s\) URL[\s\S]*did you mean https:\/\/api\.acme\.example\?/,
  ],
  [{}, { OCTAVO_BASE_URL: '127.0.0.1:4711', OCTAVO_TOKEN: 'x' }, /did you mean http:\/\/127\.0\.0\.1:4711\?/],
  [{}, { OCTAVO_BASEURL: 'x' }, /OCTAVO_BASEURL is not read\n {2}help: did you mean OCTAVO_BASE_URL\?/],
  [{}, { OCTAVO_TOKENFILE: 'x' }, /did you mean OCTAVO_TOKEN_FILE\?/],
  [
    { 'octavo.config.yml': 'baseUrl: local\n' },
    {},
    /octavo\.config\.yml is not read\n {2}help: rename it to octavo\.config\.yaml/,
  ],
  [
    {},
    { OCTAVO_BASE_URL: 'http://api.acme.example', OCTAVO_TOKEN: 'x' },
    /unencrypted[\s\S]*OCTAVO_ALLOW_HTTP/,
  ],
  [{}, { OCTAVO_BASE_URL: 'https://a.example', OCTAVO_TOKEN: 'two words' }, /the token contains spaces/],
  [
    {},
    { OCTAVO_BASE_URL: 'https://a.example', OCTAVO_TOKEN_FILE: 'none' },
    /cannot read the token file none/,
  ],
  [{ 'octavo.config.yaml': 'baseURL: x\n' }, {}, /unknown setting "baseURL"[\s\S]*did you mean baseUrl/],
  [{ 'octavo.config.yaml': 'parallelism: lots\n' }, {}, /parallelism/],
  [{ 'octavo.config.yaml': 'maxRps: 0\n' }, {}, /maxRps must be at least 1[\s\S]*from 1 to 10000/],
  [{}, { OCTAVO_SHARDS: '5' }, /did you mean OCTAVO_SHARD\?/],
  [{ 'octavo.config.yaml': 'a: [\n' }, {}, /octavo\.config\.yaml/],
  [{ 'octavo.config.yaml': 'baseUrl: "local:"\n' }, {}, /local: needs a path/],
])('rejects settings %j %j', async (files, env, stderr) => {
  const cwd = folder({ 'acme.yaml': manifest, ...files });
  const ran = await octavo(['plan'], { cwd, env });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(stderr);
  expect(ran.stderr).not.toMatch(/\n\s+at |bug in octavo/);
});

test('finds the configuration in parent folders up to the root of the repository', async () => {
  const cwd = folder({
    '.git/HEAD': 'ref: refs/heads/main\n',
    'octavo.config.yaml': 'baseUrl: local\nfile: docs\n',
    'docs/acme.yaml': manifest,
    'deep/inside/other.txt': '',
  });
  const ran = await octavo(['plan'], { cwd: join(cwd, 'deep', 'inside') });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('2 to create');
});

test('ignores a configuration above the repository', async () => {
  const cwd = folder({
    'octavo.config.yaml': 'baseUrl: local\n',
    'repo/.git/HEAD': '',
    'repo/acme.yaml': manifest,
  });
  expect((await octavo(['plan'], { cwd: join(cwd, 'repo') })).stderr).toContain('no service configured');
});

test('prints errors as JSON to stdout with --format json', async () => {
  const cwd = folder({ 'acme.yaml': 'octavo: 1\norganization: org_acme\nteems: {}\n' });
  for (const command of ['plan', 'apply', 'drift', 'validate']) {
    const ran = await octavo([command, '--format', 'json'], { cwd, env: { OCTAVO_BASE_URL: 'local' } });
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toMatchObject({ format: 1, diagnostics: [{ code: 'unknown-key' }] });
  }
});

test('suggests a wrong path in the base URL if the organization is not found', async () => {
  const cwd = folder({ 'acme.yaml': manifest });
  const { service } = await served();
  const env = { OCTAVO_BASE_URL: `${service.url}/api`, OCTAVO_TOKEN: service.token };
  expect((await octavo(['plan'], { cwd, env })).stderr).toMatch(/its path \/api\s+may be wrong/);
});

test('--max-rps takes precedence over the file', async () => {
  const cwd = folder({ 'acme.yaml': manifest, 'octavo.config.yaml': 'baseUrl: local\nmaxRps: 7\n' });
  expect(await octavo(['plan', '--max-rps', '50'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect((await octavo(['plan', '--max-rps', '0'], { cwd })).stderr).toMatch(/--max-rps must be/);
  expect(await octavo(['plan'], { cwd })).toMatchObject({ code: 0, stderr: '' });
});
