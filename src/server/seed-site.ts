import { defined } from '../util/defined.ts';
import { randomSecret } from './context.ts';
import { freeSlug, slugOf } from './places.ts';
import type { Seeder } from './seed.ts';
import type { SeedGroup, SeedSection, SeedSite, SeedSiteSpace } from './seed-file.ts';

export function seedSite(seeder: Seeder, org: string, seed: SeedSite): void {
  const site = seeder.id(seed.id, 'site');
  const sections = (seed.sections ?? []).flatMap((entry) => ('sections' in entry ? entry.sections : [entry]));
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
    ...defined({ basename: seed.basename, proxy: seed.proxy, adaptiveContent: seed.adaptiveContent }),
  });
  const structure = { ...shared, paths: new Set<string>(), defaultSection: defaultOf(sections) };
  for (const [at, entry] of (seed.sections ?? []).entries()) {
    const place = { ...structure, group: null, order: at + 1 };
    if ('sections' in entry) seedGroup(seeder, place, entry);
    else seedSection(seeder, place, entry);
  }
  seedSiteSpaces(seeder, { ...shared, section: null }, seed.spaces ?? []);
  seedShareLinks(seeder, shared, seed.shareLinks ?? []);
  if (seed.adaptiveSchema !== undefined) {
    seeder.put('adaptiveSchema', { id: site, org, jsonSchema: seed.adaptiveSchema, updatedAt: seeder.at });
  }
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
  seeder.put('group', { id: group, org, site, title: seed.title, order, ...defined({ icon: seed.icon }) });
  for (const [at, section] of seed.sections.entries()) {
    seedSection(seeder, { ...place, group, order: at + 1 }, section);
  }
}

function seedShareLinks(
  seeder: Seeder,
  place: { readonly org: string; readonly site: string },
  links: NonNullable<SeedSite['shareLinks']>,
): void {
  for (const link of links) {
    seeder.put('shareLink', {
      id: seeder.id(link.id, 'share'),
      ...place,
      name: link.name,
      active: link.active ?? true,
      createdAt: seeder.at,
      token: randomSecret('k'),
    });
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
    ...defined({ description: seed.description, condition: seed.condition, icon: seed.icon }),
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
      ...defined({ condition: one.condition }),
    });
  }
}
