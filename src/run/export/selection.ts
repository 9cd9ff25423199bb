/** What `--only` takes of an organization: the addresses that match, with what is inside them. Pure. */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { addressMatcher } from '../../util/glob.ts';

/** Which addresses are exported. */
export interface ExportSelection {
  /** True for an address that matches, and for what is inside one. */
  readonly has: (address: string) => boolean;
  /** True for kinds of which something may be exported. */
  readonly mayHave: (kind: Kind) => boolean;
  /** Patterns that none of the addresses match. */
  readonly unmatched: (addresses: Iterable<string>) => readonly string[];
}

/** The selection of some globs; all without any. */
export function selectionOf(registry: Registry, patterns: readonly string[] | undefined): ExportSelection {
  if (patterns === undefined) return { has: () => true, mayHave: () => true, unmatched: () => [] };
  const has = matcherOf(patterns);
  const first = new Set(patterns.map((pattern) => pattern.split('/')[0] ?? ''));
  const isAnything = [...first].some((name) => !isListedUnder(registry, name));
  return {
    has,
    mayHave: (kind) => isAnything || rootKeysOf(registry, kind).some((key) => first.has(key)),
    unmatched: (addresses) => {
      const all = [...addresses];
      return patterns.filter((pattern) => {
        const matches = matcherOf([pattern]);
        return !all.some((address) => matches(address));
      });
    },
  };
}

function matcherOf(patterns: readonly string[]): (address: string) => boolean {
  const matches = addressMatcher(patterns);
  return (address) => {
    const parts = address.split('/');
    return parts.some((_part, at) => matches(parts.slice(0, at + 1).join('/')));
  };
}

/** True for a key of the organization whose objects a list of the organization shows. */
function isListedUnder(registry: Registry, key: string): boolean {
  const { root } = registry;
  if (key === root.name) return true;
  const places = registry.at(root.name, key);
  return places.length > 0 && places.every(({ kind }) => kind.reads.list?.per === root.name);
}

/** The keys of the organization under which objects of a kind may be. */
function rootKeysOf(registry: Registry, kind: Kind): readonly string[] {
  const keys = new Set<string>();
  const seen = new Set<Kind>();
  const climb = (one: Kind): void => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const { parent, key } of one.places) {
      if (parent === registry.root.name) keys.add(key);
      else climb(registry.byName(parent));
    }
  };
  climb(kind);
  return [...keys];
}
