/** The two ways to read a command line: what the short one takes, yargs reads alike. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnyLine } from '../../src/cli/any-line.ts';
import { flagNamesOf } from '../../src/cli/command-line.ts';
import { type Command, commands, flagChoices } from '../../src/cli/command-table.ts';
import { readCommonLine } from '../../src/cli/common-line.ts';
import { type Flags, flagName, flagSpecs } from '../../src/cli/flags.ts';
import { patience, runs, tries } from '../support/runs.ts';

/** What yargs makes of a command line: a line, or the message of its error. */
async function asYargs(args: readonly string[]) {
  return readAnyLine(args).catch((error: unknown) => String(error));
}

/** Values that parsers are known to take for something else. */
const values = fc.oneof(
  fc.constantFrom(
    ...['', '-', '--', '-1', '0', '007', '1e3', '0x10', '12', '999999999', '1234567890', 'true', 'false'],
    ...[
      'a=b',
      '=',
      "'a b'",
      '"x"',
      'a.b',
      'a,b',
      '*',
      '@f',
      '__proto__',
      'null',
      'é',
      'a\nb',
      ' ',
      '--quiet',
    ],
    ...[
      'text',
      'json',
      'unlisted',
      'file',
      'manifest',
      'merge',
      'none',
      'sites/hub/**',
      'name=value=x',
      'json=plan.json',
      'json=',
      '-f',
    ],
  ),
  fc.string({ maxLength: 6 }),
);

const names = commands.flatMap(flagNamesOf).map(flagName);

/** One flag, in one of the forms that a flag can have; or a word. */
const pieces = (command: Command): fc.Arbitrary<readonly string[]> => {
  const own = fc.constantFrom(...flagNamesOf(command));
  const anyName = fc.oneof(
    { weight: 8, arbitrary: own.map(flagName) },
    fc.constantFrom(...names),
    fc.constantFrom('baseUrl', 'fil', 'no', 'toString', 'file.x', '__proto__', 'f', 'q'),
  );
  const alias = fc.oneof(
    own.map((name) => flagSpecs[name].alias ?? 'f'),
    fc.constantFrom('f', 'q', 'F', 'i', 'x', 'fq', 'qf', 'f=x', 'fdocs'),
  );
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(anyName, values).map(([name, value]) => [`--${name}`, value]) },
    { weight: 4, arbitrary: fc.tuple(anyName, values).map(([name, value]) => [`--${name}=${value}`]) },
    { weight: 3, arbitrary: anyName.map((name) => [`--${name}`]) },
    { weight: 2, arbitrary: anyName.map((name) => [`--no-${name}`]) },
    { weight: 1, arbitrary: fc.tuple(anyName, values).map(([name, value]) => [`--no-${name}=${value}`]) },
    { weight: 3, arbitrary: fc.tuple(alias, values).map(([name, value]) => [`-${name}`, value]) },
    { weight: 1, arbitrary: alias.map((name) => [`-${name}`]) },
    { weight: 3, arbitrary: values.map((value) => [value]) },
  );
};

const lines = fc
  .constantFrom(...commands)
  .chain((command) =>
    fc
      .array(pieces(command), { maxLength: 5 })
      .map((parts) => [command.name, ...parts.flat()] as readonly string[]),
  );

test('what the short way reads, yargs reads alike', { timeout: patience(60_000) }, async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(lines, async (args) => {
      const line = readCommonLine(args);
      if (line === undefined) return;
      taken += 1;
      expect(line).toEqual(await asYargs(args));
    }),
    tries(800),
  );
  expect(taken).toBeGreaterThan(runs(80));
});

/** For each command three lines that hold all its flags, each time in another of their plain forms. */
function plainLines(): readonly (readonly string[])[] {
  return commands.flatMap((command) =>
    [0, 1, 2].map((form) => [
      command.name,
      ...flagNamesOf(command).flatMap((name) => plain(command, { name, form })),
    ]),
  );
}

function plain(
  command: Command,
  { name, form }: { readonly name: keyof Flags; readonly form: number },
): readonly string[] {
  const { type, alias, list } = flagSpecs[name];
  const [value = '2'] = flagChoices(command, name) ?? [];
  const long = `--${flagName(name)}`;
  const short = alias === undefined ? long : `-${alias}`;
  if (type === 'boolean') return [[long, `--no-${flagName(name)}`, short][form] ?? long];
  if (name === 'format')
    return [[long, value], [`${long}=${value}=a=b.txt`], [long, `${value}=a`]][form] ?? [];
  const forms = [[long, value], [`${long}=${value}`], [short, value]];
  return list === true ? forms.flat() : (forms[form] ?? []);
}

test.each(plainLines())('the short way reads %s with all its flags: %j', async (...args) => {
  const line = readCommonLine(args);
  expect(line).toBeDefined();
  expect(line).toEqual(await asYargs(args));
});

test('the short way reads the examples of the help', async () => {
  for (const example of commands.flatMap(({ examples = [] }) => examples)) {
    const args = example
      .replace(/ >.*/, '')
      .split(' ')
      .slice(1)
      .map((word) => word.replaceAll("'", ''));
    expect(readCommonLine(args), example).toBeDefined();
    expect(readCommonLine(args)).toEqual(await asYargs(args));
  }
});

test.each([
  ['plan', '--bse', 'main'],
  ['plan', '--base'],
  ['plan', '--base', '--quiet'],
  ['plan', '--base', 'a', '--base', 'b'],
  ['plan', '--format', 'yml'],
  ['plan', '--format', 'yml=plan.yml'],
  ['plan', '--format', 'json='],
  ['plan', '--format', 'json', '--format', 'text'],
  ['plan', '--format', 'json=a', '--format', 'compact=a'],
  ['plan', '--parallelism', 'many'],
  ['plan', '--quiet=maybe'],
  ['plan', 'docs'],
  ['apply', 'a.json', 'b.json'],
  ['schema', 'manifests'],
  ['aply'],
])('the short way leaves mistakes to yargs: %j', (...args) => {
  expect(readCommonLine(args)).toBeUndefined();
});
