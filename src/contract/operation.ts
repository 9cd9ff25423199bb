/**
 * One operation of the service's API as data. Every user of the API (client, planner, embedded service, `octavo api`,
 * reference pages) derives from tables of these. Paths appear only here.
 */
import * as z from 'zod';
import { defined } from '../util/defined.ts';
import type { Form } from './form.ts';
import { once } from './once.ts';

/** HTTP methods that the API uses. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * One operation. `path` has `{name}` placeholders; `params` has one string per placeholder, in the path's order.
 * `query` and `body` accept only documented fields; `response` requires only fields that the document marks as
 * required and accepts unknown ones. `response` is null if success has no content.
 */
export interface Operation {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  /** The table of the API document that contains this row. Example: "Site sections". */
  readonly section: string;
  readonly params: readonly string[];
  readonly query: z.ZodObject | null;
  readonly body: z.ZodObject | null;
  readonly success: 200 | 201 | 204 | 205;
  readonly response: z.ZodType | null;
  /** A 202 means that people decide later; for other operations it means plain success. */
  readonly mayPend?: true;
  /** True if the operation takes `page` and `limit` and responds with the list envelope. */
  readonly paged: boolean;
  /** Maximum of objects per page. Default: 1000. */
  readonly mostPerPage?: number;
  /** The only form that has the operation. Absent if every service has it. */
  readonly needs?: Form;
  /** Extracts the objects from a response that is not a page of a list. */
  readonly items?: (response: unknown) => readonly unknown[];
  /** The body that services of that form accept: the document's, with more fields. */
  readonly newer?: { readonly needs: Form; readonly body: z.ZodObject };
}

/** The rest of the declaration of an operation. Its schemas are built on first use. */
export interface OperationRow<
  Q extends z.ZodObject | null,
  B extends z.ZodObject | null,
  R extends z.ZodType | null,
> {
  readonly query?: () => Q;
  readonly body?: () => B;
  /** Default: 200. */
  readonly success?: Operation['success'];
  readonly response?: () => R;
  readonly mayPend?: true;
  readonly mostPerPage?: number;
  readonly needs?: Form;
  readonly items?: (response: unknown) => readonly unknown[];
  /** Fields of the body that services of that form also accept. */
  readonly newer?: { readonly needs: Form; readonly fields: () => z.ZodRawShape };
}

/** An operation that keeps the exact types of its schemas, so that `send` can be typed from it. */
export interface TypedOperation<
  Q extends z.ZodObject | null = z.ZodObject | null,
  B extends z.ZodObject | null = z.ZodObject | null,
  R extends z.ZodType | null = z.ZodType | null,
> extends Operation {
  readonly query: Q;
  readonly body: B;
  readonly response: R;
}

/**
 * Builds operations of one section of the document from rows: finds the placeholders of a path and detects paged lists.
 * `form`: the only form that has the section. `route`: method and path, as the document writes them:
 * `GET /v1/orgs/{organizationId}`.
 */
export function operationsIn(section: string, form?: Form) {
  return <
    Q extends z.ZodObject | null = null,
    B extends z.ZodObject | null = null,
    R extends z.ZodType | null = null,
  >(
    route: string,
    summary: string,
    row: OperationRow<Q, B, R> = {},
  ): TypedOperation<Q, B, R> => {
    const [method, path] = route.split(' ') as [Method, string];
    return operation({ method, path, summary, section }, { ...defined({ needs: form }), ...row });
  };
}

function operation<Q extends z.ZodObject | null, B extends z.ZodObject | null, R extends z.ZodType | null>(
  named: Pick<Operation, 'method' | 'path' | 'summary' | 'section'>,
  row: OperationRow<Q, B, R>,
): TypedOperation<Q, B, R> {
  const { success = 200, mayPend, mostPerPage, needs, items, newer } = row;
  const query = once(() => row.query?.() ?? (null as Q));
  const body = once(() => row.body?.() ?? (null as B));
  const response = once(() => row.response?.() ?? (null as R));
  const wider = newer && once(() => (body() ?? z.strictObject({})).extend(newer.fields()));
  return {
    ...named,
    params: [...named.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
    success,
    ...defined({ mayPend, mostPerPage, needs, items }),
    ...(newer === undefined || wider === undefined
      ? {}
      : {
          newer: {
            needs: newer.needs,
            get body() {
              return wider();
            },
          },
        }),
    get query() {
      return query();
    },
    get body() {
      return body();
    },
    get response() {
      return response();
    },
    get paged() {
      const shape = query()?.shape ?? {};
      return 'page' in shape && 'limit' in shape;
    },
  };
}

/** Query parameters of every paged list (API document, "Endpoints"): an opaque page identifier and a size up to 1000. */
export const pagedShape = once(() => ({
  page: z.string().optional().describe('Identifier of the page, from next.page of the previous answer'),
  limit: z.number().int().min(0).max(1000).optional().describe('Objects per page'),
}));

/** The list envelope: `items`, and `next.page` if more pages follow. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.looseObject({
    items: z.array(item),
    count: z.number().nullish(),
    next: z.looseObject({ page: z.string().nullish() }).nullish(),
  });
}

/** Query and response of a paged list. `filters`: its other parameters. */
export function pageOf<T extends z.ZodType, F extends z.ZodRawShape = Record<never, never>>(
  item: () => T,
  filters: () => F = () => ({}) as F,
) {
  return {
    query: () => z.strictObject({ ...pagedShape(), ...filters() }),
    response: () => listOf(item()),
  };
}

/** Operations, or their handlers, under the names that begin with a prefix: `grant` is `sites.grant`. */
export function named<P extends string, T extends Readonly<Record<string, unknown>>>(prefix: P, table: T) {
  const entries = Object.entries(table).map(([name, one]) => [`${prefix}.${name}`, one]);
  return Object.fromEntries(entries) as { readonly [K in keyof T & string as `${P}.${K}`]: T[K] };
}
