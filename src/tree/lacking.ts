/** What manifests declare and a service does not have. */
import { type Abilities, abilityText, lackedBy, type Needs, profileName } from '../contract/abilities.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import { remembered } from '../util/remembered.ts';
import type { DesiredTree } from './desired-tree.ts';

/** One problem for each kind and field, at its first place. */
export function lackingIn(
  tree: DesiredTree,
  registry: Registry,
  abilities: Abilities,
): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  const isPinned = tree.settings.service?.profile !== undefined;
  const note = (
    needs: Needs | undefined,
    names: readonly string[],
    where: Pick<Diagnostic, 'address' | 'at'>,
  ) => {
    const lacked = lackedBy(abilities, needs);
    if (lacked === undefined) return;
    const name = names.join(' ');
    if (found.has(name)) return;
    const profile = profileName(new Set([...abilities, ...[needs ?? []].flat()]));
    found.set(name, {
      severity: 'error',
      code: 'not-in-service',
      message: `this service has no ${abilityText(lacked)}`,
      ...where,
      suggestion: isPinned
        ? 'take it out of the manifests; octavo doctor shows what the service has'
        : `take it out of the manifests or, if the service has it, pin that in the settings: service: { profile: ${profile} }`,
    });
  };
  for (const node of tree.nodes.values()) {
    const { kind: name, address, at, fields, fieldAt } = node;
    const kind = registry.byName(name);
    if (!mayLack(kind)) continue;
    const above = tree.parentOf(node)?.kind;
    const place = kind.manifest.places.find(({ parent }) => parent === above);
    note(kind.needs, [name], { address, at });
    note(place?.needs, [name, 'in', above ?? ''], { address, at });
    for (const field of Object.keys(fields))
      note(kind.fields[field]?.needs, [name, field], { address, at: fieldAt[field] ?? at });
  }
  return [...found.values()];
}

/** Some service does not have all of it. */
const mayLack = remembered((kind: Kind) =>
  [kind, ...kind.manifest.places, ...Object.values(kind.fields)].some(({ needs }) => needs !== undefined),
);
