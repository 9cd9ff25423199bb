/** An export applied to an organization that has only members: its own export is equal. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import type { Form } from '../../src/contract/form.ts';
import { registry } from '../../src/kinds/index.ts';
import { exportOrganization } from '../../src/run/export/export.ts';
import type {
  Seed,
  SeedItem,
  SeedOrganization,
  SeedSite,
  SeedSiteSpace,
} from '../../src/server/seed/seed-file.ts';
import { type DesiredNode, rootAddress } from '../../src/tree/desired.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { referencesOf, type Target } from '../../src/tree/references.ts';
import { type Harness, loadTexts, onlyTree, startHarness } from '../support/harness.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { newerStates } from '../support/live-states.ts';
import { memoryService } from '../support/memory-service.ts';
import { patience, tries } from '../support/runs.ts';
import { combinations } from '../support/variants.ts';

const service = memoryService();
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(async () => {
  await service.close();
  await harness.close();
});

test('creates the same objects in another organization from an export', {
  timeout: patience(120_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(combinations, newerStates, async ({ variants }, state) => {
      const own = '2026';
      const seed = creatable(state, own);
      // A service that requires payments or rejects values cannot have the same state; invited people join later.
      const willing = {
        ...variants,
        publishing: 'done',
        'customization-values': 'kept',
        invites: 'at-once',
      } as const;
      service.reset(seed, variants, own);
      const exported = await exportedTree(service.api);
      harness.reset(willing, own);
      harness.service.reset(emptied(seed, own), willing, own);
      const tree = forAnother(exported, own);
      const planned = await harness.plan(tree);
      expect(planned.refusals).toEqual([]);
      const { organizations } = await harness.apply(tree, planned);
      const ends = organizations.flatMap(({ outcomes, leftover }) => [
        ...outcomes
          .filter(({ type }) => type !== 'done' && type !== 'satisfied')
          .map((outcome) => [outcome.type, outcome.step.id, String('error' in outcome ? outcome.error : '')]),
        ...leftover.map(({ id, fields }) => ['left', id, fields]),
      ]);
      expect(ends).toEqual([]);
      expect((await harness.plan(tree)).steps).toEqual([]);
      const keep = variants.text === undefined || variants.text === 'as-is' ? asIs : asKept;
      expect(keep(said(await exportedTree(harness.api)))).toEqual(keep(said(exported)));
      expect(brokenInvariants(harness.service)).toEqual([]);
    }),
    { ...tries(12), endOnFailure: true },
  );
});

/** Everything that these exports report as omitted. */
const leavesOut: readonly string[] = [
  'this service has others, which Octavo does not manage',
  'the API does not list them',
  'the service does not have them (status 404)',
  'the service lists no team team_gone',
];

async function exportedTree(api: Api): Promise<DesiredTree> {
  const { files, leftOut } = await exportOrganization(api, { registry, layout: 'one', pin: 'ambiguous' });
  expect(leftOut.filter(({ reason }) => !leavesOut.includes(reason))).toEqual([]);
  return onlyTree(await loadTexts(Object.fromEntries(files.map(({ name, text }) => [name, text]))));
}

/** Objects of another organization have other ids. */
function forAnother(tree: DesiredTree, own: Form): DesiredTree {
  const nodes = [...tree.nodes].map(([address, { id: _id, ...node }]) => [address, node] as const);
  const settings = { ...tree.settings, service: { profile: own } };
  return tree.with({ nodes: new Map(nodes), settings });
}

/**
 * Omits everything that an export cannot recreate: duplicate or missing names, links that differ only in role, texts of specifications,
 * repositories, redirects to deleted targets, and values that no request may have. Plans refuse these, or exports report them as omitted.
 */
function creatable(seed: Seed, own: Form): Seed {
  const names = new Set<string>();
  return {
    ...seed,
    organizations: seed.organizations.map((organization) => ({
      ...(plain(organization, names) as typeof organization),
      linkInvites: [],
      members:
        organization.members?.map((one) => ({ ...one, sso: one.sso === true && canSignIn(organization) })) ??
        [],
      openapi:
        organization.openapi?.map((one) => ({ ...one, url: `https://acme.dev/${one.slug}.json` })) ?? [],
      sites:
        organization.sites?.map((site, at) => {
          const whole = creatableSite(plain(site, names) as SeedSite, at);
          // A link needs a site with a section.
          const isLinked = JSON.stringify(whole.sections ?? []).includes('"spaces"');
          const isNewer = own === '2026' && isLinked;
          return isNewer ? whole : withDocumentedStructure(whole);
        }) ?? [],
    })),
  };
}

/** No one is invited with single sign-on if there is no provider. */
function canSignIn({ samlProviders = [] }: SeedOrganization): boolean {
  return samlProviders.length > 0;
}

function plain(value: unknown, names: Set<string>): unknown {
  if (Array.isArray(value))
    return value
      .filter((one) => !unknown.has(one) && !unknown.has(one?.rule))
      .map((one) => plain(one, names));
  if (typeof value !== 'object' || value === null) return value === 'red' ? '#ff0000' : value;
  const entries = Object.entries(value).map(([key, inner]) => {
    if (key === 'adaptiveSchema') return [key, { type: 'object', properties: {} }];
    if (key === 'customFields') return [key, inner];
    const isName = ['title', 'name', 'label'].includes(key) && typeof inner === 'string';
    return [key, isName ? ownName(key === 'label' ? inner.slice(0, 30) : inner, names) : plain(inner, names)];
  });
  return Object.fromEntries(entries);
}

function ownName(name: string, names: Set<string>): string {
  const folded = (text: string) => text.trim().normalize('NFC');
  const isShort = [...folded(name)].length < 2;
  const own = isShort || names.has(folded(name)) ? cut(`no${names.size} ${name}`) : name;
  names.add(folded(own));
  return own;
}

/** Cuts a name to 30 code units, without half a character. */
function cut(name: string): string {
  return name.slice(0, 30).replace(/[\ud800-\udbff]$/, '');
}

/** No member has this user id, and no manifest has this rule. */
const unknown: ReadonlySet<unknown> = new Set(['user_gone', 'not_known']);

/** Redirects target the first section or site-space, or another site. */
function creatableSite({ gitSync: _sync, ...site }: SeedSite, at: number): SeedSite {
  const id = `sitesp_${at}`;
  const [first, ...others] = site.spaces ?? [];
  const spaces = first === undefined ? {} : { spaces: [{ ...first, id }, ...others] };
  const once = new Map(site.redirects?.map((one) => [`${one.source} ${one.draft === true}`, one]));
  const redirects = [...once.values()].map((redirect) => {
    const { destination } = redirect;
    if (destination.kind === 'external') return redirect;
    if (first === undefined)
      return { ...redirect, destination: { kind: 'external' as const, url: 'https://acme.dev/gone' } };
    const to = destination.kind === 'site-page' ? destination : { kind: 'site-space' as const };
    return { ...redirect, destination: { ...to, siteSpaceId: id } };
  });
  const isEmpty = !JSON.stringify(site).includes('"space"');
  return {
    ...site,
    ...(isEmpty ? { published: false } : {}),
    ...spaces,
    redirects,
  };
}

/** Omits links, nested groups, and features that only newer services have. */
function withDocumentedStructure({ sections, spaces, ...site }: SeedSite): SeedSite {
  const documented = (items: readonly SeedItem[], level: number): readonly unknown[] =>
    items.flatMap((item): readonly unknown[] => {
      const { draft: _draft, localizedTitle: _texts, ...own } = item;
      if ('url' in own) return [];
      if ('spaces' in own) return [{ ...own, spaces: own.spaces.map(documentedSpace) }];
      const inside = level === 0 ? documented(own.sections, 1) : [];
      // The place of an empty group cannot be read.
      return inside.length === 0 ? [] : [{ ...own, sections: inside }];
    });
  return {
    ...site,
    ...(sections === undefined ? {} : { sections: documented(sections, 0) }),
    ...(spaces === undefined ? {} : { spaces: spaces.map(documentedSpace) }),
  } as SeedSite;
}

function documentedSpace({
  hidden: _hidden,
  draft: _draft,
  pageId: _page,
  ...own
}: SeedSiteSpace): SeedSiteSpace {
  return own;
}

/** Adds the people who cannot be invited. */
function emptied({ organizations }: Seed, own: Form): Seed {
  return {
    organizations: organizations.map(({ id = '', title, members = [] }) => ({
      id,
      title,
      members: members.filter(({ role }) => role === null || own !== '2026'),
    })),
  };
}

/** Content of a tree by title, since keys and ids differ between exports. */
function said(tree: DesiredTree): unknown {
  const root = tree.get(rootAddress);
  return root === undefined ? undefined : contentOf(tree, root);
}

function contentOf(tree: DesiredTree, node: DesiredNode): unknown {
  const collections = registry.collectionsOf(node.kind).flatMap((collection) => {
    const inside = tree.childrenOf(node.address, collection).map((child) => contentOf(tree, child));
    const isOrdered = registry.at(node.kind, collection).some(({ place }) => place.ordered);
    return inside.length === 0 ? [] : [[collection, isOrdered ? inside : sorted(inside)]];
  });
  return { kind: node.kind, ...fieldsOf(tree, node), ...Object.fromEntries(collections) };
}

function sorted(items: readonly unknown[]): readonly unknown[] {
  return items
    .map((item) => [JSON.stringify(item), item] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, item]) => item);
}

function fieldsOf(tree: DesiredTree, node: DesiredNode): Readonly<Record<string, unknown>> {
  const references = referencesOf(tree, node, registry);
  const entries = Object.entries(node.fields).map(([name, value]) => {
    const own = references.filter(({ field }) => field === name).map(({ target }) => nameOf(tree, target));
    if (own.length === 0) return [name, inOneForm(value)];
    if (registry.byName(node.kind).fields[name]?.type === 'reference') return [name, own[0]];
    const levels = Object.values(value as object) as readonly unknown[];
    return [name, sorted(own.map((who, at) => [who, levels[at]]))];
  });
  return Object.fromEntries(entries);
}

/** Services may normalize certificates and URLs. */
function inOneForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneForm);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inOneForm(inner)]));
  if (typeof value !== 'string') return value;
  if (/^(?:-----BEGIN|MII)/.test(value)) return value.replace(/-----[^-]+-----|\s/g, '');
  return /^https?:/.test(value) && URL.canParse(value) ? new URL(value).href : value;
}

function nameOf(tree: DesiredTree, target: Target): unknown {
  if (target.type !== 'node') return target;
  const { kind, fields } = tree.get(target.address) as DesiredNode;
  return { kind, title: fields.title ?? fields.label ?? '' };
}

function asIs(value: unknown): unknown {
  return value;
}

/** Services may trim texts, and join letters with their marks. */
function asKept(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC').trim();
  if (Array.isArray(value)) return sorted(value.map(asKept));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, asKept(inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== ''));
}
