/** The command line itself: help, version, and what is said of mistakes. */
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/command-table.ts';
import { folder, manifest, octavo } from './octavo.ts';

test('--help lists all commands', async () => {
  const { code, stdout, stderr } = await octavo(['--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const { name, summary } of commands)
    expect(stdout).toMatch(new RegExp(`octavo ${name}\\b.*${summary}`));
});

test.each(commands.map(({ name }) => name))('%s --help', async (name) => {
  const { code, stdout, stderr } = await octavo([name, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^octavo ${name}`));
});

test('no command: help on stderr', async () => {
  const { code, stdout, stderr } = await octavo([]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error\[usage\]: no command[\s\S]*octavo plan/);
});

test.each([
  [['pln'], 'error[usage]: unknown command pln; did you mean plan?\n  help: see octavo --help\n'],
  [['xyzzy'], 'error[usage]: unknown command xyzzy\n  help: see octavo --help\n'],
  [
    ['plan', '--targt', 'x'],
    'error[usage]: unknown flag --targt; did you mean --target?\n  help: see octavo plan --help\n',
  ],
  [
    ['validate', '--auto-approve'],
    'error[usage]: unknown flag --auto-approve\n  help: see octavo validate --help\n',
  ],
  [['plan', 'docs'], 'error[usage]: unknown argument docs\n  help: see octavo plan --help\n'],
  [['plan', '--parallelism', 'many'], 'error[usage]: --parallelism must be a number\n'],
  [['plan', '--base-url', 'a', '--base-url', 'b'], 'error[usage]: --base-url is set more than once\n'],
])('%j', async (args, stderr) => {
  expect(await octavo(args)).toEqual({ code: 1, stdout: '', stderr });
});

test.each([
  [['plan', '--format', 'xml'], /format.*"xml".*"text", "json"/],
  [['plan', '-f'], /Not enough arguments/],
  [['schema', 'plans'], /"plans".*"manifest"/],
])('%j', async (args, stderr) => {
  const ran = await octavo(args);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(stderr);
});

test.each([
  [{}, {}, /no service configured/],
  [{}, { OCTAVO_BASE_URL: 'https://api.acme.example' }, /no token configured/],
  [{}, { OCTAVO_BASE_URL: 'api.acme.example', OCTAVO_TOKEN: 'x' }, /the base URL is not an http\(s\) URL/],
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
  [{ 'octavo.config.yaml': 'a: [\n' }, {}, /octavo\.config\.yaml/],
  [{ 'octavo.config.yaml': 'baseUrl: "local:"\n' }, {}, /local: needs a path/],
])('settings %j %j', async (files, env, stderr) => {
  const cwd = folder({ 'acme.yaml': manifest, ...files });
  const ran = await octavo(['plan'], { cwd, env });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(stderr);
  expect(ran.stderr).not.toMatch(/\n\s+at |bug in octavo/);
});
