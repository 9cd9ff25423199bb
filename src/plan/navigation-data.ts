/** What a plan holds of the sites that it changes: their navigation as it was live. The schema is its only description. */
import * as z from 'zod';
import { once } from '../contract/once.ts';
import type { Payload } from '../kinds/payload.ts';
import { byName, list, object, typed } from '../util/data-schema.ts';

const text = z.string();

const entry = once(() =>
  object({
    kind: text,
    noun: text,
    id: text,
    address: text.exactOptional().describe('Absent where no manifest declares it'),
    parent: text.exactOptional().describe('Id of the entry that it is in; absent for the site itself'),
    fields: byName(typed<Payload>()).describe(
      'Without secrets. Ids of declared objects are { $id: address }, as in steps',
    ),
  }),
);

/** The navigation of one site before a plan, as a schema. */
export const siteNavigationSchema = once(() =>
  object({
    address: text.describe('Of the site, as in steps'),
    kinds: list(text).describe('Kinds of its entries: their steps are what changes it'),
    entries: list(entry()).describe(
      'The site first, then what is in it, each after what it is in, in the order of the navigation. Empty for a new site',
    ),
    titles: byName(text).describe(
      'What people call the objects that entries show, by address, or by id where no manifest declares them',
    ),
  }).describe(
    'The navigation of a site before the plan, as far as it was read; what it will be follows from the steps',
  ),
);

/** The navigation of one site before a plan. */
export type SiteNavigation = z.infer<ReturnType<typeof siteNavigationSchema>>;

/** The site, or an entry of its navigation: a section, a group of them, or a space that it shows. */
export type NavigationEntry = z.infer<ReturnType<typeof entry>>;
