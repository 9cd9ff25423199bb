import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { registry } from '../../kinds/index.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import { writeWhole } from '../../run/write-file.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { greatest } from '../../util/lists.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, manifests } from '../line/flags.ts';
import { kindNamed, placeFor } from '../scaffold/place.ts';
import { skeletonText } from '../scaffold/skeleton.ts';
import { readSettings } from '../service/settings.ts';

const flags = {
  ...manifests,
  ...flagTable('Other flags', {
    under: {
      type: 'string',
      value: 'address',
      description: 'Parent of the new object (default: the only possible one)',
    },
    organization: {
      type: 'string',
      value: 'name',
      description: 'Organization of the new object, if the manifests declare several',
    },
    into: { type: 'string', value: 'path', description: 'Add the skeleton to this file, new or existing' },
    list: { type: 'boolean', description: 'List the kinds' },
  }),
};

type ScaffoldInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  words: {
    name: 'kind-and-key',
    description: 'Kind, such as section, and the key of the object',
    many: true,
    completes: 'kinds',
  },
  flags,
  examples: [
    'octavo scaffold --list',
    'octavo scaffold site developer-hub',
    'octavo scaffold section guides --under sites/developer-hub --into guides.yaml',
  ],
  guide: 'editors',
  run,
});

async function run(invocation: ScaffoldInvocation): Promise<number> {
  const { flags, words, output } = invocation;
  const [word, key, ...more] = words;
  if (word === undefined || flags.list === true) {
    output.result(kindsText());
    return 0;
  }
  if (more.length > 0)
    throw userError('usage', `one key at a time: ${words.slice(1).join(', ')}`, 'pass one key');
  const kind = kindNamed(registry, word);
  const trees = await declaredTrees(invocation);
  const tree = treeFor(trees, flags.organization);
  const isRoot = kind === registry.root;
  if (isRoot && (key !== undefined || flags.under !== undefined))
    throw userError('usage', 'an organization has no key and no parent', 'leave them out');
  const place = isRoot ? { key: '', path: [] } : placeFor({ registry, kind, key, under: flags.under, tree });
  const text = skeletonText({
    registry,
    kind,
    ...place,
    organization: tree === undefined ? 'org_id' : (tree.id ?? { match: defined({ ...tree.match }) }),
    declaredKey: (name) => tree?.ofKind(name)[0]?.key,
  });
  if (flags.into === undefined) output.result(text);
  else add(invocation, flags.into, text);
  return 0;
}

/** Parts with errors are left out; a skeleton is even more useful then. */
async function declaredTrees(invocation: ScaffoldInvocation): Promise<readonly DesiredTree[]> {
  const { cwd, env } = invocation;
  const { files: paths, overlays } = await readSettings(invocation);
  return (await loadWorkspace({ paths, overlays, env, cwd, registry, purpose: 'check' })).trees;
}

function treeFor(trees: readonly DesiredTree[], named: string | undefined): DesiredTree | undefined {
  const labels = trees.map(({ label }) => label);
  if (named !== undefined) {
    const found = trees.find(({ label, id }) => label === named || id === named);
    if (found !== undefined) return found;
    const known = labels.length === 0 ? 'there are no manifests' : `use one of ${labels.join(', ')}`;
    throw userError('scaffold', `no manifest declares the organization ${named}`, known);
  }
  if (trees.length > 1) {
    throw userError(
      'scaffold',
      `the manifests declare ${trees.length} organizations`,
      `pass --organization, one of ${labels.join(', ')}`,
    );
  }
  return trees[0];
}

function add({ cwd, output }: ScaffoldInvocation, file: string, text: string): void {
  if (!/\.ya?ml$/i.test(file))
    throw userError('scaffold', `not a manifest: ${file}`, 'name a .yaml file with --into');
  const target = path.resolve(cwd, file);
  try {
    const before = existsSync(target) ? readFileSync(target, 'utf8') : '';
    const isEmpty = before.trim() === '';
    // A separate document: existing text is not touched, and both are merged when they are read.
    writeWhole(target, isEmpty ? text : `${before.replace(/\n*$/, '\n')}---\n${text}`);
  } catch (error) {
    throw userError('write', `cannot write ${file}: ${reasonOf(error)}`);
  }
  output.note(`Added to ${file}. Next: edit it, then octavo validate.`);
}

function kindsText(): string {
  const rows = registry.kinds.map(
    ({ noun, description }) => [noun.toLowerCase().replaceAll(' ', '-'), description] as const,
  );
  const width = greatest(rows.map(([name]) => name.length));
  return rows
    .map(([name, description]) => `${name.padEnd(width)}  ${description.replaceAll('`', '')}\n`)
    .join('');
}
