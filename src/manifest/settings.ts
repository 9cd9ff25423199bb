/** The parts of manifests that are not the service's: settings of an organization, lifecycles, former names. */

import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { defaultLimits, type Lifecycle, type Limits, type Prune, type Settings } from '../tree/desired.ts';
import type { SourceRange } from '../util/diagnostic.ts';
import { nearest } from '../util/nearest.ts';
import { adviceOnSecret, describe, isBroken, type Located, type LocatedEntry, textOf } from './located.ts';
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
    limits: defaultLimits,
    protect: [] as string[],
  } as { -readonly [Key in keyof Settings]: Settings[Key] } & { pruneKinds: Record<string, Prune> };
  const known = ['prune', 'pruneKinds', 'limits', 'protect', 'self'];
  if (entry === undefined) return settings;
  const names = registry.kinds.map(({ name }) => name);
  for (const { key, keyAt, value } of entriesOf('settings', entry.value, problems)) {
    if (key === 'prune') settings.prune = readPrune('prune', value, problems) ?? settings.prune;
    else if (key === 'pruneKinds') {
      for (const one of entriesOf('pruneKinds', value, problems)) {
        if (!names.includes(one.key)) unknown('pruneKinds', one, names, problems);
        else
          settings.pruneKinds[one.key] =
            readPrune(`pruneKinds.${one.key}`, one.value, problems) ?? settings.prune;
      }
    } else if (key === 'limits') settings.limits = readLimits(value, problems);
    else if (key === 'protect')
      settings.protect = readStrings('protect', value, undefined, problems).map(({ text }) => text);
    else if (key === 'self') {
      const self = readSelf(value, problems);
      if (self !== undefined) settings.self = self;
    } else unknown('settings', { key, keyAt, value }, known, problems);
  }
  return settings;
}

/** Whose token it is: one e-mail address. */
function readSelf(value: Located, problems: Problems): string | undefined {
  const text = textOf(value);
  if (text !== undefined && /^[^\s@]+@[^\s@]+$/.test(text)) return text.toLowerCase();
  if (isBroken(value)) return undefined;
  problems.error('value', `self must be an e-mail address, is ${describe(value)}`, value.at, {
    suggestion: adviceOnSecret(value) ?? 'write the address of the member that the token belongs to',
  });
  return undefined;
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
  for (const one of entriesOf('lifecycle', entry.value, problems, address)) {
    if (one.key === 'protect' || one.key === 'release') {
      const said = readBoolean(one.key, one.value, address, problems);
      if (said !== undefined) lifecycle[one.key] = said;
    } else if (one.key === 'ignore') lifecycle.ignore = readIgnored(one.value, kind, address, problems);
    else unknown('lifecycle', one, ['protect', 'ignore', 'release'], problems, address);
  }
  return lifecycle;
}

function readBoolean(name: string, value: Located, address: string, problems: Problems): boolean | undefined {
  if (value.type === 'scalar') {
    if (typeof value.value === 'boolean') return value.value;
    if (value.interpolated === true && (value.value === 'true' || value.value === 'false')) {
      return value.value === 'true';
    }
  }
  if (isBroken(value)) return undefined;
  problems.error('value', `${name} must be true or false, is ${describe(value)}`, value.at, {
    address,
    suggestion: 'write true or false, without quotes',
  });
  return undefined;
}

function readIgnored(value: Located, kind: Kind, address: string, problems: Problems): string[] {
  const known = Object.keys(kind.fields);
  return readStrings('ignore', value, address, problems).flatMap(({ text, at }) => {
    if (known.includes(text)) return [text];
    const near = nearest(text, known);
    const message = `${withArticle(kind.noun)} has no ${JSON.stringify(text)} to ignore`;
    problems.error('unknown-key', message, at, {
      address,
      suggestion: near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`,
    });
    return [];
  });
}

/** Former names: one, or a list. An empty list says that there are none: the object is new. */
export function readWas(
  entry: LocatedEntry | undefined,
  address: string,
  problems: Problems,
): { readonly was: readonly string[]; readonly isNew?: true } {
  if (entry === undefined) return { was: [] };
  const isNew = entry.value.type === 'list' && entry.value.items.length === 0;
  const was = readStrings('was', entry.value, address, problems).map(({ text }) => text);
  return isNew ? { was, isNew } : { was };
}

function readStrings(
  name: string,
  value: Located,
  address: string | undefined,
  problems: Problems,
): { readonly text: string; readonly at: SourceRange }[] {
  const items = value.type === 'list' ? value.items : [value];
  return items.flatMap((item) => {
    const text = textOf(item);
    if (text !== undefined && text !== '') return [{ text, at: item.at }];
    if (isBroken(item)) return [];
    const found = text === '' ? 'is empty' : `is ${describe(item)}`;
    problems.error('value', `${name} must be text or a list of texts, ${found}`, item.at, {
      address,
      suggestion: adviceOnSecret(item),
    });
    return [];
  });
}

function readPrune(name: string, value: Located, problems: Problems): Prune | undefined {
  if (isBroken(value)) return undefined;
  const text = textOf(value);
  const found = prunes.find((prune) => prune === text);
  if (found === undefined) {
    const near = nearest(text ?? '', prunes);
    problems.error('value', `${name} must be one of ${prunes.join(', ')}`, value.at, {
      suggestion:
        near === undefined
          ? 'never: nothing is deleted; removed: what left the manifests; unlisted: all that they do not list'
          : `did you mean ${near}?`,
    });
  }
  return found;
}

/** What is not named keeps its default; null takes a limit away. */
function readLimits(value: Located, problems: Problems): Limits {
  const limits: Record<string, number> = { ...defaultLimits };
  for (const one of entriesOf('limits', value, problems)) {
    if (!['deletes', 'deletePercent', 'changes'].includes(one.key)) {
      unknown('limits', one, ['deletes', 'deletePercent', 'changes'], problems);
      continue;
    }
    if (isBroken(one.value)) continue;
    if (one.value.type === 'scalar' && one.value.value === null) {
      delete limits[one.key];
      continue;
    }
    const number = numberOf(one.value);
    const most = one.key === 'deletePercent' ? 100 : Number.MAX_SAFE_INTEGER;
    if (Number.isInteger(number) && number >= 0 && number <= most) limits[one.key] = number;
    else {
      const range = one.key === 'deletePercent' ? 'from 0 to 100' : 'from 0';
      problems.error(
        'value',
        `limits.${one.key} must be a whole number ${range}, is ${describe(one.value)}`,
        one.value.at,
        { suggestion: `for example ${one.key}: 10; null for no limit` },
      );
    }
  }
  return limits;
}

/** The number that is written, or that a variable holds; else not a number. */
function numberOf(value: Located): number {
  if (value.type !== 'scalar') return Number.NaN;
  if (typeof value.value === 'number') return value.value;
  const isFilledIn =
    value.interpolated === true && typeof value.value === 'string' && value.value.trim() !== '';
  return isFilledIn ? Number(value.value) : Number.NaN;
}

function entriesOf(
  name: string,
  value: Located,
  problems: Problems,
  address?: string,
): readonly LocatedEntry[] {
  if (value.type === 'map') return value.entries;
  if (isBroken(value)) return [];
  problems.error('value', `${name} must be a mapping, is ${describe(value)}`, value.at, {
    address,
    suggestion: `write ${name}: { … }, or take the line out`,
  });
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
