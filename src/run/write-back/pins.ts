/** Writes only ids of declared live objects, next to their entries. */

import type { Registry } from '../../kinds/registry.ts';
import type { Workspace } from '../../manifest/load-workspace.ts';
import { rootAddress } from '../../tree/desired.ts';
import { type DesiredTree, withIds } from '../../tree/desired-tree.ts';
import { canBePinned } from '../../tree/identity.ts';
import { type Diagnostic, DiagnosticError, type SourceRange } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { literal } from '../../yaml/data.ts';
import { NotPossible } from '../../yaml/edited-document.ts';
import { flowEntry } from '../../yaml/print.ts';
import type { AcceptedChange } from './acceptance.ts';
import type { AcceptedOrganization } from './accepted-tree.ts';
import { overrideOf } from './overrides.ts';
import { placeIn, type WantedManifests } from './wanted.ts';

/** @throws DiagnosticError if files are shared by several organizations: the ids of one would be wrong for the others. */
export function addPins(
  organizations: readonly AcceptedOrganization[],
  { workspace, registry }: { readonly workspace: Workspace; readonly registry: Registry },
  wanted: WantedManifests,
): void {
  const requireAlone = aloneIn(workspace);
  const pins = organizations.flatMap((one) => pinsOf(one, registry));
  refuseShared(pins, workspace);
  for (const { pin, node, tree } of pins) {
    const add = () => {
      requireAlone(tree, pin);
      const isMade = pin.at.usedAt !== undefined;
      const found = isMade ? overrideOf(wanted, tree, { node, at: pin.at }) : wanted.placeOf(pin.at);
      wanted.set(placeIn(found, 'id'), literal(pin.id), pin, { isFirst: !isMade });
    };
    wanted.attempt(pin, add, `add ${pin.what} to the entry by hand`);
  }
}

/** Adds the written ids to the tree; the edited manifests must declare exactly that. */
export function pinned(tree: DesiredTree, changes: readonly AcceptedChange[]): DesiredTree {
  const own = changes.filter(({ label }) => label === tree.label);
  return withIds(tree, new Map(own.flatMap(({ address, id }) => (id === undefined ? [] : [[address, id]]))));
}

type Pin = AcceptedChange & { readonly id: string };

/** Objects with a live counterpart and without an id; objects identified by their key need none. */
function pinsOf({ tree, plan, isChosen }: AcceptedOrganization, registry: Registry) {
  return [...tree.nodes.values()].flatMap((node) => {
    const { address, at, kind, id: own } = node;
    const id = Object.hasOwn(plan.ids, address) ? plan.ids[address] : undefined;
    const isPinnable = address !== rootAddress && own === undefined && canBePinned(registry.byName(kind));
    if (id === undefined || !isPinnable || !isChosen(address)) return [];
    const pin: Pin = { label: tree.label, address, what: flowEntry('id', literal(id)), id, at };
    return [{ pin, node, tree }];
  });
}

/** Refuses ids for entries that aliases, merge keys or included files turn into several objects. */
function aloneIn({ trees }: Workspace): (tree: DesiredTree, pin: Pin) => void {
  const declared = new Map<string, string[]>();
  const nameOf = ({ label }: DesiredTree, address: string) =>
    trees.length > 1 ? `${label}/${address}` : address;
  const placeOf = ({ file, line, column, usedAt }: SourceRange) =>
    JSON.stringify([file, line, column, usedAt]);
  for (const tree of trees)
    for (const { at, address } of tree.nodes.values()) push(declared, placeOf(at), nameOf(tree, address));
  return (tree, { at, address }) => {
    const others = (declared.get(placeOf(at)) ?? []).filter((other) => other !== nameOf(tree, address));
    if (others.length > 0) throw new NotPossible(`the entry also declares ${others.join(', ')}`);
  };
}

function refuseShared(pins: ReturnType<typeof pinsOf>, workspace: Workspace): void {
  const { trees, sources, overlays } = workspace;
  const shared = pins.filter(({ pin }) => overlays?.files.has(pin.at.file) !== true);
  const problems = trees.flatMap((tree): readonly Diagnostic[] => {
    const choice = chosenBy(tree, workspace);
    if (choice === undefined || !shared.some(({ pin }) => pin.label === tree.label)) return [];
    const message = `${choice.chooser} chooses the organization, so the ids of ${tree.label} do not belong into files that others share`;
    const suggestion = 'write them into an overlay by hand: octavo list shows them\nnothing was written';
    return [{ severity: 'error', code: 'ids-of-one-organization', message, at: choice.at, suggestion }];
  });
  if (problems.length > 0) throw new DiagnosticError(problems, sources);
}

/** The overlay or variable that chooses the organization. */
function chosenBy(tree: DesiredTree, { sources, overlays }: Workspace) {
  const at = tree.root?.fieldAt.id ?? tree.root?.at;
  if (at === undefined) return undefined;
  const overlay = overlays?.files.get(at.file);
  const isVariable = sources.get(at.file)?.split('\n')[at.line - 1]?.includes('${') === true;
  if (overlay === undefined && !isVariable) return undefined;
  return { at, chooser: isVariable ? 'a variable' : `the overlay ${overlay}` };
}
