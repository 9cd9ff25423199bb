/** Random manifest documents of all kinds, for properties. They refer to the people and spaces of the harness's seed. */
import fc from 'fast-check';
import type { Form } from '../../src/contract/form.ts';

/** Settings under which no deletion is refused. */
export const free = { protect: ['!**'], limits: { deletes: null, deletePercent: null } };

/** Files that random workspaces include; without the extension of a manifest. */
export const specifications = {
  'specs/one.json': '{"openapi":"3.1.0","paths":{"/a":{"get":{}}}}',
  'specs/two.json': '{"openapi":"3.1.0","paths":{"/a":{"get":{"summary":"A"}},"/b":{"get":{}}}}',
};

/** A manifest document as plain values. */
export type Document = { readonly [key: string]: unknown };

const world = {
  people: ['ada@acme.dev', 'bob@acme.dev', 'cyd@acme.dev', 'dan@acme.dev'],
  spaces: ['sp_guide', 'sp_reference', 'sp_blog', 'sp_faq', 'sp_notes', 'sp_start'],
  invite: 'inv_one',
};

const odd = [
  '',
  '👋 ',
  'yes',
  '0x10',
  '~',
  ' leading',
  'a: b',
  'שלום',
  '"quoted"',
  "it's",
  'null',
  '1e3',
  '# no',
];

function title(key: string, max = 40): fc.Arbitrary<string> {
  return fc.constantFrom(...odd, 'x'.repeat(30)).map((prefix) => `${prefix}${key}`.slice(-max));
}

function maybe<T>(name: string, values: fc.Arbitrary<T>): fc.Arbitrary<Document> {
  return fc.option(values, { nil: undefined }).map((value) => (value === undefined ? {} : { [name]: value }));
}

function merged(...parts: fc.Arbitrary<Document>[]): fc.Arbitrary<Document> {
  return fc.tuple(...parts).map((documents) => Object.assign({}, ...documents) as Document);
}

/** A mapping with some of the keys in some order. */
function some(
  keys: readonly string[],
  entry: (key: string) => fc.Arbitrary<unknown>,
  min = 0,
): fc.Arbitrary<Document> {
  return fc
    .shuffledSubarray([...keys], { minLength: min })
    .chain((chosen) =>
      fc
        .tuple(...chosen.map(entry))
        .map((entries) => Object.fromEntries(chosen.map((key, index) => [key, entries[index]]))),
    );
}

const role = fc.constantFrom('admin', 'create', 'review', 'edit', 'comment', 'read', null);
const path = (keys: readonly string[]) =>
  fc.shuffledSubarray(
    keys.map((key) => `p-${key}`),
    { minLength: keys.length, maxLength: keys.length },
  );
const condition = fc.constantFrom(null, 'visitor.claims.unsigned.beta', 'visitor.claims.admin');

const teams = some(['red', 'green', 'blue'], (key) =>
  merged(
    title(key).map((text) => ({ title: text })),
    maybe('members', fc.dictionary(fc.constantFrom(...world.people), fc.constantFrom('owner', 'member'))),
  ),
);

const customFields = some(['alpha', 'beta', 'gamma'], (key) =>
  merged(
    fc
      .constantFrom('text', 'number', 'select:single')
      .map((type) => (type === 'select:single' ? { type, options: ['one', 'two'] } : { type })),
    maybe('title', title(key)),
    maybe('description', fc.constantFrom('', 'Some words')),
    maybe('placeholder', fc.constantFrom('', 'Say')),
  ),
);

const spaceOwn = (id: string) =>
  merged(
    fc.constant({ id }),
    maybe('title', title(id)),
    maybe('emoji', fc.constantFrom('👋', '📘', '1f600')),
    maybe('editMode', fc.constantFrom('live', 'locked')),
    maybe('defaultLevel', role),
  );

/** Distributes spaces among the organization and its collections. */
const content = fc
  .tuple(
    fc.shuffledSubarray(world.spaces, { minLength: world.spaces.length }),
    fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }),
    fc.boolean(),
  )
  .chain(([ids, places, nested]) => {
    const at = (place: number) => ids.filter((_id, index) => (places[index] ?? 0) === place);
    const spacesAt = (place: number) =>
      fc
        .tuple(...at(place).map(spaceOwn))
        .map((entries) => Object.fromEntries(at(place).map((id, index) => [id, entries[index]])));
    return fc
      .tuple(
        spacesAt(0),
        spacesAt(1),
        spacesAt(2),
        spacesAt(3),
        title('books'),
        title('notes'),
        title('inner'),
        role,
      )
      .map(([root, first, second, third, books, notes, inner, level]) => ({
        spaces: root,
        collections: {
          books: {
            title: books,
            description: level === null ? '' : 'Books',
            spaces: first,
            ...(nested ? { collections: { inner: { title: inner, spaces: third } } } : { collections: {} }),
          },
          notes: { title: notes, defaultLevel: level, spaces: second },
          ...(nested ? {} : { inner: { title: inner, spaces: third } }),
        },
      }));
  });

/** Ordered site-spaces with distinct spaces; either all have distinct paths or none has one. */
function siteSpaces(min: number): fc.Arbitrary<Document> {
  return fc
    .tuple(
      fc.shuffledSubarray(world.spaces, { minLength: min, maxLength: 4 }),
      fc.boolean(),
      fc.array(condition, { minLength: 4, maxLength: 4 }),
    )
    .chain(([spaces, paths, conditions]) =>
      path(spaces).map((chosen) =>
        Object.fromEntries(
          spaces.map((space, index) => [
            `v-${space}`,
            {
              space,
              ...(paths ? { path: chosen[index] } : {}),
              ...(conditions[index] === undefined ? {} : { condition: conditions[index] }),
            },
          ]),
        ),
      ),
    );
}

function section(key: string): fc.Arbitrary<Document> {
  return merged(
    fc.constantFrom('', 'L'.repeat(90)).map((prefix) => ({ title: `${prefix} ${key}` })),
    maybe('icon', fc.constantFrom('book', 'gear', null)),
    maybe('description', fc.constantFrom('words', null)),
    maybe('condition', condition),
    siteSpaces(1).chain((spaces) =>
      fc.constantFrom(...Object.keys(spaces)).map((main) => ({ spaces, default: main })),
    ),
  );
}

const sectionKeys = ['one', 'two', 'three', 'four'];

/** Sections, some in groups; every section has a unique path by which a moved section is recognized. */
const sections: fc.Arbitrary<Document> = fc
  .tuple(
    fc.shuffledSubarray(sectionKeys, { minLength: 1 }),
    fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }),
    fc.tuple(...sectionKeys.map(section)),
    path(sectionKeys),
    fc.shuffledSubarray(['g-left', 'g-right'], { minLength: 2 }),
    fc.boolean(),
  )
  .map(([keys, places, entries, paths, groups, withPaths]) => {
    const named = new Map(
      keys.map((key, index) => {
        const entry = entries[sectionKeys.indexOf(key)] ?? {};
        return [key, withPaths ? { ...entry, path: paths[index] } : entry];
      }),
    );
    const of = (place: number) => keys.filter((_key, index) => places[index] === place);
    const entriesOf = (chosen: string[]) => Object.fromEntries(chosen.map((key) => [key, named.get(key)]));
    const grouped = Object.fromEntries(
      groups
        .map((group, index) => [group, entriesOf(of(index + 1))] as const)
        .filter(([, inner]) => Object.keys(inner).length > 0)
        .map(([group, inner]) => [group, { title: `Group ${group}`, sections: inner }]),
    );
    return {
      sections: { ...grouped, ...entriesOf(of(0)) },
      default: keys[0],
    };
  });

const site = (key: string) =>
  merged(
    fc.constant({ title: `Site ${key}`, type: 'basic' }),
    maybe('visibility', fc.constantFrom('public', 'unlisted', 'share-link', 'visitor-auth')),
    maybe('proxy', fc.constantFrom(null, 'acme.dev/docs', 'docs.acme.dev/a/b')),
    maybe(
      'adaptiveContent',
      fc.boolean().map((enabled) => ({ enabled })),
    ),
    fc.oneof(
      sections,
      siteSpaces(1).chain((spaces) =>
        fc.constantFrom(...Object.keys(spaces)).map((main) => ({ sections: {}, spaces, default: main })),
      ),
    ),
    maybe(
      'shareLinks',
      some(['friends', 'partners'], (name) => merged(fc.constant({ name }), maybe('active', fc.boolean()))),
    ),
    maybe(
      'adaptiveSchema',
      fc.constantFrom('beta', 'alpha').map((claim) => ({
        type: 'object',
        properties: {
          unsigned: {
            type: 'object',
            description: 'Claims',
            properties: { [claim]: { type: 'boolean', description: claim } },
            additionalProperties: false,
          },
        },
        additionalProperties: false,
      })),
    ),
  );

const holders = ['sections', 'collections', 'shareLinks'];

/** Adds `was: []` to all objects: random titles are similar, but no object is a renamed one. */
function asNew(objects: Document): Document {
  return Object.fromEntries(
    Object.entries(objects).map(([key, object]) => {
      const inner = Object.entries(object as Document).map(([name, value]) => [
        name,
        holders.includes(name) ? asNew(value as Document) : value,
      ]);
      return [key, { ...Object.fromEntries(inner), was: [] }];
    }),
  );
}

/** A whole organization. The key of a site determines its form (sections or not). */
export function workspaces(organizationId: string): fc.Arbitrary<Document> {
  return fc
    .tuple(
      merged(
        maybe('title', title('Acme')),
        maybe('emailDomains', fc.shuffledSubarray(['acme.dev', 'acme.org', 'acme.net'])),
        maybe('defaultRole', role),
        maybe('inviteLinks', fc.boolean()),
        maybe('ai', fc.boolean()),
      ),
      teams,
      customFields,
      content,
      some(['docs', 'help'], site),
      some(['petstore', 'billing'], (key) =>
        fc
          .constantFrom(
            { url: `https://acme.dev/${key}-a.json` },
            { url: `https://acme.dev/${key}-b.json` },
            ...Object.keys(specifications).map((file) => ({ file })),
          )
          .map((source) => ({ source })),
      ),
      some(['french', 'german'], (key) => title(key).map((text) => ({ title: text }))),
      some(['okta', 'entra'], (key) =>
        merged(
          fc.constant({ label: key }),
          maybe('defaultRole', role),
          maybe('entityID', fc.constant(`urn:${key}`)),
        ),
      ),
      fc.constantFrom('read', 'edit', 'comment'),
      maybe(
        'members',
        fc.constantFrom('create', 'edit', null).map((level) => ({ 'bob@acme.dev': { role: level } })),
      ),
    )
    .map(
      ([
        own,
        allTeams,
        fields,
        spaces,
        sites,
        openapi,
        translations,
        samlProviders,
        inviteRole,
        members,
      ]) => ({
        octavo: 1,
        organization: { id: organizationId, ...own },
        settings: { ...free, prune: 'unlisted', pruneKinds: { member: 'never' } },
        teams: asNew(allTeams),
        customFields: fields,
        ...spaces,
        collections: asNew(spaces.collections as Document),
        sites: asNew(sites),
        openapi,
        translations: asNew(translations),
        samlProviders: asNew(samlProviders),
        linkInvites: { [world.invite]: { role: inviteRole } },
        ...members,
      }),
    );
}

/** Spaces that a service creates without a site, among those of a collection or the organization. */
const newSpaces = fc.tuple(
  fc.nat(6),
  ...['books', 'root'].map((place) =>
    some(['north', 'south', 'east'], (key) =>
      merged(
        fc.constant({ title: `${key} of ${place}`, was: [] }),
        maybe('emoji', fc.constantFrom('👋', '📘')),
        maybe('language', fc.constantFrom('de', 'zh-tw')),
        maybe('editMode', fc.constantFrom('live', 'locked')),
        maybe('defaultLevel', role),
        maybe('template', fc.constant({ id: 'handbook' })),
      ),
    ),
  ),
);

/** Invited people and link invites; the roles of links differ from that of the link in the seed. */
const newPeople = fc.tuple(
  some(['eve@acme.dev', 'fay@acme.dev'], () => role.map((name) => ({ role: name }))),
  some(['makers', 'reviewers'], (key) => fc.constant({ role: key === 'makers' ? 'create' : 'review' })),
);

/** An organization of a service of that form, with its profile pinned and with the features of the form. */
export function workspacesUnder(organizationId: string, own: Form): fc.Arbitrary<Document> {
  if (own === 'document')
    return fc
      .tuple(workspaces(organizationId), fc.boolean())
      .map(([document, makes]) => forService(makes ? withMadeSpace(document) : document, own));
  return fc
    .tuple(newerWorkspaces(organizationId), newSpaces, newPeople)
    .map(([document, [at, inBooks = {}, inRoot = {}], [people, links]]) => {
      const fitting = withAccess(forService(document, own), at);
      const { spaces, collections, members, linkInvites } = fitting as Readonly<
        Record<string, Readonly<Record<string, Document>>>
      >;
      const books = collections?.books ?? {};
      const inside = between(books.spaces as Document, inBooks, at);
      const ruled = Object.entries(spaces ?? {}).map(([key, one], index) => [
        key,
        { ...one, ...ruleChoices(at + index, ['none', 'inherit']) },
      ]);
      return {
        ...fitting,
        organization: { ...(fitting.organization as Document), ...ruleChoices(at, ['none']) },
        sites: withPublished(withCustomization(withRedirects(fitting.sites as Document, at), at), at),
        members: { ...members, ...people },
        openapi: withVisibility(fitting.openapi as Document, at),
        linkInvites: { ...linkInvites, ...links },
        spaces: { ...Object.fromEntries(ruled), ...inRoot },
        collections: { ...collections, books: { ...books, spaces: inside } },
      };
    });
}

/** A space that is created with its site: the document has both or neither. */
function withMadeSpace(document: Document): Document {
  const made = { title: 'Made with its site', create: 'empty', was: [] };
  const site = { title: 'Makes a space', spaces: { main: { space: 'made', path: 'made' } }, was: [] };
  return {
    ...document,
    spaces: { ...(document.spaces as Document), made },
    sites: { ...(document.sites as Document), made: site },
  };
}

/** Removes texts of files, which no journal keeps: an undo cannot restore them. */
export function withoutFiles(document: Document): Document {
  const specs = Object.entries((document.openapi ?? {}) as Readonly<Record<string, Document>>);
  const fetched = specs.map(([slug, spec]) => {
    const isText = 'file' in ((spec.source ?? {}) as object);
    return [slug, isText ? { ...spec, source: { url: `https://acme.dev/${slug}.json` } } : spec] as const;
  });
  return { ...document, ...(specs.length === 0 ? {} : { openapi: Object.fromEntries(fetched) }) };
}

/** One of both forms, with a workspace. */
export const anyForm = fc
  .constantFrom('document', '2026')
  .chain((own) => fc.tuple(fc.constant(own), workspacesUnder('org_acme', own)));

/** Adds the profile and removes features that the form lacks. */
function forService(document: Document, own: Form): Document {
  const { customFields: _fields, translations: _texts, ...rest } = document;
  const kept = {
    ...(own === 'document' ? document : rest),
    ...(own === 'document' ? {} : { translations: undefined }),
  };
  const settings = { ...(document.settings as object), service: { profile: own } };
  const text = JSON.stringify({ ...kept, settings }, (key, value: unknown) => {
    if (own === 'document') return value;
    const { title } = (value ?? {}) as { readonly title?: unknown };
    // In the newer form, titles of organizations are trimmed.
    if (key === 'organization' && typeof title === 'string')
      return { ...(value as object), title: title.trim() };
    return key === 'customFields' ? undefined : value;
  });
  return JSON.parse(text) as Document;
}

/** A policy name, or rules and people; people without rules are refused. */
function ruleChoices(number: number, words: readonly string[]): Document {
  const rules = [
    'require_author_to_merge',
    { expression: 'change.small', message: 'Too large' },
    'require_at_least_one_review',
  ].slice(number % 3);
  return (
    [
      {},
      { mergeRules: words[number % words.length], mergeReviewers: {} },
      { mergeRules: rules },
      {
        mergeRules: rules,
        mergeReviewers: { 'ada@acme.dev': 'required', 'bob@acme.dev': ['bypass', 'one-of'] },
      },
      { mergeRules: [], mergeReviewers: { 'ada@acme.dev': 'bypass' } },
      { mergeRules: rules, mergeReviewers: {} },
    ][number % 6] ?? {}
  );
}

/** Levels of people and teams, one of which may exist only in this workspace. */
function withAccess(document: Document, at: number): Document {
  const teams = Object.keys((document.teams ?? {}) as object);
  const given = (place: number, words: readonly string[]): Document => {
    const level = (by: number) => words[(place * 3 + by) % words.length];
    const access = [
      undefined,
      { teams: Object.fromEntries(teams.slice(place % 3).map((key, by) => [key, level(by)])) },
      { teams: {}, members: { 'ada@acme.dev': level(1) } },
      { members: { 'bob@acme.dev': level(2), 'ada@acme.dev': level(0) } },
      { members: {} },
    ][place % 5];
    return access === undefined ? {} : { access };
  };
  const levels = ['edit', 'read', 'admin', 'comment'];
  const each = (objects: unknown, from: number, more: (one: Document, place: number) => Document) =>
    Object.fromEntries(
      Object.entries((objects ?? {}) as Readonly<Record<string, Document>>).map(([key, one], index) => [
        key,
        { ...one, ...more(one, at + from + index) },
      ]),
    );
  const spacesIn = (objects: unknown, from: number) =>
    each(objects, from, (_one, place) => given(place, levels));
  return {
    ...document,
    ...(document.spaces === undefined ? {} : { spaces: spacesIn(document.spaces, 0) }),
    ...(document.collections === undefined
      ? {}
      : {
          collections: each(document.collections, 1, ({ spaces }, place) => ({
            ...given(place, levels),
            ...(spaces === undefined ? {} : { spaces: spacesIn(spaces, 2) }),
          })),
        }),
    ...(document.sites === undefined
      ? {}
      : {
          sites: each(document.sites, 3, (_one, place) => ({
            ...given(place, [...levels, 'none']),
            ...(place % 2 === 0 ? {} : { defaultLevel: ['read', null, 'inherit'][place % 3] }),
          })),
        }),
  };
}

/** Only sites with content can be published. */
function withPublished(sites: Document, at: number | undefined): Document {
  if (at === undefined) return sites;
  return Object.fromEntries(
    Object.entries(sites as Readonly<Record<string, Document>>).map(([name, site], index) => {
      const isFull = JSON.stringify(site).includes('"space":');
      const state = [undefined, false, isFull ? true : undefined][(at + index) % 3];
      return [name, state === undefined ? site : { ...site, published: state }];
    }),
  );
}

/** Some parts of a customization. */
function withCustomization(sites: Document, at: number | undefined): Document {
  if (at === undefined) return sites;
  const customizations: readonly (Document | undefined)[] = [
    undefined,
    { styling: { theme: 'bold', primaryColor: { light: '#FFF' } }, favicon: { emoji: '👋' } },
    {
      styling: { theme: 'muted', font: { family: 'Acme' }, codeTheme: { openapi: { dark: 'nord' } } },
      favicon: { icon: { dark: 'https://acme.example.test/icon.png' } },
      header: { links: [{ title: 'Blog', to: { kind: 'url', url: 'https://acme.example.test/' } }] },
      announcement: { enabled: true, message: 'Version 2' },
    },
    { footer: { copyright: '© Acme', logo: { light: null } }, ai: { mode: 'search' }, socialAccounts: [] },
    { favicon: {}, privacyPolicy: { url: null }, pageActions: { items: [] } },
    {},
  ];
  return Object.fromEntries(
    Object.entries(sites as Readonly<Record<string, Document>>).map(([name, site], index) => {
      const customization = customizations[(at + index) % customizations.length];
      return [name, customization === undefined ? site : { ...site, customization }];
    }),
  );
}

/** Redirects to sections, site-spaces and other sites, live and as drafts. */
function withRedirects(sites: Document, at: number): Document {
  return Object.fromEntries(
    Object.entries(sites as Readonly<Record<string, Document>>).map(([name, site], index) => {
      const { sections = {}, spaces = {} } = site as Readonly<
        Record<string, Readonly<Record<string, Document>>>
      >;
      const entries = Object.entries(sections).filter(([, one]) => !('sections' in one) && !('url' in one));
      const targets = [...entries, ...Object.entries(spaces)].map(([key]) => key);
      const to = (number: number) =>
        targets[(at + number) % (targets.length + 1)] ?? `https://${number}.example.test/${at}`;
      const all: readonly (readonly [string, Document])[] = [
        ['/old', { to: to(0) }],
        ['/old/*', { to: to(1), wildcard: at % 2 === 0 }],
        ['/a/b.c', { to: to(2), permanent: true }],
        ['/a', { to: `sites/${name}/${entries.length > 0 ? 'sections' : 'spaces'}/${targets[0]}` }],
      ];
      const fitting = all.filter(([source]) => source !== '/a' || targets.length > 0);
      const shown = fitting.slice((at + index) % 3);
      return [
        name,
        {
          ...site,
          redirects: Object.fromEntries(shown),
          ...(at % 3 === 0 ? {} : { draftRedirects: Object.fromEntries(fitting.slice(at % 2, 2)) }),
        },
      ];
    }),
  );
}

function withVisibility(specs: Document, at: number): Document {
  const seen = ['private', 'public'];
  return Object.fromEntries(
    Object.entries(specs).map(([slug, spec], index) => {
      const visibility = seen[at + index];
      return [slug, visibility === undefined ? spec : { ...(spec as Document), visibility }];
    }),
  );
}

function between(entries: Document, others: Document, at: number): Document {
  const all = Object.entries(entries);
  return Object.fromEntries([...all.slice(0, at), ...Object.entries(others), ...all.slice(at)]);
}

/** The document with the default policy: only objects removed from the manifests are deleted. */
export function removing(document: Document): Document {
  return {
    ...document,
    settings: { ...free, prune: 'removed', pruneKinds: { member: 'never', space: 'never' } },
  };
}

/** Numbers for choices; shrinking leads to no choices. */
const choices = fc.array(fc.nat(99), { minLength: 40, maxLength: 40 });

/** An organization with features that only the newer form has. */
export function newerWorkspaces(organizationId: string): fc.Arbitrary<Document> {
  return fc.tuple(workspaces(organizationId), choices).map(([document, numbers]) => {
    let at = 0;
    const choose = (among: number) => {
      at += 1;
      return (numbers[at % numbers.length] ?? 0) % among;
    };
    const sites = Object.entries(document.sites as Record<string, Document>).map(([key, one]) => [
      key,
      newerSite(one, choose),
    ]);
    return { ...document, sites: Object.fromEntries(sites) };
  });
}

type Choose = (among: number) => number;

function newerSite(one: Document, choose: Choose): Document {
  const { sections: own, spaces } = one as Record<string, Record<string, Document> | undefined>;
  const top = Object.entries(own ?? {}).map(([key, entry]) => [key, newerItem(entry, choose)] as const);
  if (top.length === 0) return { ...one, ...(spaces && { spaces: newerSiteSpaces(spaces, choose) }) };
  const groups = top.filter(([, entry]) => 'sections' in entry);
  const [first, second] = groups;
  let items = [...top];
  if (first !== undefined && second !== undefined && choose(2) === 1) {
    items = items.filter((item) => item !== second);
    insert(first[1].sections as Document, second, choose);
  }
  const sections = Object.fromEntries(items);
  for (const name of ['forum', 'status', 'shop'].slice(choose(4))) {
    const link = newerLink(name, choose);
    const [, group] = groups[choose(3)] ?? [];
    insert(group === undefined ? sections : (group.sections as Document), [name, link], choose);
  }
  return { ...one, sections };
}

/** Inserts an entry at a chosen place. Mutates `into`. */
function insert(into: Document, entry: readonly [string, unknown], choose: Choose): void {
  const target = into as Record<string, unknown>;
  const entries = Object.entries(target);
  const rest = entries.splice(choose(entries.length + 1));
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, Object.fromEntries([...entries, entry, ...rest]));
}

function newerLink(name: string, choose: Choose): Document {
  return {
    title: `Link ${name}`,
    url: `https://${name}.example.test/${choose(2)}`,
    was: [],
    ...(choose(2) === 1 ? { icon: 'message' } : {}),
    ...newerTexts(choose),
  };
}

function newerTexts(choose: Choose): Document {
  return {
    ...[{}, { draft: true }, { draft: false }][choose(3)],
    ...[
      {},
      { localizedTitle: { de: 'Hallo' } },
      { localizedTitle: { fr: 'Salut', de: 'Tag' } },
      { localizedTitle: {} },
    ][choose(4)],
  };
}

function newerItem(entry: Document, choose: Choose): Document {
  const { sections: inside, spaces } = entry as Record<string, Record<string, Document> | undefined>;
  return {
    ...entry,
    ...newerTexts(choose),
    ...(inside && {
      sections: Object.fromEntries(Object.entries(inside).map(([key, one]) => [key, newerItem(one, choose)])),
    }),
    ...(spaces && { spaces: newerSiteSpaces(spaces, choose) }),
  };
}

function newerSiteSpaces(spaces: Record<string, Document>, choose: Choose): Document {
  return Object.fromEntries(
    Object.entries(spaces).map(([key, one]) => [
      key,
      {
        ...one,
        ...[{}, { hidden: true }, { hidden: false }, { draft: true }, { page: null }, { page: 'pg_one' }][
          choose(6)
        ],
      },
    ]),
  );
}
