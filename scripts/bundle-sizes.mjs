/** Sizes of the dist/ files that each command loads: their sum has a budget, which the build prints and a test enforces. */

/** Budget in KiB of all chunks that a command loads to run; has room for additions, but not for another package. */
export const budgets = {
  '--version': 4,
  '--help': 34,
  access: 725,
  plan: 970,
  apply: 980,
  undo: 1026,
  history: 387,
  show: 360,
  validate: 438,
  test: 1018,
  render: 415,
  drift: 1108,
  fmt: 556,
  mv: 686,
  ci: 450,
  unlock: 227,
  explain: 371,
  list: 619,
  export: 925,
  init: 876,
  doctor: 645,
  completion: 56,
  schema: 132,
  api: 459,
  serve: 548,
};

/** By command line: the bytes of its chunks, and their packages and modules. */
export function bundleSizes(bundle) {
  return Object.fromEntries(
    Object.keys(budgets).map((command) => {
      const chunks = bundle.closure(entriesOf(command));
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
      // Stand-ins for modules are not counted.
      const modules = chunks.flatMap((chunk) => chunk.modules).filter((path) => !path.startsWith('\0'));
      const packages = packagesOf(modules);
      return [command, { bytes, budget: budgets[command], chunks: chunks.length, packages, modules }];
    }),
  );
}

/** The packages that these files belong to, sorted. */
function packagesOf(inputs) {
  return [...new Set(packageFolders(inputs).map((folder) => folder.replace(/^.*node_modules\//, '')))].sort();
}

/** Paths of the packages, sorted: a package may have two versions. */
export function packageFolders(inputs) {
  const folders = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** Prints one line for each command; without `all`, only for commands over their budget. */
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

/** Commands that send requests, and therefore also load the client. */
const online = ['plan', 'apply', 'undo', 'init', 'doctor', 'list', 'drift', 'export', 'api'];

/** Modules that the review of a plan with changes loads late. */
export const changing = ['src/review/access/access.ts', 'src/review/web-addresses.ts'];

const journals = ['src/past/journal/read-journal.ts'];

const jsonSchema = [
  'node_modules/zod/v4/core/to-json-schema.js',
  'node_modules/zod/v4/core/json-schema-processors.js',
];

/** Modules that runs load by name, apart from the client. */
const entryModules = {
  access: ['src/cli/service/session.ts', 'src/run/facts/access-review.ts'],
  apply: changing,
  undo: [...changing, ...journals],
  test: changing,
  history: journals,
  explain: jsonSchema,
  schema: jsonSchema,
  plan: [
    'src/cli/service/session.ts',
    'src/run/plan-run.ts',
    'src/cli/show/plan.ts',
    'src/report/plan/text.ts',
  ],
  validate: ['src/report/diagnostics/validation.ts'],
  ci: ['src/cli/ci/plan.ts'],
};

/** Modules at the start of every command. */
export const startEntries = ['src/cli/octavo.ts', 'src/cli/main.ts', 'src/cli/world/process-world.ts'];

/** Modules that a command loads by name: its own file, and others that almost every run needs. */
export function entriesOf(command) {
  if (command === '--version') return ['src/cli/octavo.ts'];
  if (command === '--help') return [...startEntries, 'src/cli/line/help.ts'];
  const client = online.includes(command) ? ['src/cli/service/client.ts'] : [];
  const service = command === 'serve' ? ['src/server/index.ts'] : [];
  const own = [`src/cli/commands/${command}.ts`, ...(entryModules[command] ?? [])];
  const shared = ['src/cli/line/read-line.ts', 'src/manifest/files/work-folder.ts'];
  return [...startEntries, ...shared, ...own, ...client, ...service];
}
