/** What manifests declare and a service does not have. */
import { type Abilities, type Ability, abilityText } from '../contract/abilities.ts';
import type { Registry } from '../kinds/registry.ts';
import type { Diagnostic } from '../util/diagnostic.ts';
import type { DesiredTree } from './desired-tree.ts';

/** One problem for each kind and field, at its first place. */
export function lackingIn(
  tree: DesiredTree,
  registry: Registry,
  abilities: Abilities,
): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  const note = (name: string, needs: Ability | undefined, where: Pick<Diagnostic, 'address' | 'at'>) => {
    if (needs === undefined || abilities.has(needs) || found.has(name)) return;
    found.set(name, {
      severity: 'error',
      code: 'not-in-service',
      message: `this service has no ${abilityText(needs)}`,
      ...where,
      suggestion: 'take it out of the manifests; octavo doctor shows what the service has',
    });
  };
  for (const { kind: name, address, at, fields, fieldAt } of tree.nodes.values()) {
    const kind = registry.byName(name);
    note(name, kind.needs, { address, at });
    for (const field of Object.keys(fields))
      note(`${name}.${field}`, kind.fields[field]?.needs, { address, at: fieldAt[field] ?? at });
  }
  return [...found.values()];
}
