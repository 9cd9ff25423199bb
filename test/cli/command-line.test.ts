/** The command line parser: every form of every flag, arguments, and no line that makes it crash. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Command, choicesOf, flagsOf, UsageError } from '../../src/cli/line/command.ts';
import { type FlagSpec, flagName } from '../../src/cli/line/flags.ts';
import { loadCommand } from '../../src/cli/line/list.ts';
import { commandNames } from '../../src/cli/line/names.ts';
import { readLine } from '../../src/cli/line/read-line.ts';
import { patience, tries } from '../support/runs.ts';

const commands = await Promise.all(
  commandNames.map(async (name) => ({ name, command: await loadCommand(name) })),
);

/** A value that the flag accepts. */
function sample(command: Command, name: string, spec: FlagSpec): string {
  return choicesOf(command, name, spec)?.[0] ?? (spec.type === 'number' ? '2' : 'a=b.c');
}

describe.each(commands)('$name', ({ name, command }) => {
  const all = Object.entries(flagsOf(command));

  test.each([0, 1, 2])('accepts all its flags, in form %i', async (form) => {
    const pieces = all.map(([key, spec]): readonly [readonly string[], readonly [string, unknown]] => {
      const long = `--${flagName(key)}`;
      const short = spec.alias === undefined ? long : `-${spec.alias}`;
      if (spec.type === 'boolean') {
        const forms = [long, `--no-${flagName(key)}`, short];
        return [[forms[form] ?? long], [key, form !== 1]];
      }
      const text = sample(command, key, spec);
      const value = spec.type === 'number' ? Number(text) : text;
      const next = spec.optional === true ? [`${long}=${text}`] : [long, text];
      const written = [next, [`${long}=${text}`], spec.optional === true ? next : [short, text]][form] ?? [];
      return [written, [key, spec.list === true ? [value] : value]];
    });
    const line = await readLine([name, ...pieces.flatMap(([written]) => written)]);
    expect(line).toMatchObject({
      name,
      words: [],
      flags: Object.fromEntries(pieces.map(([, pair]) => pair)),
    });
  });

  test('rejects an empty value of each flag, and an empty argument', async () => {
    for (const [key] of all.filter(([, { type }]) => type === 'string'))
      await expect(readLine([name, `--${flagName(key)}=`]), key).rejects.toThrow(UsageError);
    await expect(readLine([name, ''])).rejects.toThrow('an argument is empty');
  });

  test('accepts flags of lists repeatedly, and all others once', async () => {
    for (const [key, spec] of all.filter(([, { type }]) => type !== 'boolean')) {
      const long = `--${flagName(key)}`;
      const text = sample(command, key, spec);
      const second = key === 'format' ? `${text}=file` : text;
      const twice = readLine([name, `${long}=${text}`, `${long}=${second}`]);
      if (spec.list === true) expect((await twice).flags).toHaveProperty(key, expect.any(Array));
      else await expect(twice, key).rejects.toThrow(`${long} is set more than once`);
    }
  });
});

test.each([
  [['fmt', '-'], ['-']],
  [
    ['fmt', '--check', '--', '-', '--diff'],
    ['-', '--diff'],
  ],
  [
    ['api', 'sites.get', 'siteId=007', '-F', 'title=1e3'],
    ['sites.get', 'siteId=007'],
  ],
  [
    ['list', '12', '-1', 'true'],
    ['12', '-1', 'true'],
  ],
  [['apply', '--record', 'plan.json'], ['plan.json']],
  [['apply', 'plan.json', '--record'], ['plan.json']],
])('reads the arguments of %j', async (args, words) => {
  expect((await readLine(args)).words).toEqual(words);
});

test('keeps values as written', async () => {
  const values = ['0x10', '1e3', '007', '-', '-1', 'a,b', 'true', 'a\nb', '__proto__', "it's"];
  const { flags } = await readLine(['plan', ...values.flatMap((value) => ['--target', value])]);
  expect(flags.target).toEqual(values);
  expect((await readLine(['plan', '--show', 'unmanaged,all', '--show=unchanged'])).flags.show).toEqual([
    'unmanaged',
    'all',
    'unchanged',
  ]);
  expect((await readLine(['apply', '--record', 'plan.json'])).flags.record).toBe('');
  expect((await readLine(['apply', '--record=origin'])).flags.record).toBe('origin');
  expect((await readLine(['apply', '--lock', 'none'])).flags.lock).toBe('none');
  expect((await readLine(['plan', '--color=false'])).flags.color).toBe(false);
});

test.each([
  [['apply', '--ahead', 'merge'], '--ahead cannot be "merge"\n  help: use one of back'],
  [
    ['plan', '--show', 'unmanaged,al'],
    '--show cannot be "al"; did you mean all?\n  help: use one of unmanaged, unchanged, all',
  ],
  [['--quiet', 'plan'], 'unknown flag --quiet\n  help: write flags after the command: octavo plan --quiet'],
  [['--verson'], 'unknown flag --verson; did you mean --version?\n  help: see octavo --help'],
  [
    ['plan', '--baseUrl', 'x'],
    'unknown flag --baseUrl; did you mean --base-url?\n  help: see octavo plan --help',
  ],
  [
    ['plan', '-target=teams/a'],
    'unknown flag -target; did you mean --target?\n  help: see octavo plan --help',
  ],
  [['plan', '-out=x'], 'unknown flag -out; did you mean --out?\n  help: see octavo plan --help'],
  [['plan', '-json'], 'unknown flag -json\n  help: pass --format json'],
  [
    ['apply', '-auto-approve'],
    'unknown flag -auto-approve; did you mean --auto-approve?\n  help: see octavo apply --help',
  ],
  [
    ['undo', '--dry-run'],
    'unknown flag --dry-run\n  help: octavo undo --out undo.json shows the plan of the undo, and saves it; octavo apply undo.json applies it',
  ],
  [['plan', '-x'], 'unknown flag -x\n  help: see octavo plan --help'],
  [['plan', '--base', '--quiet'], '--base needs a value\n  help: write --base <ref>'],
  [['plan', '--prune', 'all'], '--prune cannot be "all"\n  help: use one of never, removed, unlisted'],
  [['plan', '--no-base'], 'unknown flag --no-base\n  help: see octavo plan --help'],
  [
    ['apply', 'a.json', 'b.json'],
    'unknown argument b.json\n  help: pass manifests with -f: octavo apply -f b.json',
  ],
  [
    ['plan', '--parallelism', '1e1'],
    '--parallelism must be a whole number, is "1e1"\n  help: see octavo plan --help',
  ],
])('rejects %j', async (args, message) => {
  await expect(readLine(args)).rejects.toThrow(new UsageError(message));
});

/** Words that parsers are known to misread. */
const words = fc.oneof(
  fc.constantFrom(
    '',
    '-',
    '--',
    '-1',
    '1e3',
    'true',
    'a=b',
    "'a b'",
    '"x"',
    'a.b',
    '__proto__',
    'json=plan.json',
  ),
  fc.constantFrom(
    '--file',
    '--no-file',
    '--file.x',
    '--no',
    '--toString',
    '-f',
    '-fq',
    '-f=x',
    '---x',
    '--=x',
    '--quiet=no',
  ),
  fc.constantFrom(
    ...commands.flatMap(({ command }) => Object.keys(flagsOf(command)).map((one) => `--${flagName(one)}`)),
  ),
  fc.string({ maxLength: 6 }),
);

test('reads any line, or rejects it with a usage error', { timeout: patience(60_000) }, async () => {
  const lines = fc.tuple(fc.constantFrom(...commandNames), fc.array(words, { maxLength: 6 }));
  await fc.assert(
    fc.asyncProperty(lines, async ([name, rest]) => {
      const line = await readLine([name, ...rest]).catch((error: unknown) => error);
      if (line instanceof Error) expect(line).toBeInstanceOf(UsageError);
      else expect(line).toMatchObject({ name });
    }),
    tries(800),
  );
});
