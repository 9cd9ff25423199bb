/** Edits that take declared objects out of the manifests that are not live any more. */
import type { DesiredNode } from '../../tree/desired.ts';
import { referencesOf } from '../../tree/references.ts';
import { changeOf, type ObjectScene } from './accept-objects.ts';
import { isNoPlace } from './manifest-edits.ts';

/** Takes declared objects that are not live out of the manifests, with everything inside them. */
export function acceptMissing(scene: ObjectScene, gone: readonly DesiredNode[]): void {
  const { tree, edits, scope } = scene;
  const { tree: declared, plan } = tree.organization;
  const addresses = new Set(gone.map(({ address }) => address));
  const outermost = gone.filter(({ parent }) => parent === undefined || !addresses.has(parent));
  // What refers to another object by now is written along with it.
  const rewritten = new Set(
    plan.steps
      .filter((step) => scope.isChosen(declared, step.address))
      .flatMap(({ address, fields }) => fields.map(({ field }) => `${address} ${field}`)),
  );
  const isGone = (address: string) =>
    outermost.some((one) => address === one.address || address.startsWith(`${one.address}/`));
  for (const node of outermost) {
    const change = changeOf(tree, node, 'removed: not live any more');
    if (!plan.withBase && scope.missing === 'told') {
      edits.refuse({
        ...change,
        what: 'not live',
        reason: 'without a base, it may as well not be applied yet',
        help: 'pass --base, or remove the entry by hand',
      });
      continue;
    }
    const inside = new Set([node.address, ...declared.inside(node.address).map(({ address }) => address)]);
    const elsewhere = [...inside].find((one) => tree.liveOf(one) !== undefined && !tree.hasMoved(one));
    if (elsewhere !== undefined && scope.missing === 'told') {
      edits.refuse({
        ...change,
        what: 'not live any more',
        reason: `${elsewhere} inside it is live`,
        help: 'move its entry to where it is live, then accept again',
      });
      continue;
    }
    const referrer = [...declared.nodes.values()]
      .filter((one) => !isGone(one.address))
      .flatMap((one) => referencesOf(declared, one, scene.registry))
      .filter(({ node: by, field }) => !rewritten.has(`${by.address} ${field}`))
      .find(({ target }) => target.type === 'node' && inside.has(target.address));
    if (referrer !== undefined) {
      const { node: by, field } = referrer;
      edits.refuse({
        ...change,
        what: 'not live any more',
        reason: `${by.address} still refers to it (${field})`,
        at: by.fieldAt[field] ?? by.at,
        help: 'remove the reference, then accept again',
      });
      continue;
    }
    const place = edits.placeOf(node.at);
    if (isNoPlace(place)) edits.refuse({ ...change, reason: place.reason });
    else edits.add(place, { type: 'remove', path: place.path }, change);
  }
}
