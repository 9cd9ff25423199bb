/** Saves a plan with the inputs that are needed to apply it later and elsewhere. Contains no secrets. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { workFolder } from '../../manifest/files/work-folder.ts';
import { planChoicesSchema } from '../../plan/scope/choices.ts';
import { planDocumentOf } from '../../review/plan-document.ts';
import { type DesiredNode, idIn, secretsOf, writesSecret } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { defined } from '../../util/defined.ts';
import { stablePieces, stableStringify } from '../../util/json.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import { digestsOf } from '../approval/digest.ts';
import type { PlanInputs, PlanRun } from '../planning.ts';
import { saveTree } from './saved-tree.ts';

/** Writes the whole file or fails without a trace. Throws a DiagnosticError if it cannot be written. */
export function writePlanFile(
  cwd: string,
  file: string,
  { plan, inputs }: PlanRun,
  folder = workFolder,
): void {
  const shown = formerSecret({ plan, inputs });
  if (shown !== undefined)
    throw userError(
      'out',
      `cannot save the plan: the base writes ${shown} with a secret, and a variable that would be saved fills it in now`,
      'write ${secret:NAME} in the manifest, or apply without a saved plan',
    );
  const document = { ...planDocumentOf(plan, digestsOf(plan)), inputs: inputsJson(inputs) };
  const text = documentPieces({ ...document, checksum: checksumOf(document) });
  try {
    // The file has content that is visible in the app, and the names of variables for secrets.
    folder.put(resolve(cwd, file), text, 0o600);
  } catch (error) {
    throw userError(
      'out',
      `cannot save the plan as ${file}: ${reasonOf(error)}`,
      'name another file with --out',
    );
  }
}

function formerSecret({ plan, inputs: { trees, pasts } }: PlanRun): string | undefined {
  const found = plan.organizations.flatMap(({ label, ids }) => {
    const nodes = [...(trees.find((tree) => tree.label === label)?.nodes.values() ?? [])];
    return [...(pasts.get(label)?.tree?.nodes.values() ?? [])].flatMap((former) => {
      const { address } = former;
      const id = idIn(former) ?? '';
      const secrets = secretsOf(former);
      const isSame = (one: DesiredNode) => one.address === address || ids[one.address] === id;
      const node = secrets.length === 0 ? undefined : nodes.find(isSame);
      const isFilled = (name: string) => node?.inputs?.[name] !== undefined && !writesSecret(node, name);
      return secrets.filter(isFilled).map((name) => `${name} of ${node?.address}`);
    });
  });
  return found[0];
}

export function checksumOf(document: object): string {
  const { checksum: _own, ...rest } = document as { readonly checksum?: unknown };
  const hash = createHash('sha256');
  for (const piece of stablePieces(rest)) hash.update(piece);
  return hash.digest('hex');
}

function* documentPieces(document: object): Generator<string> {
  yield* stablePieces(document);
  yield '\n';
}

function inputsJson({ trees, pasts, choices, commit, manifests }: PlanInputs) {
  return {
    trees: trees.map((desired) => {
      const { tree: base, own } = pasts.get(desired.label) ?? {};
      const saved = saveTree(desired);
      return { desired: saved, ...defined({ base: base && saveBase(base, saved), own }) };
    }),
    options: planChoicesSchema().parse(defined(choices)),
    ...defined({ commit, manifests }),
  };
}

/** Stores only the address and id of nodes that equal the declared ones; their places are today's. */
function saveBase(base: DesiredTree, declared: ReturnType<typeof saveTree>) {
  const textOf = ({ at: _place, id: _id, knownId: _known, ...node }: (typeof declared.nodes)[number]) =>
    stableStringify(node);
  const texts = new Map(declared.nodes.map((node) => [node.address, textOf(node)]));
  const { nodes, ...tree } = saveTree(base);
  const saved = nodes.map((node) =>
    texts.get(node.address) === textOf(node)
      ? { same: node.address, ...defined({ id: node.id, knownId: node.knownId }) }
      : node,
  );
  return { ...tree, nodes: saved };
}
