/** Checks which pending changes of former runs are still pending; see `pending.ts`. */
import { roleName } from '../kinds/access.ts';
import type { LiveReader } from '../live/live-reader.ts';
import type { PlanOptions } from '../plan/make-plan.ts';
import type { PendingChange } from '../plan/pending.ts';
import type { OrganizationPlan } from '../plan/plan.ts';
import { keyOf } from '../tree/addressing.ts';
import type { DesiredNode } from '../tree/desired.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { desiredIdentity, identityValue } from '../tree/identity.ts';
import type { ObjectRef } from '../tree/refs.ts';
import { defined } from '../util/defined.ts';

interface PendingSearch extends Pick<PlanOptions, 'pending' | 'isStored' | 'undoes'> {
  readonly desired: DesiredTree;
  readonly plan: OrganizationPlan;
}

/**
 * Returns deletions of objects that still exist, open invitations, and stored values that neither the service nor the manifests
 * changed.
 */
export async function stillPending(
  reader: LiveReader,
  { pending = [], ...search }: PendingSearch,
): Promise<readonly PendingChange[]> {
  const deletions = pending.flatMap(deletedIn);
  const unknown = deletions.filter((one) => !reader.tree.has(one));
  await reader.read(unknown.map(({ kind, id }) => ({ type: 'object', kind, id })));
  const still: (readonly PendingChange[])[] = [];
  for (const one of pending) {
    if (one.field !== undefined) still.push(storedStill(reader, one, search));
    else if (one.id === undefined) still.push(await invitedStill(reader, one, search));
    else if (deletedIn(one).some((ref) => isThere(reader, ref))) still.push([one]);
  }
  return still.flat();
}

function deletedIn({ kind, id, field }: PendingChange): readonly ObjectRef[] {
  return id === undefined || field !== undefined ? [] : [{ kind, id }];
}

function isThere({ tree }: LiveReader, one: ObjectRef): boolean {
  return tree.mayHide(one) || (tree.has(one) && tree.get(one)?.deleted !== true);
}

type Search = Omit<PendingSearch, 'pending'>;

function storedStill(
  { tree }: LiveReader,
  one: PendingChange,
  { desired, isStored }: Search,
): readonly PendingChange[] {
  const { address, kind, id = '', field: name = '' } = one;
  const wanted = desired.get(address)?.fields[name];
  if (wanted === undefined) return [];
  const live = tree.get({ kind, id });
  // A value that was not read counts as unchanged.
  return live === undefined || isStored?.({ address, name }, wanted, live.fields[name]) === true ? [one] : [];
}

/** An invited person without a manifest entry still becomes a member by accepting. */
async function invitedStill(
  reader: LiveReader,
  one: PendingChange,
  { desired, plan, undoes }: Search,
): Promise<readonly PendingChange[]> {
  const { wanted: _before, ...sent } = one;
  const node = desired.get(one.address);
  if (node === undefined) {
    if (undoes !== undefined) return [sent];
    return (await isLive(reader, one)) ? [] : [{ ...sent, wanted: 'none' }];
  }
  const isKnown =
    plan.ids[one.address] !== undefined || plan.steps.some(({ address }) => address === one.address);
  if (node.lifecycle.release === true || isKnown) return [];
  const role = roleIn(reader, node);
  return [one.role === undefined || role === one.role ? sent : { ...sent, ...defined({ wanted: role }) }];
}

/** An object that no manifest declares is identified by the key in its address. */
async function isLive(reader: LiveReader, { kind: name, address }: PendingChange): Promise<boolean> {
  const kind = reader.registry.byName(name);
  const [identity] = kind.identity.by;
  if (identity === undefined) return false;
  const value = keyOf(address, kind);
  await reader.read([{ type: 'search', kind: name, value }]);
  const wanted = desiredIdentity({ [identity.field]: value }, identity);
  return reader.tree.ofKind(name).some(({ fields }) => identityValue(fields, identity) === wanted);
}

function roleIn({ registry }: LiveReader, { kind, fields }: DesiredNode): string | undefined {
  const [name] = Object.entries(registry.byName(kind).fields).find(([, { reads }]) => reads === 'role') ?? [];
  return name === undefined || fields[name] === undefined ? undefined : roleName(fields[name], 'guest');
}
