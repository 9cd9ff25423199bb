/** Follows the help of a diagnostic: a command fails, does what its help says, and then reaches what was meant. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { folder, manifest, octavo, type Ran, start } from './octavo.ts';

export type Line = readonly string[];
/** A line may name ids that the commands before it have printed. */
type NextLine = Line | ((printed: string) => Line);
type Texts = Readonly<Record<string, string>>;
export type Env = Readonly<Record<string, string>>;

export interface Row {
  readonly files?: Texts;
  readonly env?: () => Env;
  readonly before?: readonly NextLine[];
  /** Done after the commands before. */
  readonly meanwhile?: (cwd: string) => void;
  readonly wrong: Line;
  /** The command succeeds, with a warning or a hint. */
  readonly isWarning?: true;
  /** Default: the code, on stderr. */
  readonly shown?: string;
  /** A part of the message or the help. */
  readonly help: string;
  /** What the help says to change. */
  readonly change?: (cwd: string, help: string) => void;
  /** Default: the same command. Commands before the last one must succeed. */
  readonly right?: readonly NextLine[] | ((help: string) => readonly NextLine[]);
  readonly rightEnv?: () => Env;
  readonly code?: number;
  /** A part of the output after the help was followed: of the last command, or of each. */
  readonly shows: string | readonly string[];
  /** The command runs until it gets a signal. */
  readonly isServer?: true;
}

export const local = () => ({ OCTAVO_BASE_URL: 'local:w.db' });
export const write = (name: string, text: string) => (cwd: string) => writeFileSync(join(cwd, name), text);

const textOf = ({ stdout, stderr }: Ran) => (stderr + stdout).replace(/\s+/g, ' ');
const given = (line: NextLine, printed: string) => (typeof line === 'function' ? line(printed) : line);

export async function followHelp(code: string, row: Row): Promise<void> {
  const { files, env = local, before = [], wrong, help, right = [wrong], rightEnv = env } = row;
  const { isWarning = false, shown = isWarning ? `[${code}]` : `error[${code}]`, shows } = row;
  const cwd = folder({ 'acme.yaml': manifest, ...files });
  let printed = '';
  for (const line of before) {
    const ran = await octavo(given(line, printed), { cwd, env: env() });
    expect(ran, textOf(ran)).toMatchObject({ code: 0 });
    printed += ran.stdout;
  }
  row.meanwhile?.(cwd);
  const refused = await octavo(wrong, { cwd, env: env() });
  expect(refused.code === 0, textOf(refused)).toBe(isWarning);
  expect(textOf(refused)).toContain(shown);
  const told = textOf(refused).slice(textOf(refused).indexOf(shown));
  expect(told).toContain(help);
  row.change?.(cwd, told);
  const lines = typeof right === 'function' ? right(told) : right;
  for (const [at, line] of lines.entries()) {
    const isLast = at === lines.length - 1;
    const part = typeof shows === 'string' ? (isLast ? shows : '') : (shows[at] ?? '');
    const running = start(given(line, printed), { cwd, env: rightEnv() });
    if (row.isServer === true) {
      await running.stdout.until(part);
      running.kill('SIGINT');
    }
    const ran = await running.ended;
    expect(ran, textOf(ran)).toMatchObject({ code: isLast ? (row.code ?? 0) : 0 });
    expect(textOf(ran)).not.toContain(shown);
    expect(textOf(ran)).not.toContain(`[${code}]`);
    expect(textOf(ran)).toContain(part);
    printed += ran.stdout;
  }
}
