/** Rarely used properties of the interface of kinds name their kinds. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { kinds } from '../../src/kinds/index.ts';

const sources = ['kind', 'parts/field'].map((name) =>
  readFileSync(new URL(`../../src/kinds/${name}.ts`, import.meta.url), 'utf8'),
);

/** The names of kinds, by property. */
function users(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const note = (kind: string, group: string, parts: object | undefined) => {
    for (const name of Object.keys(parts ?? {})) {
      const key = `${group}.${name}`;
      found.set(key, (found.get(key) ?? new Set()).add(kind));
    }
  };
  for (const one of kinds) {
    for (const kind of [one, one.newer?.() ?? one]) {
      const { manifest, identity, reads, calls, deletion, display } = kind;
      for (const [group, parts] of Object.entries({ manifest, identity, reads, calls, deletion, display }))
        note(kind.name, group, parts);
      note(kind.name, 'kind', kind);
      note(kind.name, 'list', reads.list);
      for (const place of manifest.places) note(kind.name, 'place', place);
      for (const by of identity.by) note(kind.name, 'by', by);
      for (const field of Object.values(kind.fields)) {
        note(kind.name, 'field', field);
        note(kind.name, 'detail', field.detail);
      }
    }
  }
  return found;
}

/** The comments above the properties of that name. */
function comments(name: string): readonly string[] {
  const pattern = new RegExp(String.raw`((?:^ *(?:/\*\*| \*).*\n)+) +(?:readonly )?${name}[?(:]`, 'gm');
  return sources.flatMap((text) => [...text.matchAll(pattern)].map(([, comment = '']) => comment));
}

test('documents each property of one or two kinds with the names of the kinds', () => {
  const wrong = [...users()].filter(
    ([key, names]) =>
      names.size < 3 &&
      !comments(key.split('.')[1] ?? '').some((text) =>
        [...names].every((name) => text.includes(`\`${name}\``)),
      ),
  );
  expect(wrong.map(([key, names]) => `${key}: ${[...names].join(', ')}`)).toEqual([]);
});
