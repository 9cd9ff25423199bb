import { defined } from '../../util/defined.ts';
import { picked } from '../../util/picked.ts';
import { randomSecret } from '../context.ts';
import { freeSlug, slugOf } from '../store/places.ts';
import { type Seeder, seedGrants } from './content.ts';
import type { SeedGroup, SeedItem, SeedSection, SeedSite, SeedSiteSpace } from './seed-file.ts';

export function seedSite(seeder: Seeder, org: string, seed: SeedSite): void {
  const site = seeder.id(seed.id, 'site');
  const sections = sectionsIn(seed.sections ?? []);
  const shared = { org, site };
  seeder.put('site', {
    id: site,
    org,
    type: seed.type ?? 'basic',
    title: seed.title,
    visibility: seed.visibility ?? 'public',
    published: seed.published ?? false,
    createdAt: seeder.at,
    siteSpaces: (seed.spaces ?? []).length + sections.reduce((sum, one) => sum + one.spaces.length, 0),
    ...defined(picked(seed, 'basename', 'proxy', 'adaptiveContent', 'gitSync', 'defaultLevel')),
  });
  seedGrants(seeder, { org, on: `site/${site}` }, seed.access);
  const structure = { ...shared, paths: new Set<string>(), defaultSection: defaultOf(sections) };
  seedItems(seeder, { ...structure, group: null }, seed.sections ?? []);
  seedSiteSpaces(seeder, { ...shared, section: null }, seed.spaces ?? []);
  for (const { id, name, active = true } of seed.shareLinks ?? []) {
    const own = { id: seeder.id(id, 'share'), name, active, token: randomSecret('k') };
    seeder.put('shareLink', { ...own, ...shared, createdAt: seeder.at });
  }
  for (const one of seed.redirects ?? []) {
    const flags = { captureWildcard: false, permanent: false, draft: false };
    const id = seeder.id(one.id, 'redir');
    seeder.put('redirect', { ...flags, ...one, ...shared, id, createdAt: seeder.at });
  }
  if (seed.customization !== undefined) {
    const whole = seed.customization;
    seeder.put('customization', { id: site, org, whole, updatedAt: seeder.at });
  }
  if (seed.adaptiveSchema !== undefined) {
    seeder.put('adaptiveSchema', { id: site, org, jsonSchema: seed.adaptiveSchema, updatedAt: seeder.at });
  }
}

function sectionsIn(items: readonly SeedItem[]): readonly SeedSection[] {
  return items.flatMap((item) => {
    if ('sections' in item) return sectionsIn(item.sections);
    return 'url' in item ? [] : [item];
  });
}

function defaultOf<T extends { readonly default?: boolean }>(all: readonly T[]): T | undefined {
  return all.find((one) => one.default === true) ?? all[0];
}

interface SectionPlace {
  readonly org: string;
  readonly site: string;
  readonly group: string | null;
  readonly order: number;
  readonly paths: Set<string>;
  readonly defaultSection: SeedSection | undefined;
}

function seedGroup(seeder: Seeder, place: SectionPlace, seed: SeedGroup): void {
  const { org, site, order } = place;
  const group = seeder.id(seed.id, 'sgrp');
  seeder.put('group', {
    id: group,
    org,
    site,
    group: place.group,
    title: seed.title,
    order,
    ...defined({ icon: seed.icon, draft: seed.draft, localizedTitle: seed.localizedTitle }),
  });
  seedItems(seeder, { ...place, group }, seed.sections);
}

function seedItems(seeder: Seeder, place: Omit<SectionPlace, 'order'>, items: readonly SeedItem[]): void {
  for (const [at, item] of items.entries()) {
    const here = { ...place, order: at + 1 };
    const { org, site, group, order } = here;
    if ('sections' in item) seedGroup(seeder, here, item);
    else if ('url' in item) {
      const { id, ...own } = item;
      seeder.put('link', { id: seeder.id(id, 'link'), org, site, group, order, ...own });
    } else seedSection(seeder, here, item);
  }
}

function seedSection(seeder: Seeder, place: SectionPlace, seed: SeedSection): void {
  const { org, site, group, order, paths } = place;
  const id = seeder.id(seed.id, 'sect');
  const path = seed.path ?? freeSlug(slugOf(seed.title), (one) => paths.has(one));
  paths.add(path);
  seeder.put('section', {
    id,
    org,
    site,
    group,
    order,
    title: seed.title,
    path,
    default: seed === place.defaultSection,
    ...defined(
      picked(seed, 'description', 'condition', 'icon', 'draft', 'localizedTitle', 'localizedDescription'),
    ),
  });
  seedSiteSpaces(seeder, { org, site, section: id }, seed.spaces);
}

function seedSiteSpaces(
  seeder: Seeder,
  place: { readonly org: string; readonly site: string; readonly section: string | null },
  all: readonly SeedSiteSpace[],
): void {
  const paths = new Set(all.flatMap((one) => one.path ?? []));
  const first = defaultOf(all);
  for (const [at, one] of all.entries()) {
    const space = seeder.store.get('space', one.space);
    if (space === undefined) throw new Error(`seed: no space "${one.space}" for a site`);
    const path = one.path ?? freeSlug(slugOf(space.title), (taken) => paths.has(taken));
    paths.add(path);
    seeder.put('siteSpace', {
      id: seeder.id(one.id, 'sitesp'),
      ...place,
      space: one.space,
      path,
      default: one === first,
      order: at + 1,
      ...defined({ condition: one.condition, hidden: one.hidden, draft: one.draft, pageId: one.pageId }),
    });
  }
}
