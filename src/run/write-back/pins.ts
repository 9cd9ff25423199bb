/** Ids for declared objects, from the live objects of a plan. */
import type { Registry } from '../../kinds/registry.ts';
import type { AdoptedObject } from '../../report/results/adoption.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { pinTree } from '../../tree/desired-tree.ts';
import { differencesBetween } from '../../tree/difference.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { stableStringify } from '../../util/json.ts';
import { literal } from '../../yaml/data.ts';
import { flowEntry } from '../../yaml/print.ts';
import { matcherIn } from '../choices.ts';
import type { PlanRun } from '../planning.ts';

export interface Pin {
  readonly label: string;
  readonly address: string;
  readonly shown: string;
  readonly id: string;
  readonly at: SourceRange;
}

export interface PinChoice {
  readonly target?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** Objects with a live counterpart and without an id; objects identified by their key need none. */
export function pinsIn(
  tree: DesiredTree,
  registry: Registry,
  { plan, inputs }: PlanRun,
  { target, exclude }: PinChoice,
): readonly Pin[] {
  const { label } = tree;
  const known = plan.organizations.find((one) => one.label === label)?.ids ?? {};
  const isIn = (patterns: readonly string[] | undefined, otherwise: boolean) =>
    patterns === undefined ? () => otherwise : matcherIn(tree, patterns);
  const [isChosen, isLeftOut] = [isIn(target, true), isIn(exclude, false)];
  return [...tree.nodes.values()].flatMap((node): readonly Pin[] => {
    const { address, at, kind, id: own } = node;
    const id = Object.hasOwn(known, address) ? known[address] : undefined;
    const { manifest, identity } = registry.byName(kind);
    const isPinnable =
      address !== rootAddress &&
      own === undefined &&
      identity.idParam !== undefined &&
      manifest.key === undefined;
    if (id === undefined || !isPinnable || !isChosen(address) || isLeftOut(address)) return [];
    const shown = inputs.trees.length > 1 ? `${label}/${address}` : address;
    return [{ label, address, shown, id, at }];
  });
}

/** A template is not edited, but what is beside its `use`. */
export function editedAt(at: SourceRange): SourceRange {
  return at.usedAt ?? at;
}

export function objectOf({ shown: address, id, at }: Pin, line: number): AdoptedObject {
  return {
    address,
    id,
    entry: flowEntry('id', literal(id)),
    file: editedAt(at).file,
    line,
  };
}

export function lineOf({ label, address, at }: Pin, after: readonly DesiredTree[]): number {
  const node = after.find((tree) => tree.label === label)?.nodes.get(address);
  return node?.fieldAt.id?.line ?? editedAt(at).line;
}

export function isJustPinned(
  after: readonly DesiredTree[],
  before: readonly DesiredTree[],
  pins: readonly Pin[],
): boolean {
  const settingsOf = ({ data: { nodes: _nodes, ...rest } }: DesiredTree) => stableStringify(rest);
  return (
    after.length === before.length &&
    before.every((tree, index) => {
      const own = pins.filter(({ label }) => label === tree.label);
      const pinned = pinTree(tree, new Map(own.map(({ address, id }) => [address, id])));
      const other = after[index];
      return (
        other !== undefined &&
        settingsOf(other) === settingsOf(tree) &&
        differencesBetween(pinned, other).length === 0
      );
    })
  );
}
