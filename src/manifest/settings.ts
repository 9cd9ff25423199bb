/** The parts of manifests that are not the service's: settings of an organization, lifecycles, former names. */
import type { Lifecycle, Prune, Settings } from '../graph/want.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { nearest } from '../util/nearest.ts';
import { describe, isBroken, type Located, type LocatedEntry, textOf } from './located.ts';
import type { Problems } from './problems.ts';
import { withArticle } from './words.ts';

const prunes: readonly Prune[] = ['never', 'removed', 'unlisted'];

/** The settings, with defaults for what is not said. */
export function readSettings(
  entry: LocatedEntry | undefined,
  registry: Registry,
  problems: Problems,
): Settings {
  const settings = {
    prune: 'removed' as Prune,
    pruneKinds: {} as Record<string, Prune>,
    limits: {},
    protect: [] as string[],
  };
  if (entry === undefined) return settings;
  if (entry.value.type !== 'map') {
    problems.error('value', `settings must be a mapping, is ${describe(entry.value)}`, entry.value.at);
    return settings;
  }
  const names = registry.kinds.map(({ name }) => name);
  for (const { key, keyAt, value } of entry.value.entries) {
    if (key === 'prune') settings.prune = readPrune('prune', value, problems) ?? settings.prune;
    else if (key === 'pruneKinds') {
      for (const one of entriesOf('pruneKinds', value, problems)) {
        if (!names.includes(one.key)) unknown('pruneKinds', one, names, problems);
        else settings.pruneKinds[one.key] = readPrune(one.key, one.value, problems) ?? settings.prune;
      }
    } else if (key === 'limits') settings.limits = readLimits(value, problems);
    else if (key === 'protect') settings.protect = readStrings('protect', value, undefined, problems);
    else unknown('settings', { key, keyAt, value }, ['prune', 'pruneKinds', 'limits', 'protect'], problems);
  }
  return settings;
}

/** How an object is to be treated over its life. */
export function readLifecycle(
  entry: LocatedEntry | undefined,
  kind: Kind,
  address: string,
  problems: Problems,
): Lifecycle {
  const lifecycle: { protect?: boolean; release?: boolean; ignore: string[] } = { ignore: [] };
  if (entry === undefined) return lifecycle;
  for (const one of entriesOf('lifecycle', entry.value, problems)) {
    if (one.key === 'protect' || one.key === 'release') {
      const { value } = one;
      if (value.type === 'scalar' && typeof value.value === 'boolean') lifecycle[one.key] = value.value;
      else
        problems.error('value', `${one.key} must be true or false, is ${describe(value)}`, value.at, {
          address,
        });
    } else if (one.key === 'ignore') {
      lifecycle.ignore = readStrings('ignore', one.value, address, problems);
      for (const name of lifecycle.ignore) {
        if (kind.fields[name] !== undefined) continue;
        const near = nearest(name, Object.keys(kind.fields));
        problems.error(
          'unknown-key',
          `${withArticle(kind.noun)} has no ${JSON.stringify(name)} to ignore`,
          one.value.at,
          {
            address,
            suggestion:
              near === undefined
                ? `known are ${Object.keys(kind.fields).join(', ')}`
                : `did you mean ${near}?`,
          },
        );
      }
    } else unknown('lifecycle', one, ['protect', 'ignore', 'release'], problems, address);
  }
  return lifecycle;
}

/** Former names: one, or a list. */
export function readWas(
  entry: LocatedEntry | undefined,
  address: string,
  problems: Problems,
): readonly string[] {
  return entry === undefined ? [] : readStrings('was', entry.value, address, problems);
}

function readStrings(
  name: string,
  value: Located,
  address: string | undefined,
  problems: Problems,
): string[] {
  const items = value.type === 'list' ? value.items : [value];
  return items.flatMap((item) => {
    const text = textOf(item);
    if (text !== undefined && text !== '') return [text];
    problems.error('value', `${name} must be text or a list of texts, is ${describe(item)}`, item.at, {
      address,
    });
    return [];
  });
}

function readPrune(name: string, value: Located, problems: Problems): Prune | undefined {
  const text = textOf(value);
  const found = prunes.find((prune) => prune === text);
  if (found === undefined) {
    const near = nearest(text ?? '', prunes);
    problems.error('value', `${name} must be one of ${prunes.join(', ')}`, value.at, {
      ...(near === undefined ? {} : { suggestion: `did you mean ${near}?` }),
    });
  }
  return found;
}

function readLimits(value: Located, problems: Problems): Settings['limits'] {
  const limits: Record<string, number> = {};
  for (const one of entriesOf('limits', value, problems)) {
    if (!['deletes', 'deletePercent', 'changes'].includes(one.key)) {
      unknown('limits', one, ['deletes', 'deletePercent', 'changes'], problems);
      continue;
    }
    const number = one.value.type === 'scalar' ? Number(one.value.value ?? Number.NaN) : Number.NaN;
    const most = one.key === 'deletePercent' ? 100 : Number.MAX_SAFE_INTEGER;
    if (Number.isInteger(number) && number >= 0 && number <= most) limits[one.key] = number;
    else {
      const range = one.key === 'deletePercent' ? 'from 0 to 100' : 'from 0';
      problems.error('value', `limits.${one.key} must be a whole number ${range}`, one.value.at);
    }
  }
  return limits;
}

function entriesOf(name: string, value: Located, problems: Problems): readonly LocatedEntry[] {
  if (value.type === 'map') return value.entries;
  if (isBroken(value)) return [];
  problems.error('value', `${name} must be a mapping, is ${describe(value)}`, value.at);
  return [];
}

function unknown(
  what: string,
  entry: LocatedEntry,
  known: readonly string[],
  problems: Problems,
  address?: string,
): void {
  const near = nearest(entry.key, known);
  problems.error('unknown-key', `${what} has no ${JSON.stringify(entry.key)}`, entry.keyAt, {
    address,
    suggestion: near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`,
  });
}
