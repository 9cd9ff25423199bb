/** What each command loads of dist/: its chunks together have a budget, which the build prints and a test holds. */

/** KiB of all chunks that a command loads to run; with room for what is added to them, not for another package. */
export const budgets = {
  '--version': 3,
  '--help': 86,
  plan: 1385,
  apply: 1425,
  rehearse: 1385,
  undo: 1440,
  history: 460,
  show: 515,
  graph: 715,
  validate: 600,
  adopt: 1590,
  drift: 1700,
  fmt: 1030,
  matrix: 590,
  report: 350,
  comment: 415,
  issue: 415,
  approval: 420,
  unlock: 455,
  explain: 620,
  list: 1020,
  export: 1485,
  init: 1490,
  doctor: 1120,
  scaffold: 675,
  completion: 85,
  schema: 485,
  api: 915,
  serve: 735,
  demo: 1795,
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
const online = [
  'plan',
  'apply',
  'rehearse',
  'undo',
  'init',
  'doctor',
  'list',
  'adopt',
  'drift',
  'export',
  'api',
  'demo',
];

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
