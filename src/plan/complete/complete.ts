/**
 * Adds to desired objects the values that depend on the live state: references to replaced objects, their values, another default,
 * and the rest of lists that the manifests only add to. Each rule sees the trees as matched, without the additions of other rules.
 */
import type { Value } from '../../kinds/parts/payload.ts';
import { withAdded } from '../../tree/additive.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import { pruneOf } from '../../tree/settings.ts';
import { PlanContext } from '../context.ts';
import { owedTo } from '../own/begun.ts';
import { inStoredForm } from '../values/stored-form.ts';
import { type Addition, withAddition } from './addition.ts';
import { successorsOfDefaults } from './default-successors.ts';
import { carriedValues, droppedValues, referencesToReplaced } from './replaced.ts';

/** Ordered by precedence: the first addition to a field wins. */
const rules = [referencesToReplaced, carriedValues, droppedValues, successorsOfDefaults, wholeLists];

export function complete(context: PlanContext): PlanContext {
  const { desired } = context;
  const changed = new Map<DesiredNode, DesiredNode>();
  for (const rule of rules)
    for (const addition of rule(context)) {
      const { to } = addition;
      changed.set(to, withAddition(changed.get(to) ?? to, addition));
    }
  if (changed.size === 0) return context;
  return new PlanContext({
    ...context,
    desired: desired.mapped((node) => changed.get(node) ?? node),
    declared: desired,
  });
}

/**
 * Merges additive lists with the live ones, so that all later stages see whole lists.
 *
 *     base { ada: owner, cyd: member }   own { ada: owner }   live { cyd: member, dan: member }
 *     →  { ada: owner, dan: member }
 */
function* wholeLists(context: PlanContext): Iterable<Addition> {
  for (const node of context.desired.nodes.values()) {
    const { address, additive = [] } = node;
    const live = context.liveOf(address) ?? context.replaced.get(address);
    // The same rule as for objects that are no longer declared.
    const isKept =
      context.base?.undoes === undefined && pruneOf(context.desired.settings, node.kind) === 'never';
    const base = isKept ? undefined : context.baseOf(node);
    for (const name of additive) {
      const [own, former] = [node.fields[name], base?.fields[name]];
      if (own === undefined) continue;
      const field = context.kindOf(node).fields[name];
      const owed = owedTo(context, node)?.[name];
      const shown = live && context.liveField(live, name);
      const present = owed === undefined ? shown : withAdded(shown, owed);
      const asStored = (wanted: Value) =>
        inStoredForm(context, node, name, { wanted, live: present }) ?? wanted;
      const ours = former && asStored(context.names.renamed(field, former, context.base));
      const whole = withAdded(present, asStored(context.names.renamed(field, own)), ours);
      yield { to: node, fields: { [name]: whole } };
    }
  }
}
