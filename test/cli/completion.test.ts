/** Completion: the candidates for unfinished command lines, requested as the shell scripts do. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { splitLine } from '../../src/cli/completion/answer.ts';
import { commandNames } from '../../src/cli/line/names.ts';
import { folder, manifest, octavo, root } from './octavo.ts';

const acme = join(root, 'examples/acme');

/** The response to a shell: the candidates, and the additional action (`also`). */
async function completed(line: string, cwd = acme) {
  const ran = await octavo(['__complete', 'line', `octavo ${line}`], { cwd });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const [also, ...lines] = ran.stdout.trimEnd().split('\n');
  return { also, words: lines.map((one) => one.split('\t')[0]) };
}
const words = async (line: string, cwd?: string) => (await completed(line, cwd)).words;

test.each([
  ['octavo plan ', ['octavo', 'plan', '']],
  ['octavo  plan -f "a b" --t', ['octavo', 'plan', '-f', 'a b', '--t']],
  ["octavo list 'sites/*", ['octavo', 'list', 'sites/*']],
  ['octavo list a\\ b', ['octavo', 'list', 'a b']],
  ['octavo', ['octavo']],
  ['', ['']],
])('%s is split as in a shell', (line, expected) => expect(splitLine(line)).toEqual(expected));

describe('commands and flags', () => {
  test('completes commands, with their descriptions', async () => {
    expect(await words('')).toEqual([...commandNames, 'help']);
    expect(await words('val')).toEqual(['validate']);
    expect(await words('help val')).toEqual(['validate']);
    expect(await words('nonsense x')).toEqual([]);
    const { stdout } = await octavo(['__complete', 'words', 'val']);
    expect(stdout).toBe('nothing\nvalidate\tCheck the manifests without calling the service\n');
  });

  test('completes flags of the command that are not set yet', async () => {
    expect(await words('plan --base')).toEqual(['--base-url', '--base']);
    expect(await words('plan --base main --base')).toEqual(['--base-url']);
    expect(await words('plan --target x --targ')).toEqual(['--target']);
    expect(await words('apply --no-l')).toEqual([]);
    expect(await words('schema --')).toEqual(['--color', '--no-color', '--quiet', '--verbose', '--help']);
  });

  test('completes values: choices, formats, files', async () => {
    expect(await words('plan --prune ')).toEqual(['never', 'removed', 'unlisted']);
    expect(await words('plan --prune=r')).toEqual(['--prune=removed']);
    expect(await words('validate --format g')).toEqual(['github']);
    expect(await completed('validate --format github=')).toEqual({ also: 'files', words: [] });
    expect(await words('schema ')).toEqual(['manifest', 'config', 'rules', 'plan', 'events', 'test']);
    expect((await completed('plan -f ')).also).toBe('files');
    expect((await completed('show ')).also).toBe('files');
    expect((await completed('serve --port ')).also).toBe('nothing');
    expect(await words('completion ')).toEqual(['bash', 'zsh', 'fish']);
    expect(await words('api sites.putC')).toEqual(['sites.putCustomization']);
    expect(await words('explain section.co')).toEqual(['section.condition']);
  });
});

describe('addresses', () => {
  test('of declared objects are completed for targets and lists', async () => {
    expect(await words('plan --target teams/')).toEqual(['teams/platform', 'teams/writers']);
    expect(await words('plan --target=teams/w')).toEqual(['--target=teams/writers']);
    expect(await words('list sites/status/')).toEqual(['sites/status/spaces/main']);
    expect(await words('plan -f organization.yaml --exclude sites')).toEqual([]);
  });

  test('are completed segment by segment if there are many, like paths', async () => {
    const teams = Array.from({ length: 150 }, (_, at) => `  t${at}: { title: Team ${at} }\n`).join('');
    const cwd = folder({
      'a.yaml': `octavo: 1\norganization: org_1\nteams:\n${teams}spaces: { s: { id: sp_1 } }\n`,
    });
    expect(await completed('plan --target ', cwd)).toEqual({
      also: 'open',
      words: ['organization', 'teams/', 'spaces/'],
    });
    expect(await words('plan --target teams/t14', cwd)).toHaveLength(11);
  });

  test('completes runs from their journals, newest first', async () => {
    const cwd = folder({ 'a.yaml': manifest });
    const env = { OCTAVO_BASE_URL: 'local:w.db' };
    await octavo(['apply', '--auto-approve'], { cwd, env });
    const [run = ''] = await words('undo ', cwd);
    expect(run).toMatch(/^r-/);
    expect(await words(`history ${run.slice(0, 4)}`, cwd)).toEqual([run]);
    expect(await words('history ', folder({}))).toEqual([]);
  });

  test('completes overlays by name', async () => {
    const cwd = folder({ 'a.yaml': manifest, 'o.yaml': 'octavo: 1\noverlay: production\n' });
    expect(await completed('plan --overlay ', cwd)).toEqual({ also: 'files', words: ['production'] });
  });

  test('skips broken manifests and settings without an error, and completes the rest', async () => {
    const cwd = folder({ 'a.yaml': manifest, 'b.yaml': 'octavo: 1\norganization: [', 'c.yaml': '\u0000' });
    expect(await words('plan --target teams/p', cwd)).toEqual(['teams/platform']);
    const worse = folder({ 'a.yaml': manifest, 'octavo.config.yaml': 'nonsense: [' });
    expect(await words('plan --target ', worse)).toEqual([]);
    expect(await words('plan --prune n', worse)).toEqual(['never']);
  });
});

test('takes the shell from the environment, and rejects an unknown one', async () => {
  const { stdout } = await octavo(['completion'], { env: { SHELL: '/usr/bin/fish' } });
  expect(stdout).toContain('complete -c octavo');
  const { code, stderr } = await octavo(['completion'], { env: { SHELL: '/bin/tcsh' } });
  expect(code).toBe(1);
  expect(stderr).toContain('octavo completion bash|zsh|fish');
  expect((await octavo(['completion', 'fich'])).stderr).toContain('did you mean fish?');
});
