/** The site part of seeds: sections, groups, site-spaces, share links. */

import { defined } from '../util/defined.ts';
import { randomSecret } from './context.ts';
import { freeSlug, slugOf } from './places.ts';
import type { Seeder } from './seed.ts';
import type { SiteRow } from './site-rows.ts';

/** A space on a site: the id of a seeded space. */
interface SeedSiteSpace {
  readonly id?: string;
  readonly space: string;
  readonly path?: string;
  readonly condition?: string;
  /** The first one is the default where none says so. */
  readonly default?: boolean;
}

/** A section. */
interface SeedSection {
  readonly id?: string;
  readonly title: string;
  readonly path?: string;
  readonly description?: string;
  readonly condition?: string;
  readonly icon?: string;
  readonly default?: boolean;
  readonly spaces: readonly SeedSiteSpace[];
}

/** A group of sections. */
interface SeedGroup {
  readonly id?: string;
  readonly title: string;
  readonly icon?: string;
  readonly sections: readonly SeedSection[];
}

/** One entry of a site's top level. */
type SeedEntry = SeedSection | SeedGroup;

/** A site: with sections and groups in one order, or with spaces at its root. */
export interface SeedSite {
  readonly id?: string;
  readonly title: string;
  readonly type?: string;
  readonly visibility?: SiteRow['visibility'];
  readonly basename?: string;
  readonly proxy?: string;
  readonly published?: boolean;
  readonly adaptiveContent?: boolean;
  readonly adaptiveSchema?: Record<string, unknown>;
  readonly sections?: readonly SeedEntry[];
  readonly spaces?: readonly SeedSiteSpace[];
  readonly shareLinks?: readonly { readonly id?: string; readonly name: string; readonly active?: boolean }[];
}

/** Puts a site with its structure into the store. */
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

/** The one that says that it is the default, else the first. */
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
