/**
 * Results of a benchmark: tables with ratios and goals. Prints them, and writes them as JSON to the file in OCTAVO_BENCH_JSON, if set, with
 * machine and versions.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import type { Ratio } from './compare.ts';

/** A line of a table. */
interface Finding {
  readonly name: string;
  /** Measured values with their units, by column heading. */
  readonly values: Readonly<Record<string, string>>;
  readonly ratio?: Ratio | number;
  /** Goal: the maximum of the ratio or the figure. */
  readonly atMost?: number;
  readonly atLeast?: number;
}

export interface Findings {
  readonly title: string;
  /** Description of the measurement, in one or two sentences. */
  readonly about: string;
  readonly lines: readonly Finding[];
}

/** Prints the tables of the benchmark, and writes them to the requested file. */
export function tell(name: string, tables: readonly Findings[]): void {
  for (const table of tables) process.stdout.write(`\n${textOf(table)}`);
  const file = process.env.OCTAVO_BENCH_JSON;
  if (file === undefined) return;
  const [cpu] = cpus();
  const machine = {
    cpu: cpu?.model ?? 'unknown',
    cores: availableParallelism(),
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    platform: `${process.platform} ${process.arch}`,
  };
  const { node, v8 } = process.versions;
  const record = { name, machine, versions: { node, v8 }, tables };
  writeFileSync(file, `${JSON.stringify(record, undefined, 2)}\n`);
}

/** Formats milliseconds for people. */
export function time(milliseconds: number): string {
  if (milliseconds < 10) return `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

/** Formats bytes for people. */
export function size(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.round(bytes / 2 ** 10)} KiB` : `${Math.round(bytes / 2 ** 20)} MiB`;
}

/** Formats a number with commas. */
export function count(number: number): string {
  return number.toLocaleString('en');
}

function textOf({ title, about, lines }: Findings): string {
  const rows = cellsOf(lines);
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const text = rows.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
  return `${title}\n${about}\n\n${text.map((line) => line.trimEnd()).join('\n')}\n`;
}

/** Cells of the headings, and of each line. */
function cellsOf(lines: readonly Finding[]): readonly (readonly string[])[] {
  const headings = [...new Set(lines.flatMap(({ values }) => Object.keys(values)))];
  const hasRatios = lines.some(({ ratio }) => ratio !== undefined);
  const rows = lines.map(({ name, values, ratio, atMost, atLeast }) => [
    name,
    ...headings.map((heading) => values[heading] ?? ''),
    ...(hasRatios ? [ratioText(ratio), goalText(atMost, atLeast)] : []),
  ]);
  return [['', ...headings, ...(hasRatios ? ['ratio', 'goal'] : [])], ...rows];
}

function ratioText(ratio: Ratio | number | undefined): string {
  if (ratio === undefined) return '';
  if (typeof ratio === 'number') return ratio.toFixed(2);
  return `${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)})`;
}

function goalText(atMost: number | undefined, atLeast: number | undefined): string {
  if (atMost !== undefined) return `≤ ${atMost}`;
  return atLeast === undefined ? '' : `≥ ${atLeast}`;
}
