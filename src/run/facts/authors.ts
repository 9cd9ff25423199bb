/**
 * The people who caused drift, according to the audit events of the service: one read per object. Services of the API document have
 * no such events.
 */
import { type Api, ApiError } from '../../contract/api.ts';
import { formOf, isLacking } from '../../contract/form.ts';
import { type OperationOutput, operationOf } from '../../contract/index.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { ReviewedOrganization, ReviewedPlan } from '../../review/reviewed-plan.ts';
import { rootAddress } from '../../tree/desired.ts';
import { countOf } from '../../util/count.ts';
import type { PlanInputs } from '../planning.ts';

type AuditEvent = OperationOutput<'auditEvents.list'>['items'][number];

interface AuthorOptions {
  readonly api: Api;
  readonly registry: Registry;
  readonly pasts: PlanInputs['pasts'];
  /** Unit: milliseconds. */
  readonly now: number;
}

const objectsAtMost = 50;
/** The newest event may be about another object, or from an apply. */
const eventsEach = 10;

/** Adds authors to a drift report. @throws ApiError if a request is cancelled. */
export async function withAuthors(plan: ReviewedPlan, options: AuthorOptions): Promise<ReviewedPlan> {
  const organizations: ReviewedOrganization[] = [];
  for (const one of plan.organizations) organizations.push(await authorsIn(one, options));
  return { ...plan, organizations };
}

async function authorsIn(plan: ReviewedOrganization, options: AuthorOptions): Promise<ReviewedOrganization> {
  const operation = 'auditEvents.list';
  if (plan.review === undefined || isLacking(formOf(plan), operationOf(operation).needs)) return plan;
  const known = options.pasts.get(plan.label);
  const objects = new Map(plan.steps.map(({ address, kind }) => [address, kind]));
  const all = [...objects].flatMap(([address, kind]) => {
    const id =
      address === rootAddress ? plan.organizationId : (plan.ids[address] ?? known?.ids?.get(address));
    return id === undefined ? [] : [{ address, kind: options.registry.byName(kind), id }];
  });
  if (all.length === 0) return plan;
  const requested = all.slice(0, objectsAtMost);
  const find = async ({ address, kind, id }: (typeof all)[number]) => {
    const response = await options.api.send(operation, {
      params: { organizationId: plan.organizationId },
      query: { target: id, limit: eventsEach },
    });
    const { items } = response as OperationOutput<'auditEvents.list'>;
    // API events up to the last record may come from an apply.
    const isApplied = ({ source, occurredAt }: AuditEvent) =>
      source === 'api' && Date.parse(occurredAt) <= Date.parse(known?.time ?? '');
    const event = items.find((one) => isOf(one, kind, id) && !isApplied(one));
    return event === undefined ? [] : [{ address, at: event.occurredAt, text: textOf(event, options.now) }];
  };
  try {
    // The first read shows whether the token may read events.
    const first = await Promise.all(requested.slice(0, 1).map(find));
    const found = [...first, ...(await Promise.all(requested.slice(1).map(find)))].flat();
    const note = `Who made the changes was asked for ${countOf(requested.length, 'object')} of ${all.length}.`;
    const authors = { found, ...(all.length > requested.length && { note }) };
    return { ...plan, review: { ...plan.review, authors } };
  } catch (error) {
    if (!(error instanceof ApiError) || error.type === 'cancelled') throw error;
    const { message, status } = error;
    const isDenied = status === 403 || status === 404;
    const why = isDenied ? `the service shows this token no audit events (status ${status})` : message;
    const authors = { found: [], note: `Who made the changes is not known: ${why}.` };
    return { ...plan, review: { ...plan.review, authors } };
  }
}

/** An id matches only if the target's type can be the kind, and the event has a valid time. */
function isOf({ target, occurredAt }: AuditEvent, kind: Kind, id: string): boolean {
  if (Number.isNaN(Date.parse(occurredAt))) return false;
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  return target.id === id && [kind.name, kind.noun].some((name) => plain(name) === plain(target.type));
}

const sources: Readonly<Record<string, string>> = { ui: 'in the app', api: 'through the API' };

const units = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
] as const;

/** Example: `changed 2 days ago by ada@acme.dev, in the app`. */
function textOf({ actor, source, occurredAt }: AuditEvent, now: number): string {
  const name = actor.label ?? actor.id;
  const who = actor.type === 'user' ? name : `${actor.type} ${name}`;
  const past = now - Date.parse(occurredAt);
  const [unit, noun] = units.find(([least]) => past >= least) ?? [];
  const ago = unit === undefined ? 'just now' : `${countOf(Math.floor(past / unit), noun)} ago`;
  return `changed ${ago} by ${who}, ${sources[source] ?? `source ${source}`}`;
}
