/** The parts of manifests that are not the service's: settings of an organization, lifecycles, former names. */
import * as z from 'zod';
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { fieldNameSchema, formerNamesSchema, type Lifecycle, lifecycleSchema } from '../tree/lifecycle.ts';
import { type Settings, settingsSchemaOf } from '../tree/settings.ts';
import { entryOf, type LocatedMap } from './located.ts';
import type { Problems } from './problems.ts';
import { readValue } from './read-value.ts';

/** The settings in a document, with defaults for the others. */
export function readManifestSettings(document: LocatedMap, registry: Registry, problems: Problems): Settings {
  const schema = settingsSchemaOf(registry);
  const entry = entryOf(document, 'settings');
  const read = entry && readValue(schema, entry.value, { name: 'settings', problems, secrets: 'refused' });
  return read?.value ?? schema.parse({});
}

/** Where the object is that something is read of. */
interface ObjectSource {
  readonly map: LocatedMap;
  readonly kind: Kind;
  readonly address: string;
}

/** How an object is to be treated over its life. */
export function readLifecycle({ map, kind, address }: ObjectSource, problems: Problems): Lifecycle {
  const entry = entryOf(map, 'lifecycle');
  if (entry === undefined) return defaultLifecycle;
  const schema = lifecycleSchemaOf(kind);
  const options = { name: 'lifecycle', address, problems, secrets: 'refused' } as const;
  return readValue(schema, entry.value, options)?.value ?? defaultLifecycle;
}

const defaultLifecycle: Lifecycle = lifecycleSchema(z.string()).parse({});
const lifecycleSchemas = new WeakMap<Kind, ReturnType<typeof lifecycleSchema>>();

/** Made once for each kind: making a schema costs more than reading many values with it. */
function lifecycleSchemaOf(kind: Kind): ReturnType<typeof lifecycleSchema> {
  const known = lifecycleSchemas.get(kind);
  if (known !== undefined) return known;
  const schema = lifecycleSchema(fieldNameSchema(Object.keys(kind.fields)));
  lifecycleSchemas.set(kind, schema);
  return schema;
}

/** Of thousands of objects, none has a list of its own that is empty. */
const neverNamed = { was: [] } as const;

/** Former names: one, or a list. An empty list declares that there are none: the object is new. */
export function readFormerNames(
  { map, address }: ObjectSource,
  problems: Problems,
): { readonly was: readonly string[]; readonly isNew?: true } {
  const entry = entryOf(map, 'was');
  if (entry === undefined) return neverNamed;
  const read = readValue(formerNamesSchema, entry.value, {
    name: 'was',
    address,
    problems,
    secrets: 'refused',
  });
  const was = read?.value ?? [];
  return read !== undefined && was.length === 0 ? { was, isNew: true } : { was };
}
