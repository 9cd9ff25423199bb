/**
 * Random pairs of commits, for properties about bases: what is live at first, what the older commit declares of it, and what
 * the newer one does with that. Names come from few, so that they are swapped, handed on and met again elsewhere.
 */
import fc from 'fast-check';
import type { Seed } from '../../src/server/index.ts';
import { type Document, removing } from './arbitrary.ts';
import { seed } from './harness.ts';

/** Spaces that collections hold; some have the same title. */
const held = { s1: 'Intro', s2: 'Intro', s3: 'Intro', s4: 'News', s5: 'News', s6: 'Basics' } as const;
/** Spaces that sites show. */
const shown = { g1: 'Guide', g2: 'Reference', g3: 'Recipes', g4: 'Errors' } as const;

/** The organization of the harness with these spaces. */
export const commitSeed: Seed = {
  ...seed,
  organizations: seed.organizations.map((organization) => ({
    ...organization,
    spaces: Object.entries({ ...held, ...shown }).map(([key, title]) => ({ id: `sp_${key}`, title })),
  })),
};

/** What is live at first, an older commit that declares a part of it, and a newer one. */
export interface Commits {
  readonly live: Document;
  readonly older: Document;
  readonly newer: Document;
}

type Map = Record<string, Document>;

/** Some of the keys in some order, each with another one of the names. */
function named(keys: readonly string[], field: string, names: readonly string[], min = 0) {
  return fc
    .tuple(
      fc.shuffledSubarray([...keys], { minLength: min }),
      fc.shuffledSubarray([...names], { minLength: keys.length }),
    )
    .map(
      ([chosen, mixed]): Map => Object.fromEntries(chosen.map((key, at) => [key, { [field]: mixed[at] }])),
    );
}

/** The objects with more fields, object by object. */
function withFields(objects: fc.Arbitrary<Map>, more: fc.Arbitrary<Document>): fc.Arbitrary<Map> {
  return fc
    .tuple(objects, fc.array(more, { minLength: 4, maxLength: 4 }))
    .map(([map, fields]) =>
      Object.fromEntries(Object.entries(map).map(([key, object], at) => [key, { ...object, ...fields[at] }])),
    );
}

const titles = ['Red', 'Blue', 'Green'];
const description = fc.constantFrom({}, {}, { description: 'One' }, { description: 'Two' });

const teams = withFields(
  named(['a', 'b', 'c'], 'title', titles),
  fc.constantFrom(
    {},
    {},
    { members: { 'ada@acme.dev': 'owner' } },
    { members: { 'bob@acme.dev': 'member' } },
    { members: {} },
  ),
);

/** Which spaces are where: in a collection, or in none. */
const places = fc.array(fc.constantFrom('a', 'a', 'b', 'b', 'c', 'inner', ''), {
  minLength: 6,
  maxLength: 6,
});

const collections = fc
  .tuple(
    withFields(named(['a', 'b', 'c'], 'title', titles, 2), description),
    places,
    fc.constantFrom('a', 'b', ''),
  )
  .map(([map, where, outer]) => {
    const inside = (place: string) =>
      Object.fromEntries(
        Object.entries(held)
          .filter((_space, at) => where[at] === place)
          // Two of one title in one place could be told apart by their ids alone.
          .filter(([, title], at, all) => all.findIndex(([, other]) => other === title) === at)
          .map(([key, title]) => [key, { id: `sp_${key}`, title }]),
      );
    return Object.fromEntries(
      Object.entries(map).map(([key, object]) => [
        key,
        {
          ...object,
          spaces: inside(key),
          ...(key === outer ? { collections: { inner: { title: 'Inner', spaces: inside('inner') } } } : {}),
        },
      ]),
    );
  });

/** Site-spaces under distinct paths, each for another space. */
const siteSpaces = withFields(
  named(['m', 'n', 'o'], 'space', Object.keys(shown), 1),
  fc.constantFrom({}, {}, { condition: 'visitor.claims.admin' }),
).chain((map) =>
  fc
    .shuffledSubarray(['one', 'two', 'three'], { minLength: 3 })
    .map((paths) =>
      Object.fromEntries(
        Object.entries(map).map(([key, object], at) => [key, { ...object, path: paths[at] }]),
      ),
    ),
);

const sections = fc
  .tuple(
    named(['g', 'h', 'i'], 'title', ['First', 'Second', 'Third'], 1),
    fc.shuffledSubarray(['p', 'q', 'r'], { minLength: 3 }),
    fc.array(siteSpaces, { minLength: 3, maxLength: 3 }),
    fc.array(description, { minLength: 3, maxLength: 3 }),
    fc.boolean(),
  )
  .map(([map, paths, spaces, descriptions, grouped]) => {
    const all = Object.entries(map).map(
      ([key, object], at) =>
        [key, { ...object, ...descriptions[at], path: paths[at], spaces: spaces[at] }] as const,
    );
    const inGroup = grouped ? all.slice(1) : [];
    const group =
      inGroup.length === 0 ? {} : { k: { title: 'Group', sections: Object.fromEntries(inGroup) } };
    return { ...Object.fromEntries(grouped ? all.slice(0, 1) : all), ...group };
  });

const shareLinks = named(['x', 'y', 'z'], 'name', ['Partners', 'Friends', 'Press']);

const sites = fc
  .tuple(
    named(['a', 'b'], 'title', ['Docs', 'Help', 'News'], 1),
    fc.array(
      fc.record({
        type: fc.constant('basic'),
        visibility: fc.constantFrom('share-link', 'share-link', 'unlisted'),
        content: fc.oneof(
          sections.map((all) => ({ sections: all })),
          siteSpaces.map((spaces) => ({ spaces })),
        ),
        links: fc.option(shareLinks, { nil: undefined }),
      }),
      { minLength: 2, maxLength: 2 },
    ),
  )
  .map(([map, contents]) =>
    Object.fromEntries(
      Object.entries(map).map(([key, object], at) => {
        const { content, links, ...own } = contents[at] ?? {};
        return [
          key,
          { ...object, ...own, ...content, ...(links === undefined ? {} : { shareLinks: links }) },
        ];
      }),
    ),
  );

const live = fc
  .record({
    teams,
    translations: named(['a', 'b', 'c'], 'title', titles),
    samlProviders: named(['a', 'b'], 'label', ['Okta', 'Entra']),
    collections,
    sites,
  })
  .map((lists) => ({
    octavo: 1,
    organization: 'org_acme',
    spaces: Object.fromEntries(
      Object.entries(shown).map(([key, title]) => [key, { id: `sp_${key}`, title }]),
    ),
    ...lists,
  }));

/** Lists of objects: the keys under which manifests have them. */
const lists = [
  'teams',
  'translations',
  'samlProviders',
  'collections',
  'sites',
  'sections',
  'shareLinks',
  'spaces',
];

/** All lists of a document, from the top down; the spaces that sites show are left alone. */
function listsOf(document: Document, isTop = true): { key: string; list: Map; holder: Map }[] {
  return Object.entries(document).flatMap(([key, value]) => {
    if (!lists.includes(key) || (isTop && key === 'spaces')) return [];
    const list = value as Map;
    const below = Object.values(list).flatMap((object) => listsOf(object, false));
    return [{ key, list, holder: document as Map }, ...below];
  });
}

const swapping = ['swap', 'swap', 'swap', 'swap children', 'turn'] as const;
const other = ['set', 'drop', 'drop', 'add', 'key', 'was', 'move', 'reverse', 'undeclare'] as const;

type EditType = (typeof swapping)[number] | (typeof other)[number];

/** One thing that a commit does. Numbers choose, whatever there is. */
const edit = (types: readonly EditType[]) =>
  fc.record({
    type: fc.constantFrom(...types),
    list: fc.nat(30),
    first: fc.nat(3),
    second: fc.nat(3),
    field: fc.constantFrom('title', 'title', 'path', 'name', 'label', 'space', 'description'),
    value: fc.constantFrom('Red', 'Blue', 'Docs', 'Help', 'Partners', 'First', 'p', 'one', 'Intro', 'Okta'),
  });
type Edit = ReturnType<typeof edit> extends fc.Arbitrary<infer T> ? T : never;

/** Makes one change, where there is something to change. */
function change(document: Document, { type, list: at, first, second, field, value }: Edit): void {
  const all = listsOf(document);
  const { list, key: kind, holder } = all[at % Math.max(1, all.length)] ?? {};
  if (list === undefined || kind === undefined || holder === undefined) return;
  const keys = Object.keys(list);
  const key = keys[first % Math.max(1, keys.length)];
  const other = keys[second % Math.max(1, keys.length)];
  if (key === undefined || other === undefined) {
    if (type === 'add') list.new = { [nameOf(kind)]: value };
    return;
  }
  const one = list[key] as Map;
  const two = list[other] as Map;
  const name = field in one ? field : nameOf(kind);
  switch (type) {
    case 'swap':
      [one[name], two[name]] = [two[name] as Document, one[name] as Document];
      return;
    case 'swap children':
      for (const inner of lists)
        if (inner in one && inner in two)
          [one[inner], two[inner]] = [two[inner] as Document, one[inner] as Document];
      return;
    case 'turn':
      keys
        .map((each) => (list[each] as Map)[name])
        .forEach((next, index) => {
          (list[keys[(index + 1) % keys.length] ?? ''] as Map)[name] = next as Document;
        });
      return;
    case 'set':
      (one as Record<string, unknown>)[name] = value;
      return;
    case 'drop':
      delete list[key];
      return;
    case 'add':
      list.new = { ...two, [nameOf(kind)]: value } as Document;
      return;
    case 'key':
    case 'was':
      delete list[key];
      list.other = type === 'was' ? { ...one, was: key } : one;
      return;
    case 'move': {
      const target = all.filter((each) => each.key === kind && each.list !== list)[second]?.list;
      if (target === undefined || key in target) return;
      delete list[key];
      target[key] = one;
      return;
    }
    case 'reverse':
      for (const each of keys.reverse()) {
        const object = list[each] as Document;
        delete list[each];
        list[each] = object;
      }
      return;
    case 'undeclare':
      delete holder[kind];
  }
}

function nameOf(kind: string): string {
  return { shareLinks: 'name', samlProviders: 'label' }[kind] ?? 'title';
}

const pairs = (types: readonly EditType[]): fc.Arbitrary<Commits> =>
  fc
    .tuple(
      live,
      fc.array(fc.nat(3), { minLength: 40, maxLength: 40 }),
      fc.array(edit(types), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
    )
    .map(([world, hidden, edits, pinned]) => {
      const older = structuredClone(world) as Document;
      // A part of what is live is nobody's: no manifest lists it.
      let at = 0;
      for (const { list } of listsOf(older))
        for (const key of Object.keys(list)) {
          at += 1;
          if (hidden[at % hidden.length] === 0) delete list[key];
        }
      if (!pinned)
        for (const { list, key } of listsOf(older))
          if (key === 'spaces') for (const space of Object.values(list)) delete (space as Map).id;
      const newer = structuredClone(older);
      for (const one of edits) change(newer, one);
      return { live: removing(world), older: removing(older), newer: removing(newer) };
    });

/** Random commits over random live states. */
export const commits = pairs([...swapping, ...other]);

/** Commits that swap names, and little else. */
export const swappingCommits = pairs(swapping);
