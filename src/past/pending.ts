/**
 * Changes that are not sent again, kept with the journal and the record: deletions that the service accepted but has not carried
 * out, open invitations, and values that it stores in a normalized form.
 */
import type { ApplyResult, OrganizationResult } from '../apply/events.ts';
import { roleName } from '../kinds/parts/access.ts';
import { mapOf, type Payload, referredAddress, type Value } from '../kinds/parts/payload.ts';
import type { LiveReader } from '../live/live-reader.ts';
import type { AsStored, Past, PendingChange } from '../plan/past.ts';
import type { OrganizationPlan } from '../plan/plan.ts';
import { keyOf, prefixesOf } from '../tree/addressing.ts';
import type { DesiredNode } from '../tree/desired.ts';
import type { DesiredTree } from '../tree/desired-tree.ts';
import { formsOf, partsOf } from '../tree/forms.ts';
import { desiredIdentity, identityValue } from '../tree/identity.ts';
import type { ObjectRef } from '../tree/refs.ts';
import { defined } from '../util/defined.ts';
import { grouped } from '../util/group.ts';
import { sameJson } from '../util/json.ts';
import { holdsSecret } from '../util/secret.ts';
import { digestOf } from './record/applied-inputs.ts';

/** Keyed by the label of the organization. */
export type PendingChanges = ReadonlyMap<string, readonly PendingChange[]>;

interface SentBy {
  readonly run: string;
  /** Format: ISO 8601. */
  readonly time: string;
}

/** Returns earlier changes that are still pending, and new ones of this run. */
export function pendingAfter(
  planned: readonly OrganizationPlan[],
  result: ApplyResult | undefined,
  { run, time }: SentBy,
): PendingChanges {
  const all = planned.map((organization) => {
    const { label, pending: before = [] } = organization;
    const own = result?.organizations.find((one) => one.label === label);
    const { outcomes = [], stored = [], made = new Map() } = own ?? {};
    const fresh = outcomes.flatMap(({ type, step: { phase, address, noun, kind, liveId, fields } }) => {
      if (type !== 'pending' || !(phase === 'create' || (phase === 'delete' && liveId !== undefined)))
        return [];
      const role = phase === 'create' ? fields.find(({ reads }) => reads === 'role') : undefined;
      const named = role && roleName(role.after as Value, 'guest');
      return [{ address, noun, kind, ...defined({ id: liveId, role: named }), run, since: time }];
    });
    const forms = formsSent(organization, { stored, made }, { run, time });
    // A default was sent in place of a value that is not shown: the object looked as if it had the default.
    const reset = outcomes.flatMap(({ type, step: { address, fields } }) =>
      fields.flatMap(({ field, before, after }) =>
        type !== 'done' || (after && !sameJson(before, after)) ? [] : { address, field },
      ),
    );
    const isOld = (one: PendingChange) =>
      ![...forms, ...reset].some(({ address, field }) => address === one.address && field === one.field);
    return [label, [...before.filter(isOld), ...fresh, ...forms]] as const;
  });
  return new Map(all.filter(([, pending]) => pending.length > 0));
}

/** One for each value that a run sent, and for each key or element of it that the service altered. */
export function formsSent(
  { ids, organizationId }: OrganizationPlan,
  { stored, made }: Pick<OrganizationResult, 'stored' | 'made'>,
  { run, time: since }: SentBy,
): readonly PendingChange[] {
  // An object without an id of its own has that of its parent.
  const known = (address: string) => made.get(address) ?? ids[address];
  const idOf = (address: string) => known(prefixesOf(address).findLast(known) ?? '') ?? organizationId;
  const withIds = (value: Payload): Payload => {
    const target = referredAddress(value);
    return (target === undefined ? undefined : known(target)) ?? value;
  };
  return stored.flatMap(({ step: { address, noun, kind }, field, ...value }) =>
    formsOf(withIds(value.sent), value.stored).map(([sent, form]) => ({
      ...{ address, noun, kind, field, id: idOf(address), run, since, sent: digestOf(run, sent) },
      ...defined({ stored: form === undefined ? undefined : digestOf(run, form) }),
    })),
  );
}

export function storedForms(pending: readonly PendingChange[]): AsStored {
  const forms = grouped(pending, ({ address, field, id }) => `${address} ${field} ${id}`);
  return ({ address, name, id, isDefault = false }, wanted, live) => {
    const known = forms.get(`${address} ${name} ${id}`);
    if (known === undefined || holdsSecret(wanted)) return wanted;
    const isWhole = ({ run, sent, stored }: PendingChange) =>
      (live === undefined ? undefined : digestOf(run, live)) === stored && digestOf(run, wanted) === sent;
    if (known.some(isWhole)) return live;
    // The last value sent is another one, which is not shown: the object only looks as if it had the default.
    if (live === undefined && (isDefault || !wanted) && known.some(({ stored }) => stored === undefined))
      return unknown;
    return partsAsStored(known, wanted, live);
  };
}

/** Differs from every value. */
const unknown: Payload = { $id: '' };

function partsAsStored(
  known: readonly PendingChange[],
  wanted: Payload,
  live: Payload | undefined,
): Payload | undefined {
  const own = partsOf(wanted);
  const shown = new Set(Object.keys(mapOf(live) ?? {}));
  const isHidden = (part: Payload) => Object.keys(mapOf(part) ?? {}).every((key) => !shown.has(key));
  const changed = new Map<Payload, readonly Payload[]>();
  for (const [run, ones] of grouped(known, (one) => one.run)) {
    const byDigest = (parts: readonly Payload[]) => new Map(parts.map((one) => [digestOf(run, one), one]));
    const [sentAs, storedAs] = [byDigest(own), byDigest(partsOf(live))];
    for (const { sent = '', stored } of ones) {
      const [part, form] = [sentAs.get(sent), storedAs.get(stored ?? '')];
      if (part === undefined) continue;
      if (form !== undefined) changed.set(part, [form]);
      else if (stored === undefined && isHidden(part)) changed.set(part, []);
    }
  }
  if (changed.size === 0) return wanted;
  const parts = own.flatMap((one) => changed.get(one) ?? [one]);
  if (parts.length === 0 && live === undefined) return undefined;
  return Array.isArray(wanted) ? parts : Object.assign({}, ...parts);
}

/** Also with the forms of values that this run sent. */
export function withForms(
  known: AsStored | undefined,
  organization: OrganizationPlan,
  own: Pick<OrganizationResult, 'stored' | 'made'>,
): AsStored {
  const asSent = storedForms(formsSent(organization, own, { run: '', time: '' }));
  return (one, wanted, live) => {
    const value = asSent(one, wanted, live);
    return known === undefined || value === undefined ? value : known(one, value, live);
  };
}

interface PendingSearch extends Pick<Past, 'pending'> {
  readonly undoes: string | undefined;
  readonly desired: DesiredTree;
  readonly plan: OrganizationPlan;
}

/**
 * Returns deletions of objects that still exist, open invitations, and stored values that neither the service nor the manifests changed.
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
  { tree, registry }: LiveReader,
  one: PendingChange,
  { desired }: Search,
): readonly PendingChange[] {
  const { address, kind, id = '', field: name = '' } = one;
  const wanted = desired.get(address)?.fields[name];
  if (wanted === undefined) return [];
  const live = tree.get({ kind, id });
  // A value that was not read counts as unchanged.
  const isDefault = sameJson(wanted, registry.byName(kind).fields[name]?.absent);
  const isKnown =
    live && storedForms([one])({ address, name, id, isDefault }, wanted, live.fields[name]) !== wanted;
  return isKnown === false ? [] : [one];
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
