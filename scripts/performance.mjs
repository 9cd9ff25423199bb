/** Makes docs/internals/performance.md from the results of benchmarks that were last run with --save. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const intro = `# Performance

<!-- Generated from the results of the benchmarks; do not edit. -->

A plan sends only the requests that it needs, and its work grows linearly with the number of objects. The tables below show the results of the
benchmarks in [bench/](../../bench). Compare the ratios: both sides of a ratio were measured by turns on one machine, so ratios apply to other
machines, while seconds do not. A ratio is a median, with the minimum and the maximum in parentheses.

To repeat the benchmarks:

<!-- not run: needs a clone of Octavo -->
\`\`\`sh
npm run bench                          # all of them; some take many minutes
npm run bench plan-network             # one
npm run bench -- start --json results  # writes its results to results/start.json
npm run bench -- start --save          # keeps its results for this page, which npm run generate then writes
\`\`\`

The benchmarks run the embedded service in a process of its own. Ratios are worse on a machine that does other work at the same time.

The network benchmarks run against recorded responses that cost no time, in *virtual time*: the CPU time of the main thread plus the skipped waiting
time, with each response held back for 20 ms on that clock ([virtual-time.cjs](../../bench/support/virtual-time.cjs), only on Linux). CPU times
grow with the load of the machine, so compare ratios from one idle machine.

An apply cannot be faster than its requests, or than its longest chain of requests. It takes longer because it also shows and digests the plan, writes each
request to the journal on disk before it is sent, reads lists before creates, and checks responses. With 1,000 creates at 20 ms and 16 requests in flight, a
quarter of the time passes before the first change. Then the main thread is busy half of the time, 44 % of it with the HTTP client. The apply waits for the
disk 244 times, since requests that arrive together share a write; with the journal in memory it takes 9 % less time. The factor grows with the requests in
flight, so watch the ratio to bare undici.
`;

/** Text of the page. */
export function performancePage(root) {
  const folder = join(root, 'bench', 'results');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  const records = files.sort().map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  return [intro, ...records.map(section)].join('\n');
}

function section({ name, machine, versions, tables }) {
  const about = `\`npm run bench ${name}\`, on Node ${versions.node}, ${machine.platform}, ${machine.cores} cores (${machine.cpu.trim()}), ${machine.memory}.`;
  return [`## ${name}\n`, `${about}\n`, ...tables.map(table)].join('\n');
}

function table({ title, about, lines }) {
  const headings = [...new Set(lines.flatMap(({ values }) => Object.keys(values)))];
  const hasRatios = lines.some(({ ratio }) => ratio !== undefined);
  const head = ['', ...headings, ...(hasRatios ? ['ratio', 'goal'] : [])];
  const rows = lines.map(({ name, values, ratio, atMost, atLeast }) => [
    name,
    ...headings.map((heading) => values[heading] ?? ''),
    ...(hasRatios ? [ratioText(ratio), goalText(atMost, atLeast)] : []),
  ]);
  return [`### ${title}\n`, `${about}\n`, ...markdown(head, rows), ''].join('\n');
}

/** A table in the style of formatters. */
function markdown(head, rows) {
  const widths = head.map((cell, at) => Math.max(3, cell.length, ...rows.map((row) => row[at].length)));
  const line = (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}

function ratioText(ratio) {
  if (ratio === undefined) return '';
  if (typeof ratio === 'number') return ratio.toFixed(2);
  return `${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)})`;
}

function goalText(atMost, atLeast) {
  if (atMost !== undefined) return `≤ ${atMost}`;
  return atLeast === undefined ? '' : `≥ ${atLeast}`;
}
