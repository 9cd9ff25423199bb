/** Sites and their parts, as responses show them (API document, "Site" to "PublishedContentSite"). */

import * as z from 'zod';
import { each } from '../../util/data-schema.ts';
import { once } from '../once.ts';
import { hint, maybe, resource, roles, siteVisibilities, texts, urls } from '../values.ts';
import { gitSync, space } from './space.ts';

const lightAndDark = once(() => z.looseObject({ light: maybe(z.string()), dark: maybe(z.string()) }));

/** A site. `proxy` is one string in requests and two parts here. */
export const site = resource('site', () => ({
  type: hint('basic', 'premium', 'ultimate', 'sponsored', 'legacy-basic', 'legacy-premium'),
  title: z.string(),
  icon: maybe(z.union([z.string(), z.looseObject({ icon: maybe(lightAndDark()) })])),
  ...texts('hostname', 'basename'),
  proxy: maybe(z.looseObject({ origin: maybe(z.string()), target: maybe(z.string()) })),
  visibility: hint(...siteVisibilities),
  published: z.boolean(),
  siteSpaces: z.number(),
  createdAt: z.string(),
  defaultLevel: maybe(hint(...roles, 'inherit')),
  gitSync: maybe(gitSync()),
  adaptiveContent: maybe(z.looseObject({ enabled: maybe(z.boolean()) })),
  ads: maybe(z.looseObject({ status: maybe(hint('pending')), submittable: maybe(z.boolean()) })),
  features: maybe(
    z.array(
      z.looseObject({
        id: maybe(hint('sites-sections')),
        plan: maybe(hint('basic')),
        frozen: maybe(z.boolean()),
      }),
    ),
  ),
  urls: urls('location', 'app', 'published'),
}));

const localizedText = once(() => z.record(z.string(), z.string()));

/** A space as a site publishes it: `section` is absent at the site's root. */
export const siteSpace = resource('site-space', () => ({
  path: z.string(),
  section: maybe(z.string()),
  space: maybe(space()),
  title: z.string(),
  default: maybe(z.boolean()),
  condition: maybe(z.string()),
  ...each(z.boolean().nullish(), 'draft', 'hidden'),
  pageId: maybe(z.string()),
  hasAdvancedCustomizationFeature: maybe(z.boolean()),
  urls: urls('published'),
}));

/** A section of a site; `sectionGroup` is the group that contains it. */
export const siteSection = resource('site-section', () => ({
  title: z.string(),
  description: maybe(z.string()),
  default: maybe(z.boolean()),
  path: z.string(),
  ...texts('condition', 'sectionGroup', 'icon'),
  draft: maybe(z.boolean()),
  ...each(localizedText().nullish(), 'localizedTitle', 'localizedDescription'),
  siteSpaces: maybe(z.array(siteSpace())),
  urls: urls('published'),
}));

/** A group of sections. */
export const siteSectionGroup = resource('site-section-group', () => ({
  title: z.string(),
  icon: maybe(z.string()),
  draft: maybe(z.boolean()),
  localizedTitle: maybe(localizedText()),
  sectionGroup: maybe(z.string()),
  sections: maybe(z.array(siteSection())),
}));

/** A link among the sections of a site. */
export const siteLink = resource('site-external-link', () => ({
  ...each(z.string(), 'title', 'url'),
  draft: maybe(z.boolean()),
  ...texts('description', 'icon', 'condition', 'sectionGroup'),
  ...each(localizedText().nullish(), 'localizedTitle', 'localizedDescription'),
}));

const structureItems = once(() => ({
  'site-section': siteSection(),
  'site-section-group': siteSectionGroup(),
  'site-external-link': siteLink(),
  'site-space': siteSpace(),
}));

/** The structure may contain unknown objects. */
const structureItem = once(() =>
  z.looseObject({ object: z.string(), id: z.string() }).superRefine((item, context) => {
    const known: Readonly<Record<string, z.ZodType>> = structureItems();
    for (const { path, message } of known[item.object]?.safeParse(item).error?.issues ?? [])
      context.addIssue({ code: 'custom', path, message });
    for (const [key, list] of [
      ['children', item.children],
      ['siteSpaces', item.siteSpaces],
    ] as const)
      for (const { path, message } of structureOf(list))
        context.addIssue({ code: 'custom', path: [key, ...path], message });
  }),
);

function structureOf(list: unknown): readonly z.core.$ZodIssue[] {
  return list === undefined || list === null
    ? []
    : (z.array(structureItem()).safeParse(list).error?.issues ?? []);
}

/** Structure of a site: either sections with groups and links, or site-spaces. `children` of groups have the same kinds. */
export const siteStructure = once(() =>
  z.looseObject({ type: maybe(hint('sections', 'siteSpaces')), structure: z.array(structureItem()) }),
);

/** A secret link to a site whose visibility is `share-link`; its URL is a secret. */
export const shareLink = resource('share-link', () => ({
  createdAt: z.string(),
  name: maybe(z.string()),
  active: maybe(z.boolean()),
  urls: urls('published'),
}));

/** A redirect of a site; visitors are not redirected by a `draft`. */
export const siteRedirect = resource('site-redirect', () => ({
  source: z.string(),
  ...each(z.boolean(), 'draft', 'captureWildcard', 'permanent'),
  destination: z.looseObject({
    kind: hint('external', 'site-section', 'site-space', 'site-page'),
    ...texts('url', 'siteSectionId', 'siteSpaceId', 'pageId'),
  }),
  createdAt: z.string(),
  updatedAt: maybe(z.string()),
}));

/** A JSON Schema (draft-07) of the data that a site may have about its visitors. */
export const adaptiveSchema = once(() =>
  z.looseObject({
    object: maybe(hint('site-adaptive-schema')),
    jsonSchema: maybe(z.record(z.string(), z.unknown())),
    updatedAt: maybe(z.string()),
  }),
);

/** Appearance of a site; deployments may return more parts. */
export const customization = once(() =>
  z.looseObject({
    ...texts('updatedAt', 'title'),
    styling: maybe(
      z.looseObject({
        theme: maybe(z.string()),
        primaryColor: maybe(lightAndDark()),
        tint: maybe(z.looseObject({ color: maybe(lightAndDark()) })),
        ...each(lightAndDark().nullish(), 'infoColor', 'successColor', 'warningColor', 'dangerColor'),
        ...texts('corners', 'links'),
        font: maybe(z.union([z.string(), z.looseObject({})])),
        icons: maybe(z.string()),
        sidebar: maybe(z.looseObject({ background: maybe(z.string()), list: maybe(z.string()) })),
        search: maybe(z.string()),
      }),
    ),
    internationalization: maybe(z.looseObject({ locale: maybe(z.string()) })),
    favicon: maybe(z.unknown()),
  }),
);

/**
 * The published content of a site. The structure lists sections and, in deployments that know them, groups in one order; a site
 * without sections lists its site-spaces.
 */
export const publishedContentSite = once(() =>
  z.looseObject({
    object: maybe(hint('published-content-site')),
    site: maybe(site()),
    structure: maybe(
      z.looseObject({
        type: maybe(hint('sections', 'siteSpaces')),
        structure: maybe(z.array(z.union([siteSection(), siteSectionGroup(), siteSpace()]))),
      }),
    ),
    customizations: maybe(z.looseObject({ site: maybe(customization()) })),
  }),
);
