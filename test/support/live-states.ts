/** Random live states with the results of people and other programs: duplicate, empty or odd titles. */
import fc from 'fast-check';
import type { Seed, SeedOrganization, SeedSite } from '../../src/server/seed/seed-file.ts';

type Space = NonNullable<SeedOrganization['spaces']>[number];
type Collection = NonNullable<SeedOrganization['collections']>[number];

const few = ['Guide', 'guide', 'Guide!', ' Guide', 'API', '日本語', 'Über uns'];
const odd = [
  'yes',
  'No',
  'on',
  'null',
  '~',
  '0x10',
  '1e3',
  '2024-01-01',
  '12:30',
  '--- x',
  '- x',
  '? x',
  '# x',
  'a: b',
  'a #b',
  '*a',
  '&a',
  '!a',
  '<<',
  '{a}',
  '[a]',
  '"a"',
  "'a'",
  'a\nb',
  'a\tb',
  'a\r\nb',
  '  ',
  ' a ',
  '👋',
  '👨‍👩‍👧',
  '${env:HOME}',
  '$${a}',
  'שלום',
  'a\u202eb',
  '\u00a0a',
  'e\u0301',
  'organization',
  'sections',
  'ß',
  'SS',
  'İ',
  '../a',
  'a/b',
  'con',
  'x'.repeat(50),
];
/** Titles of a minimum length. */
function titles(min: number, max = 50): fc.Arbitrary<string> {
  const any = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...few) },
    { weight: 3, arbitrary: fc.constantFrom(...odd, ...(min === 0 ? ['', ''] : [])) },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: min, maxLength: 12 }) },
  );
  return any.filter((text) => text.length >= min && text.length <= max);
}

const role = fc.constantFrom('admin', 'create', 'review', 'edit', 'comment', 'read', null);
const level = fc.constantFrom('admin', 'edit', 'read', 'inherit', null);
const people = ['ada@acme.dev', "o'neil+x@acme.dev", '0x10@acme.dev'] as const;
const fields = [
  { name: 'owner', type: 'text' },
  { name: 'stage', type: 'select:single', options: ['yes', '1', 'low'] },
  { name: 'score', type: 'number' },
  { name: '1e3', type: 'tags' },
] as const;

const values: fc.Arbitrary<NonNullable<Space['customFields']>> = fc
  .record(
    {
      owner: titles(0),
      stage: fc.constantFrom('yes', '1', 'low'),
      score: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
      '1e3': fc.array(titles(1), { maxLength: 3 }),
    },
    { requiredKeys: [] },
  )
  .map((one) => one as NonNullable<Space['customFields']>);

const space: fc.Arbitrary<Space> = fc.record(
  {
    title: titles(0),
    emoji: fc.constantFrom('👋', '1f4d8', '👨‍👩‍👧'),
    editMode: fc.constantFrom('live' as const, 'locked' as const),
    defaultLevel: level,
    customFields: values,
  },
  { requiredKeys: ['title'] },
);

const { collection } = fc.letrec<{ collection: Collection }>((tie) => ({
  collection: fc
    .record({
      title: titles(0),
      description: titles(0),
      defaultLevel: level,
      content: fc.array(fc.oneof({ maxDepth: 3, depthIdentifier: 'content' }, space, tie('collection')), {
        maxLength: 3,
        depthIdentifier: 'content',
      }),
    })
    .map((one): Collection => ({ type: 'collection', ...one })),
}));

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.oneof(titles(0), fc.boolean(), fc.constant(null), fc.integer()),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(titles(0), tie('value'), { maxKeys: 3 }),
  ),
})).value;

const schema = fc
  .dictionary(titles(1), json, { maxKeys: 3 })
  .map((properties) => ({ type: 'object', properties }));

/** Site-spaces with distinct spaces; `spaces`: ids. */
function siteSpaces(spaces: readonly string[], min: number) {
  return fc
    .uniqueArray(fc.nat(Math.max(0, spaces.length - 1)), {
      minLength: min,
      maxLength: Math.max(min, Math.min(3, spaces.length)),
    })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((at) =>
          fc.record(
            { space: fc.constant(spaces[at] ?? ''), condition: fc.constant('visitor.claims.unsigned.beta') },
            { requiredKeys: ['space'] },
          ),
        ),
      ),
    );
}

function section(spaces: readonly string[]) {
  return fc.record(
    {
      title: titles(2, 128),
      description: titles(0, 256),
      condition: fc.constantFrom('visitor.claims.unsigned.beta', '${x}'),
      icon: fc.constantFrom('book', 'yes'),
      spaces: siteSpaces(spaces, 1),
    },
    { requiredKeys: ['title', 'spaces'] },
  );
}

function site(spaces: readonly string[]): fc.Arbitrary<SeedSite> {
  const group = fc.record(
    { title: titles(1), icon: fc.constant('book'), sections: fc.array(section(spaces), { maxLength: 2 }) },
    { requiredKeys: ['title', 'sections'] },
  );
  const structure =
    spaces.length === 0
      ? fc.constant({})
      : fc.oneof(
          fc.record({ sections: fc.array(fc.oneof(section(spaces), group), { maxLength: 4 }) }),
          fc.record({ spaces: siteSpaces(spaces, 0) }),
        );
  const own = fc.record(
    {
      title: titles(2, 128),
      visibility: fc.constantFrom('public' as const, 'unlisted' as const, 'share-link' as const),
      proxy: fc.constant('acme.dev/docs'),
      adaptiveContent: fc.boolean(),
      adaptiveSchema: schema,
      shareLinks: fc.array(fc.record({ name: titles(0), active: fc.boolean() }, { requiredKeys: ['name'] }), {
        maxLength: 3,
      }),
    },
    { requiredKeys: ['title'] },
  );
  return fc.tuple(own, structure).map(([one, inside]) => ({ ...one, ...inside }) as SeedSite);
}

/** Spaces in some content, all with ids. */
function withIds(content: readonly (Collection | Space)[]): {
  readonly content: readonly (Collection | Space)[];
  readonly ids: readonly string[];
} {
  const ids: string[] = [];
  const visit = (one: Collection | Space): Collection | Space => {
    if ('type' in one) return { ...one, content: (one.content ?? []).map(visit) };
    const id = `sp_${ids.length}`;
    ids.push(id);
    return { ...one, id };
  };
  return { content: content.map(visit), ids };
}

const teams = fc.array(
  fc.record({
    title: titles(0),
    members: fc.dictionary(fc.constantFrom(...people), fc.constantFrom('owner' as const, 'member' as const)),
  }),
  { maxLength: 3 },
);

const organizations: fc.Arbitrary<SeedOrganization> = fc
  .array(fc.oneof(space, collection), { maxLength: 4 })
  .map(withIds)
  .chain(({ content, ids }) =>
    fc.record(
      {
        id: fc.constantFrom('org_a', '0x10'),
        title: titles(2, 255),
        emailDomains: fc.uniqueArray(fc.constantFrom('acme.dev', 'yes.no', '1.2.3'), { maxLength: 2 }),
        defaultRole: role,
        ai: fc.boolean(),
        inviteLinks: fc.boolean(),
        logo: fc.constant('https://acme.dev/logo.png'),
        members: fc.tuple(
          ...people.map((email) => fc.record({ email: fc.constant(email), role, sso: fc.boolean() })),
        ),
        teams,
        customFields: fc.tuple(
          ...fields.map((field) =>
            fc
              .record(
                { title: titles(0), description: titles(0), placeholder: titles(0) },
                { requiredKeys: [] },
              )
              .map((more) => ({ ...field, ...more })),
          ),
        ),
        samlProviders: fc.array(
          fc.record(
            {
              label: titles(0),
              entityID: fc.constantFrom('http://a', 'http://b'),
              ssoURL: fc.constant('https://acme.dev/sso'),
              certificate: fc.constantFrom(
                'MIIC',
                '-----BEGIN CERTIFICATE-----\r\nMIIC\r\n-----END CERTIFICATE-----\r\n',
              ),
              defaultRole: role,
            },
            { requiredKeys: ['label'] },
          ),
          { maxLength: 3 },
        ),
        openapi: fc
          .uniqueArray(fc.constantFrom('petstore', '1-2', 'yes'), { maxLength: 3 })
          .map((slugs) =>
            slugs.map((slug, at) =>
              at % 2 === 0 ? { slug, url: `https://acme.dev/${slug}.json` } : { slug },
            ),
          ),
        translations: fc.array(fc.record({ title: titles(1) }), { maxLength: 3 }),
        linkInvites: fc.constant([{ id: 'inv_1', role: 'read' as const }]),
        content: fc.constant(content),
        sites: fc.array(site(ids), { maxLength: 2 }),
      },
      { requiredKeys: ['id', 'title', 'members', 'customFields', 'content'] },
    ),
  );

/** Adds ids to sites, one of which may be the default content. */
function withDefault(organization: SeedOrganization, choice: number): SeedOrganization {
  const sites = organization.sites?.map((one, at) => ({ ...one, id: `site_${at}` }));
  if (sites === undefined) return organization;
  const main = sites[choice]?.id;
  return { ...organization, sites, ...(main === undefined ? {} : { defaultSite: main }) };
}

/** Seeds with one organization. */
export const liveStates: fc.Arbitrary<Seed> = fc
  .tuple(organizations, fc.nat(2))
  .map(([organization, choice]) => ({ organizations: [withDefault(organization, choice)] }));

/** Seeds with features that only the newer form has. */
export const newerStates: fc.Arbitrary<Seed> = fc
  .tuple(liveStates, fc.array(fc.nat(99), { minLength: 40, maxLength: 40 }))
  .map(([seed, numbers]) => {
    let at = 0;
    const choose = (among: number) => {
      at += 1;
      return (numbers[at % numbers.length] ?? 0) % among;
    };
    const organizations = seed.organizations.map((organization) => ({
      ...organization,
      ...choices(choose, 'mergeRules', mergeRules),
      sites:
        organization.sites?.map((one) => ({
          ...newerSite(one, choose),
          ...choices(choose, 'defaultLevel', ['read', 'inherit', null] as const),
          ...choices(choose, 'published', [true, false]),
          ...granted(choose, organization),
        })) ?? [],
      content: newerContent(organization.content ?? [], choose, organization),
      openapi:
        organization.openapi?.map((one) => ({
          ...one,
          ...choices(choose, 'visibility', ['private', 'public'] as const),
        })) ?? [],
      linkInvites: (['read', 'edit', 'edit'] as const).slice(choose(5)).map((role) => ({ role })),
    }));
    return { ...seed, organizations };
  });

const mergeRules = [
  { type: 'rules', rules: [{ rule: 'require_author_to_merge' }] },
  { type: 'rules', rules: [{ rule: 'allow_bypass', users: ['user_owner', 'user_gone'] }] },
  {
    type: 'rules',
    rules: [
      { rule: 'not_known', of: 1 },
      { rule: 'custom', expression: 'a', message: '' },
    ],
  },
];

function newerContent<T extends Collection | Space>(
  content: readonly T[],
  choose: Choose,
  organization: SeedOrganization,
): readonly T[] {
  return content.map((one) => {
    const access = granted(choose, organization);
    if ('type' in one)
      return { ...one, ...access, content: newerContent(one.content ?? [], choose, organization) };
    const own = {
      ...choices(choose, 'language', ['de', 'zh-tw']),
      ...choices(choose, 'mergeRules', [...mergeRules, { type: 'none' }]),
    };
    return { ...one, ...access, ...own };
  });
}

/** Levels of people and teams, including a deleted team. */
function granted(choose: Choose, { teams = [], members = [] }: Seed['organizations'][number]) {
  const ids = [...teams.flatMap(({ id }) => id ?? []), 'team_gone'];
  const [person] = members;
  const access = [
    { teams: { [ids[choose(ids.length)] ?? '']: 'edit' as const } },
    { users: person === undefined ? {} : { [person.email]: 'read' as const } },
    { teams: Object.fromEntries(ids.map((id) => [id, 'review' as const])), users: {} },
  ][choose(5)];
  return access === undefined ? {} : { access };
}

/** One of the values, or none. */
function choices<N extends string, T>(
  choose: Choose,
  name: N,
  values: readonly T[],
): { readonly [K in N]?: T } {
  const value = values[choose(values.length + 1)];
  return value === undefined ? {} : ({ [name]: value } as { readonly [K in N]?: T });
}

type Choose = (among: number) => number;
type Sections = NonNullable<SeedSite['sections']>;

function newerSite(site: SeedSite, choose: Choose): SeedSite {
  const { sections, spaces } = site;
  const gitSync = { repoName: 'acme/docs' };
  const customization = [
    { styling: { theme: 'brutal', primaryColor: { light: 'red' } }, favicon: { emoji: '0x10' } },
    {
      announcement: { enabled: true, message: '- x' },
      footer: { copyright: '${x}' },
      added: { by: 'others' },
    },
    { header: { links: [{ title: '# x', to: { kind: 'page', page: '1e3' } }] }, socialAccounts: [] },
  ][choose(4)];
  const one = {
    ...site,
    redirects: redirects(choose),
    ...(choose(4) === 0 ? { gitSync } : {}),
    ...(customization === undefined ? {} : { customization }),
  };
  if (spaces !== undefined) return { ...one, spaces: newerSpaces(spaces, choose) };
  const items = (sections ?? []).map((item) => newerItem(item, choose));
  const hasSection = JSON.stringify(items).includes('"spaces"');
  return sections === undefined ? one : { ...one, sections: hasSection ? linked(items, choose, 2) : items };
}

/** Redirects, including ones with the same source or a deleted target. */
function redirects(choose: Choose): NonNullable<SeedSite['redirects']> {
  const all = ['/old', '/old/*', '/old', '/a/b%20c', '/~x+y*'].slice(choose(6));
  return all.map((source) => ({
    source,
    destination: (
      [
        { kind: 'external', url: 'https://acme.example.test/a?b=c#d' },
        { kind: 'site-section', siteSectionId: 'sect_gone' },
        { kind: 'site-page', siteSpaceId: 'sitesp_gone', pageId: '0x10' },
      ] as const
    )[choose(3)] ?? { kind: 'site-space', siteSpaceId: 'sitesp_gone' },
    ...[{}, { draft: true }, { captureWildcard: true, permanent: true }][choose(3)],
  }));
}

function newerItem(item: Sections[number], choose: Choose): Sections[number] {
  const texts = [{}, { draft: true }, { localizedTitle: { de: 'Hallo', 'pt-br': ' Olá' } }][choose(3)];
  if ('url' in item) return item;
  if (!('sections' in item)) return { ...item, ...texts, spaces: newerSpaces(item.spaces, choose) };
  const inside = item.sections.map((one) => newerItem(one, choose)) as Sections;
  const nested = [
    { title: 'Inside', sections: [] },
    { title: 'Linked', sections: linked([], choose, 1) },
  ];
  return {
    ...item,
    ...texts,
    sections: [...linked(inside, choose, 1), ...nested.slice(choose(3))],
  } as Sections[number];
}

/** Inserts up to two links. */
function linked(items: Sections, choose: Choose, levels: number): Sections {
  const links = [1, 2].slice(choose(3)).map((number) => ({
    title: `Link ${number}`,
    url: `https://${levels}.example.test/${number}/${choose(3)}`,
    ...[{}, { icon: 'yes', draft: true }, { description: 'a: b', condition: 'visitor.claims.a' }][choose(3)],
  }));
  const at = choose(items.length + 1);
  return [...items.slice(0, at), ...links, ...items.slice(at)];
}

function newerSpaces<T extends object>(spaces: readonly T[], choose: Choose): readonly T[] {
  return spaces.map((one) => ({
    ...one,
    ...[{}, { hidden: true }, { draft: true }, { pageId: '0x10' }][choose(4)],
  }));
}
