/** Each block of commands in the documentation runs, in order, against the embedded service. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readLine } from '../../src/cli/line/read-line.ts';
import { root } from '../cli/octavo.ts';
import { type CommandBlock, commandBlocks, octavoLines } from './page.ts';
import { type BlockResult, runBlocks } from './shell.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

/** Accepted reasons for not running a block: requirements that the test does not provide. */
const reasons = [
  /^needs (?:Docker|the npm registry|a repository on GitHub|another terminal|a browser|a clone of Octavo)$/,
  /^for bash, zsh or fish, each in its own file$/,
];

/** Replaces values that differ between runs. */
function normal(text: string): string {
  return text
    .replace(/\br-[0-9a-z]{8}-[0-9a-f]{8}\b/g, 'r-########-########')
    .replace(/@[0-9a-f]{7,40}\b/g, '@#######')
    .replace(/\b[0-9a-f]{16}\b/g, '################')
    .replace(/\d+(?:\.\d+)? (?:ms|s)\b/g, '# s')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g, '####-##-##')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();
}

/** Whether a page shows the output of a command; a line `…` matches any number of lines. */
function shows(shown: string, printed: string): boolean {
  const parts = normal(shown).split(/^…$/m);
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*');
  return new RegExp(`^${pattern}$`).test(normal(printed));
}

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = commandBlocks(text);
  const run = blocks.filter(({ notRun }) => notRun === undefined);

  test('gives a known reason for each block that is not run', () => {
    const without = blocks.flatMap(({ line, notRun }) =>
      notRun === undefined || reasons.some((reason) => reason.test(notRun))
        ? []
        : [`${page}:${line}: ${notRun}`],
    );
    expect(without).toEqual([]);
  });

  test('has valid command lines in blocks that are not run', async () => {
    const lines = blocks
      .filter(({ notRun }) => notRun !== undefined)
      .flatMap(({ commands }) => octavoLines(commands));
    for (const line of lines) {
      const words = line.split(/\s+>/)[0]?.split(/\s+/).slice(1) ?? [];
      await expect(readLine(words.map((word) => word.replace(/["']/g, ''))), line).resolves.toBeDefined();
    }
  });

  test.skipIf(run.length === 0)('has commands with the documented output and exit codes', async () => {
    const results = await runBlocks(run);
    const wrong = run.flatMap((block, at) => wrongIn(page, block, results[at]));
    expect(wrong.join('\n')).toBe('');
    if (process.env.UPDATE_GOLDEN === '1') update(page, text, run, results);
    for (const [at, { shown, line }] of run.entries()) {
      if (shown === undefined) continue;
      const printed = results[at]?.stdout ?? '';
      const isShown = process.env.UPDATE_GOLDEN === '1' || shows(shown.text, printed);
      expect({ line, output: isShown ? '' : printed }).toEqual({ line, output: '' });
    }
  });
});

function wrongIn(
  page: string,
  { line, exits, commands }: CommandBlock,
  result: BlockResult | undefined,
): readonly string[] {
  if (String(result?.exits) === String(exits)) return [];
  return [
    `${page}:${line}: exit codes ${String(result?.exits)} in place of ${String(exits)}\n${commands}${result?.stdout}${result?.stderr}`,
  ];
}

/** Writes the output of commands into the page if it differs in more than values that differ between runs. */
function update(
  page: string,
  text: string,
  run: readonly CommandBlock[],
  results: readonly BlockResult[],
): void {
  let updated = text;
  for (const [at, { shown }] of [...run.entries()].reverse()) {
    const printed = results[at]?.stdout ?? '';
    if (shown === undefined || shows(shown.text, printed) || /^…$/m.test(shown.text)) continue;
    updated = updated.slice(0, shown.from) + printed.replace(/\n*$/, '\n') + updated.slice(shown.to);
  }
  if (updated !== text) writeFileSync(join(root, page), updated);
}
