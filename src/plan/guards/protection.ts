import { knownValues } from '../../contract/values.ts';
import type { LiveNode } from '../../tree/live.ts';
import { addressMatcher } from '../../util/glob.ts';
import type { PlanContext } from '../context.ts';
import { namedObject, titleOf } from '../title-of.ts';
import { type DeletedObject, deletedObjects, type Guard, type OwnRefusal } from './guard.ts';

export const protection: Guard = {
  name: 'protect',
  check: (plan) => {
    const { context } = plan;
    const isProtected = protectionOf(context);
    const deleted = deletedObjects(plan);
    const refused = deleted.filter(({ address, live }) => isProtected(address, live));
    const others = deleted.filter((one) => !refused.includes(one));
    return {
      refusals: [
        ...others.flatMap((one) => unknownReplacement(context, one) ?? []),
        ...refused.map(({ address, live, steps, isReplaced }) => {
          const { cost } = context.kindOf(live).deletion;
          const verb = isReplaced ? 'replaced' : 'deleted';
          return {
            address,
            message: `${namedObject(context, live)} is protected and would be ${verb}${cost === undefined ? '' : `: ${cost}`}`,
            suggestion:
              context.desired.get(address) === undefined
                ? `to keep it, list it in the manifests, with lifecycle: { release: true } to stop managing it; to allow it, add to the settings:\n  protect: ["!${address}"]`
                : `to allow it, set lifecycle: { protect: false } at ${address}`,
            steps,
          };
        }),
      ],
    };
  },
};

/** Refuses a replacement for an unknown value: the old object and its contents may be deleted before the service checks the value. */
function unknownReplacement(
  context: PlanContext,
  { address, live, steps, isReplaced }: DeletedObject,
): OwnRefusal | undefined {
  const desired = context.desired.get(address);
  // An undo restores a value that the service had.
  const isKnown = context.base?.undoes !== undefined || desired?.lifecycle.protect === false;
  if (!isReplaced || desired === undefined || isKnown) return undefined;
  const kind = context.kindOf(live);
  for (const [name, field] of Object.entries(kind.fields)) {
    const value = desired.fields[name];
    if (field.change !== 'replace' || typeof value !== 'string' || value === live.fields[name]) continue;
    const known = knownValues(field.schema());
    const isLive = context.live.nodes().some((one) => one.kind === live.kind && one.fields[name] === value);
    if (known.length === 0 || known.includes(value) || isLive) continue;
    const title = JSON.stringify(titleOf(context, live));
    const { cost } = kind.deletion;
    return {
      address,
      message: `${kind.noun} ${title} would be deleted for one of the unknown ${name} ${JSON.stringify(value)}, which the service may reject${cost === undefined ? '' : `: ${cost}`}`,
      suggestion: `use one of ${known.join(', ')}; to replace it anyway, set lifecycle: { protect: false } at ${address}`,
      steps,
    };
  }
  return undefined;
}

/**
 * Objects that the base protects remain protected: removing an object together with its protection does not lift it.
 * The object's own lifecycle has precedence; then settings that name the object without a glob lift any other protection.
 */
function protectionOf(context: PlanContext): (address: string, live: LiveNode) => boolean {
  const { protect: own } = context.desired.settings;
  const protect = [...own, ...(context.base?.tree.settings.protect ?? []).filter(isProtecting)];
  const listed = addressMatcher(protect.filter(isProtecting));
  const lifted = addressMatcher(protect.filter((glob) => !isProtecting(glob)).map((glob) => glob.slice(1)));
  return (address, live) => {
    const declared = context.desired.get(address)?.lifecycle.protect;
    if (declared !== undefined) return declared;
    if (own.includes(`!${address}`)) return false;
    const byKind = context.kindOf(live).deletion.protected === true && !lifted(address);
    const was = context.baseNodeOf(live);
    return was?.lifecycle.protect ?? (byKind || listed(address) || listed(was?.address ?? address));
  };
}

function isProtecting(glob: string): boolean {
  return !glob.startsWith('!');
}
