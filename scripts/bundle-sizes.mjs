/** What each command loads of dist/: its chunks together have a budget, which the build prints and a test holds. */

/** KiB of all chunks that a command loads to run; with room for what is added to them, not for another package. */
export const budgets = {
  '--version': 4,
  '--help': 62,
  plan: 1540,
  apply: 1570,
  rehearse: 1535,
  undo: 1590,
  history: 455,
  show: 450,
  validate: 760,
  adopt: 1555,
  matrix: 760,
  report: 360,
  comment: 480,
  issue: 480,
  approval: 480,
  unlock: 545,
  schema: 350,
  api: 1045,
  serve: 635,
  demo: 1915,
};

/** For each command line: the bytes of its chunks, and the packages that are in them. */
export function bundleSizes({ outputs }) {
  return Object.fromEntries(
    Object.keys(budgets).map((command) => {
      const chunks = closure(outputs, entriesOf(command));
      const inputs = chunks.flatMap((path) => Object.keys(outputs[path].inputs));
      const bytes = chunks.reduce((sum, path) => sum + outputs[path].bytes, 0);
      return [
        command,
        { bytes, budget: budgets[command], chunks: chunks.length, packages: packagesOf(inputs) },
      ];
    }),
  );
}

/** The packages that these files belong to, sorted. */
export function packagesOf(inputs) {
  const names = inputs.map((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** One line for each command. */
export function sizesText(sizes) {
  const kibibytes = ({ bytes }) => Math.ceil(bytes / 1024);
  return Object.entries(sizes)
    .map(([command, size]) => {
      const over = kibibytes(size) > budgets[command] ? '  over its budget' : '';
      return `${command.padEnd(10)} ${String(kibibytes(size)).padStart(5)} of ${String(budgets[command]).padStart(4)} KiB in ${size.chunks} files${over}\n`;
    })
    .join('');
}

/** Commands that send requests, and so load the client on top. */
const online = ['plan', 'apply', 'rehearse', 'undo', 'adopt', 'api', 'demo'];

/** Commands that run the embedded service whatever they are given. */
const serving = ['serve', 'demo'];

function entriesOf(command) {
  if (command === '--version') return ['src/cli/octavo.ts'];
  const started = ['src/cli/octavo.ts', 'src/cli/start.ts'];
  if (command === '--help') return [...started, 'src/cli/help.ts'];
  const client = online.includes(command) ? ['src/cli/service-client.ts'] : [];
  const service = serving.includes(command) ? ['src/server/index.ts'] : [];
  return [...started, `src/cli/commands/${command}.ts`, ...client, ...service];
}

/** The chunks of these entry points, with all that they import at once. */
function closure(outputs, entries) {
  const waiting = Object.keys(outputs).filter((path) => entries.includes(outputs[path].entryPoint));
  if (waiting.length !== entries.length) throw new Error(`no chunk for one of ${entries.join(', ')}`);
  const found = new Set(waiting);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const { path: next, kind, external } of outputs[path].imports) {
      if (kind !== 'import-statement' || external === true || found.has(next)) continue;
      found.add(next);
      waiting.push(next);
    }
  }
  return [...found];
}
