/** What each command loads of dist/: its chunks together have a budget, which the build prints and a test holds. */

/** KiB of all chunks that a command loads to run; with room for what is added to them, not for another package. */
export const budgets = {
  '--version': 3,
  '--help': 65,
  access: 1600,
  plan: 1690,
  apply: 1725,
  undo: 1742,
  history: 671,
  show: 680,
  graph: 907,
  validate: 769,
  test: 1735,
  render: 947,
  adopt: 1973,
  drift: 2055,
  fmt: 1220,
  matrix: 769,
  report: 444,
  comment: 440,
  issue: 440,
  approval: 440,
  unlock: 545,
  explain: 633,
  list: 1206,
  export: 1830,
  init: 1811,
  doctor: 1350,
  scaffold: 867,
  completion: 90,
  schema: 670,
  api: 975,
  serve: 835,
  demo: 1235,
};

/** For each command line: the bytes of its chunks, and the packages that are in them. */
export function bundleSizes(bundle) {
  return Object.fromEntries(
    Object.keys(budgets).map((command) => {
      const chunks = bundle.closure(entriesOf(command));
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
      const packages = packagesOf(chunks.flatMap(({ modules }) => modules));
      return [command, { bytes, budget: budgets[command], chunks: chunks.length, packages }];
    }),
  );
}

/** The packages that these files belong to, sorted. */
export function packagesOf(inputs) {
  const names = inputs.map((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** One line for each command; without `all`, for those over their budget. */
export function sizesText(sizes, { all }) {
  const kibibytes = ({ bytes }) => Math.ceil(bytes / 1024);
  return Object.entries(sizes)
    .filter(([command, size]) => all || kibibytes(size) > budgets[command])
    .map(([command, size]) => {
      const over = kibibytes(size) > budgets[command] ? '  over its budget' : '';
      return `${command.padEnd(10)} ${String(kibibytes(size)).padStart(5)} of ${String(budgets[command]).padStart(4)} KiB in ${size.chunks} files${over}\n`;
    })
    .join('');
}

/** Commands that send requests, and so load the client on top. */
const online = ['plan', 'apply', 'undo', 'init', 'doctor', 'list', 'adopt', 'drift', 'export', 'api', 'demo'];

/** Commands that run the embedded service whatever they are given. */
const serving = ['serve', 'demo'];

function entriesOf(command) {
  if (command === '--version') return ['src/cli/octavo.ts'];
  const started = ['src/cli/octavo.ts', 'src/cli/main.ts', 'src/cli/world/process-world.ts'];
  if (command === '--help') return [...started, 'src/cli/line/help.ts'];
  const client = online.includes(command) ? ['src/cli/service/client.ts'] : [];
  const service = serving.includes(command) ? ['src/server/index.ts'] : [];
  return [...started, 'src/cli/line/read-line.ts', `src/cli/commands/${command}.ts`, ...client, ...service];
}
