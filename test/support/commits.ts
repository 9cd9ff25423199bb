/**
 * Random pairs of commits, for properties about bases: an initial live state, an older commit that declares a part of it, and
 * a newer one that edits it. There are few names, so that they are swapped, reused and repeated elsewhere.
 */
import fc from 'fast-check';
import type { Seed } from '../../src/server/index.ts';
import type { Document } from './arbitrary.ts';
import { change, type Edit, edit, listsOf, type Objects, others, swapping } from './commit-edits.ts';
import { seed } from './harness.ts';

/** Spaces in collections; some have the same title. */
const held = { s1: 'Intro', s2: 'Intro', s3: 'Intro', s4: 'News', s5: 'News', s6: 'Basics' } as const;
/** Spaces that sites show. */
const shown = { g1: 'Guide', g2: 'Reference', g3: 'Recipes', g4: 'Errors' } as const;

/** Organization of the harness with these spaces. */
export const commitSeed: Seed = {
  ...seed,
  organizations: seed.organizations.map((organization) => ({
    ...organization,
    spaces: Object.entries({ ...held, ...shown }).map(([key, title]) => ({ id: `sp_${key}`, title })),
  })),
};

/** The initial live state, an older commit that declares a part of it, and a newer one. */
export interface Commits {
  readonly live: Document;
  readonly older: Document;
  readonly newer: Document;
}

/** Some of the keys in any order, each with a different name. */
function named(keys: readonly string[], field: string, names: readonly string[], min = 0) {
  return fc
    .tuple(
      fc.shuffledSubarray([...keys], { minLength: min }),
      fc.shuffledSubarray([...names], { minLength: keys.length }),
    )
    .map(
      ([chosen, mixed]): Objects =>
        Object.fromEntries(chosen.map((key, at) => [key, { [field]: mixed[at] }])),
    );
}

/** Adds fields to each object. */
function withFields(objects: fc.Arbitrary<Objects>, more: fc.Arbitrary<Document>): fc.Arbitrary<Objects> {
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

/** Assigns spaces to collections or to none. */
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
          // Two spaces with one title in one place could only be distinguished by id.
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

/** Site-spaces with distinct paths and spaces. */
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
    settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } },
    spaces: Object.fromEntries(
      Object.entries(shown).map(([key, title]) => [key, { id: `sp_${key}`, title }]),
    ),
    ...lists,
  }));

const pairs = (edits: fc.Arbitrary<readonly Edit[]>): fc.Arbitrary<Commits> =>
  fc
    .tuple(live, fc.array(fc.nat(3), { minLength: 40, maxLength: 40 }), edits, fc.boolean())
    .map(([world, hidden, edits, pinned]) => {
      const older = structuredClone(world) as Document;
      // A part of the live state is unmanaged: no manifest lists it.
      let at = 0;
      for (const { list } of listsOf(older))
        for (const key of Object.keys(list)) {
          at += 1;
          if (hidden[at % hidden.length] === 0) delete list[key];
        }
      if (!pinned)
        for (const { list, key } of listsOf(older))
          if (key === 'spaces') for (const space of Object.values(list)) delete (space as Objects).id;
      const newer = structuredClone(older);
      for (const one of edits) change(newer, one);
      return { live: world, older, newer };
    });

/** Random commits on random live states. */
export const commits = pairs(fc.array(edit([...swapping, ...others]), { minLength: 1, maxLength: 4 }));
