/** Services without a socket, for requests as function calls. Their state is lost when they are closed. */
import type { ServiceRequest, ServiceResponse } from '../contract/api.ts';
import type { Form } from '../contract/form.ts';
import { defined } from '../util/defined.ts';
import { isRecord } from '../util/json.ts';
import { messageOf } from '../util/user-error.ts';
import { randomSecret } from './context.ts';
import { defaultOwner, loadSeed } from './seed/seed.ts';
import type { Seed, SeedOrganization } from './seed/seed-file.ts';
import { respond } from './service.ts';
import { Store } from './store/store.ts';
import { type Variants, variantsWith } from './variants.ts';

export interface MemoryOptions {
  readonly now: () => Date;
  readonly random: () => number;
  readonly form?: Form;
  readonly variants?: Partial<Variants>;
  /** Creates the error to throw if the store cannot be opened; defaults to a plain one. */
  readonly refuse?: (reason: string) => Error;
}

export interface MemoryService {
  readonly token: string;
  /** Throws only for a defect of the service itself. */
  respond(request: ServiceRequest): Promise<ServiceResponse>;
  close(): void;
}

export function memoryService(
  { now, random, form = 'document', variants, refuse }: MemoryOptions,
  fill: (store: Store, token: string) => void,
): MemoryService {
  const store = openStore(refuse);
  const token = randomSecret('memory');
  fill(store, token);
  let fault: unknown;
  const deps = {
    store,
    now,
    random,
    base: 'http://localhost',
    variants: variantsWith(variants),
    form,
    lists: () => store,
    fetching: { allowed: [], loopback: false, timeoutMs: 0 },
    report: (error: unknown) => {
      fault = error;
    },
  };
  return {
    token,
    respond: async (request) => {
      const response = await respond(deps, request);
      if (fault !== undefined) throw fault;
      return response;
    },
    close: () => store.close(),
  };
}

function openStore(refuse: MemoryOptions['refuse'] = (reason) => new Error(reason)): Store {
  try {
    return new Store(':memory:');
  } catch (error) {
    throw refuse(messageOf(error));
  }
}

export function seededService(seed: Seed, options: MemoryOptions) {
  const { now, random } = options;
  const service = memoryService(options, (store, token) =>
    loadSeed(seed, { store, now: now(), random, token }),
  );
  return { ...service, assumptions: [] };
}

export interface DeclaredOrganization {
  readonly id?: string;
  readonly hostname?: string;
  readonly title: string;
  /** E-mail address of the member that the token belongs to. */
  readonly self?: string;
  readonly objects: readonly {
    readonly kind: string;
    readonly key: string;
    readonly id?: string;
    readonly fields: Readonly<Record<string, unknown>>;
  }[];
}

/** Objects that the API cannot create, and objects with ids in the manifests; an apply creates the rest. */
export function declaredSeed(organizations: readonly DeclaredOrganization[]): Seed {
  const [self] = organizations.flatMap((one) => {
    const admins = one.objects.filter(({ kind, fields }) => kind === 'member' && fields.role === 'admin');
    return one.self ?? admins.map(({ key }) => key);
  });
  return {
    ...(self === undefined ? {} : { owner: { email: self } }),
    organizations: organizations.map(({ id, hostname, title, objects }): SeedOrganization => {
      const of = <T>(kind: string, make: (one: DeclaredObject) => T) =>
        objects.filter((one) => one.kind === kind).map(make);
      const named = (kind: string) => of(kind, titled).filter((one) => one.id !== undefined);
      return {
        ...defined({ id, hostname }),
        title,
        members: membersOf(objects, self),
        spaces: of('space', titled),
        linkInvites: of('linkInvite', ({ key, fields }) => ({ id: key, role: roleIn(fields) ?? 'read' })),
        openapi: of('openapiSpec', ({ key, fields }) =>
          fields.source === undefined ? [{ slug: key }] : [],
        ).flat(),
        teams: named('team'),
        collections: named('collection').map((one) => ({ type: 'collection', ...one })),
        sites: named('site'),
      };
    }),
  };
}

export function keepsIds(kind: string): boolean {
  return ['space', 'team', 'collection', 'site', 'linkInvite'].includes(kind);
}

type DeclaredObject = DeclaredOrganization['objects'][number];

/** Includes people who are only in teams or grants, as guests. The owner of the token is an administrator by default. */
function membersOf(objects: readonly DeclaredObject[], self: string | undefined) {
  const roles = new Map<string, MemberRole>();
  const names = objects.flatMap(({ fields }) =>
    Object.values(fields).flatMap((value) => (isRecord(value) ? Object.keys(value) : [])),
  );
  for (const name of names) if (/^[^\s@]+@[^\s@]+$/.test(name)) roles.set(name, null);
  roles.delete(self ?? defaultOwner.email);
  for (const { kind, key, fields } of objects) if (kind === 'member') roles.set(key, roleIn(fields));
  return [...roles].map(([email, role]) => ({ email, role }));
}

function titled({ id, key, fields }: DeclaredObject) {
  return { ...defined({ id }), title: typeof fields.title === 'string' ? fields.title : key };
}

function roleIn({ role }: DeclaredObject['fields']): MemberRole {
  return typeof role === 'string' ? (role as MemberRole) : null;
}

type MemberRole = NonNullable<SeedOrganization['members']>[number]['role'];
