/** What each command loads of dist/: its chunks together have a budget, which the build prints and a test holds. */

/** KiB of all chunks that a command loads to run; with room for what is added to them, not for another package. */
export const budgets = {
  '--version': 3,
  '--help': 55,
  access: 329,
  plan: 1560,
  apply: 1545,
  undo: 1597,
  history: 615,
  show: 617,
  validate: 720,
  test: 1560,
  render: 690,
  drift: 1799,
  fmt: 858,
  ci: 712,
  unlock: 400,
  explain: 556,
  list: 1018,
  export: 1444,
  init: 1364,
  doctor: 1055,
  completion: 71,
  schema: 585,
  api: 825,
  serve: 828,
  demo: 1180,
};

/** For each command line: the bytes of its chunks, and the packages and modules that are in them. */
export function bundleSizes(bundle) {
  return Object.fromEntries(
    Object.keys(budgets).map((command) => {
      const chunks = bundle.closure(entriesOf(command));
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
      const modules = chunks.flatMap((chunk) => chunk.modules);
      const packages = packagesOf(modules);
      return [command, { bytes, budget: budgets[command], chunks: chunks.length, packages, modules }];
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
const online = ['plan', 'apply', 'undo', 'init', 'doctor', 'list', 'drift', 'export', 'api', 'demo'];

/** What runs load by name, apart from the client. */
const besides = {
  plan: ['src/cli/service/session.ts', 'src/cli/show/plan.ts', 'src/report/plan/text.ts'],
  validate: ['src/report/diagnostics/validation.ts'],
  ci: ['src/cli/ci/plan.ts'],
};

/** Commands that run the embedded service whatever they are given. */
const serving = ['serve', 'demo'];

/** What every command starts with. */
export const startEntries = ['src/cli/octavo.ts', 'src/cli/main.ts', 'src/cli/world/process-world.ts'];

/** What a command loads by name: its own file, and what almost each of its runs needs besides. */
export function entriesOf(command) {
  if (command === '--version') return ['src/cli/octavo.ts'];
  if (command === '--help') return [...startEntries, 'src/cli/line/help.ts'];
  const client = online.includes(command) ? ['src/cli/service/client.ts'] : [];
  const service = serving.includes(command) ? ['src/server/index.ts'] : [];
  const own = [`src/cli/commands/${command}.ts`, ...(besides[command] ?? [])];
  return [...startEntries, 'src/cli/line/read-line.ts', ...own, ...client, ...service];
}
