/** Reads saved plans. The content is checked before it is used; secrets come from the environment. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { slashHelp } from '../../manifest/files/paths.ts';
import type { Env } from '../../past/workspace.ts';
import type { Plan } from '../../plan/plan.ts';
import type { SavedTree } from '../../tree/desired-schema.ts';
import { defined } from '../../util/defined.ts';
import { picked } from '../../util/picked.ts';
import { type Filled, fillSecrets, unfilled } from '../../util/secret.ts';
import { systemReason, userError } from '../../util/user-error.ts';
import { planDigest } from '../approval/digest.ts';
import type { PlanInputs } from '../planning.ts';
import { parseFile } from '../read-file.ts';
import { openTree, reviveSecrets } from './saved-tree.ts';
import { type PlanDocument, planDocument, type SavedBase } from './schema.ts';
import { checksumOf } from './write-plan.ts';

/** Maximum size of a plan in bytes. */
const largest = 256 * 1024 * 1024;
const deepest = 1000;

export interface PlanFile {
  readonly file: string;
  readonly plan: Plan;
  readonly inputs: (env: Env) => PlanInputs | undefined;
}

/** Reads a file of `plan --out`, or the output of `plan --format json`. Throws a DiagnosticError otherwise. */
export function readPlanFile(cwd: string, file: string): PlanFile {
  const document = parse(cwd, file);
  const { inputs } = document;
  const plan: Plan = {
    format: 1,
    ...defined(picked(document, 'shard', 'service', 'embedded', 'overlays', 'binding')),
    organizations: reviveSecrets(document.organizations, { secret: () => unfilled }),
  };
  if (planDigest(plan) !== document.digest) throw notValid(file, 'its digest is not that of its content');
  return {
    file,
    plan,
    inputs: (env) => (inputs === undefined ? undefined : makeInputs(inputs, { cwd, env })),
  };
}

function parse(cwd: string, file: string): PlanDocument {
  const wrong = (reason: string) => notValid(file, reason);
  let value: unknown;
  try {
    if (statSync(resolve(cwd, file)).size > largest) throw wrong('it is too large');
    value = parseFile(cwd, file, wrong);
  } catch (error) {
    const reason = systemReason(error);
    if (reason !== undefined)
      throw userError('plan-file', `cannot read the plan ${file}: ${reason}`, slashHelp(file));
    throw error;
  }
  if (isDeeper(value, deepest)) throw wrong('it is nested too deeply');
  const parsed = planDocument().safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw wrong(`${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'invalid'}`);
  }
  const { checksum, inputs } = parsed.data;
  // The checksum covers the document as it was read: a schema may drop unknown keys.
  if ((checksum !== undefined || inputs !== undefined) && checksum !== checksumOf(value as object)) {
    throw wrong('it was changed or truncated after it was saved');
  }
  return parsed.data;
}

function notValid(file: string, reason: string): Error {
  return userError('plan-file', `${file} is not a valid plan: ${reason}`, 'save one with octavo plan --out');
}

/** Iterative, because a deep value could exhaust the stack. */
function isDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((inner) =>
      typeof inner === 'object' && inner !== null ? Object.values(inner) : [],
    );
  }
  return false;
}

function makeInputs(
  { trees, options, commit, manifests }: NonNullable<PlanDocument['inputs']>,
  { cwd, env }: { readonly cwd: string; readonly env: Env },
): PlanInputs {
  const fill = { secret: (template: string) => fillTemplate(template, env), cwd };
  // Secrets of the base need not be set.
  const known = {
    secret: (template: string) => fillSecrets(template, (name) => env[name] || undefined) ?? unfilled,
  };
  const pasts = trees.map(({ desired, base, own }) => {
    const tree = base && openTree(wholeBase(base, desired), { ...fill, ...known });
    return [desired.label, { tree, own }] as const;
  });
  return {
    trees: trees.map(({ desired }) => openTree(desired, fill)),
    pasts: new Map(pasts),
    choices: options,
    commit,
    ...defined({ manifests }),
  };
}

function wholeBase(base: SavedBase, declared: SavedTree): SavedTree {
  const nodes = new Map(declared.nodes.map((node) => [node.address, node]));
  const whole = (node: SavedBase['nodes'][number]) => {
    if (!('same' in node)) return node;
    const { id: _own, knownId: _known, ...same } = nodes.get(node.same) ?? {};
    if (!('kind' in same)) throw userError('plan-file', `the saved plan lacks ${node.same}`, 'plan again');
    return { ...same, ...defined({ id: node.id, knownId: node.knownId }) };
  };
  return { ...base, nodes: base.nodes.map(whole) };
}

function fillTemplate(template: string, env: Env): Filled {
  const filled = fillSecrets(template, (name) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && value !== '') return value;
    throw userError(
      'missing-secret',
      `the secret ${name} is not set`,
      `set the environment variable ${name}`,
    );
  });
  return filled ?? unfilled;
}
