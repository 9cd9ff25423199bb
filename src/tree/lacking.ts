/** Declared kinds and fields that a service does not have. */
import { type Form, isLacking } from '../contract/form.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import { remembered } from '../util/remembered.ts';
import type { DesiredTree } from './desired-tree.ts';

/** Reports each kind and field once, at its first place. */
export function lackingIn(tree: DesiredTree, registry: Registry, form: Form): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  const isPinned = tree.settings.service?.profile !== undefined;
  const note = (needs: Form | undefined, what: string, where: Pick<Diagnostic, 'address' | 'at'>) => {
    if (needs === undefined || !isLacking(form, needs) || found.has(what)) return;
    found.set(what, {
      severity: 'error',
      code: 'not-in-service',
      message: `this service has no ${what}`,
      ...where,
      suggestion: isPinned
        ? 'remove it from the manifests; octavo doctor shows what the service has'
        : `remove it from the manifests or, if the service has it, pin that in the settings: service: { profile: ${JSON.stringify(needs)} }`,
    });
  };
  for (const node of tree.nodes.values()) {
    const { kind: name, address, at, fields, fieldAt } = node;
    const kind = registry.byName(name);
    if (!mayLack(kind)) continue;
    const above = tree.parentOf(node)?.kind;
    const place = kind.manifest.places.find(({ parent }) => parent === above);
    const names = `${kind.noun}s`;
    note(kind.needs, names, { address, at });
    note(place?.needs, `${names} in ${above === undefined ? '' : registry.byName(above).noun}s`, {
      address,
      at,
    });
    for (const field of Object.keys(fields))
      note(kind.fields[field]?.needs, `field ${field} for ${names}`, { address, at: fieldAt[field] ?? at });
  }
  return [...found.values()];
}

/** True if some services lack the kind, or a part of it. */
const mayLack = remembered((kind: Kind) =>
  [kind, ...kind.manifest.places, ...Object.values(kind.fields)].some(({ needs }) => needs !== undefined),
);
