/**
 * Consequences of a plan for its reviewers: risks, access, addresses, policy, navigation. They are not sent, not part of the digest, and
 * not needed by an apply, whose rounds do not compute them. Reports read them next to the plan.
 */
import * as z from 'zod';
import { once } from '../contract/once.ts';
import type { Payload } from '../kinds/parts/payload.ts';
import { type OrganizationPlan, organizationPlanSchema, type Plan, type Unmanaged } from '../plan/plan.ts';
import { RefMap } from '../tree/refs.ts';
import { byName, each, flag, list, object, typed } from '../util/data-schema.ts';
import { defined } from '../util/defined.ts';

const text = z.string();
const texts = list(text);
const payload = typed<Payload>();

const entry = once(() =>
  object({
    ...each(text, 'kind', 'noun', 'id'),
    address: text.exactOptional().describe('Absent if no manifest declares it'),
    parent: text.exactOptional().describe('Id of the entry that it is in; absent for the site itself'),
    fields: byName(typed<Payload>()).describe(
      'Without secrets. Ids of declared objects are { $id: address }, as in steps',
    ),
  }),
);

const siteNavigationSchema = once(() =>
  object({
    address: text.describe('Of the site, as in steps'),
    kinds: list(text).describe('Kinds of its entries: their steps change it'),
    entries: list(entry()).describe(
      'The site first, then its entries, each after its parent, in the order of the navigation. Empty for a new site',
    ),
    titles: byName(text).describe(
      'Titles of the objects that entries show, by address, or by id if no manifest declares them',
    ),
    parts: object({ title: texts, path: texts, first: texts, internal: texts }).describe(
      'Names of fields: the title of an entry, its part of the address, the entry inside that visitors see first, and fields that visitors do not notice',
    ),
  }).describe(
    'The navigation of a site before the plan, as far as it was read; the navigation afterwards follows from the steps',
  ),
);

export type SiteNavigation = z.infer<ReturnType<typeof siteNavigationSchema>>;

export type NavigationEntry = z.infer<ReturnType<typeof entry>>;

const risk = once(() =>
  object({
    text: text.describe('One sentence'),
    field: text
      .exactOptional()
      .describe('The field of the step that carries it; absent for the object as a whole'),
    outside: z
      .literal(true)
      .exactOptional()
      .describe('A change made outside git, which the step reverts or, for a conflict, overwrites'),
    severe: flag('Shown before other risks'),
  }),
);

const policyChange = once(() =>
  object({
    address: text.describe('`settings` for the settings'),
    // biome-ignore format: a list of words
    change: z.enum([
      'released', 'managed', 'taken', 'protected', 'unprotected', 'fields', 'additive', 'exact', 'ignored', 'until',
      'setting',
    ]),
    name: text
      .exactOptional()
      .describe(
        'The setting, the fields or the collection, if it applies to some; the objects that are managed from now on',
      ),
    noun: text.exactOptional().describe('Of the objects of a collection that is released'),
    count: z.number().exactOptional().describe('Of the objects of a collection that is released'),
    before: payload.exactOptional(),
    after: payload.exactOptional(),
  }).describe('A change in how the manifests treat objects, compared with the base. Nothing is sent for it'),
);

const named = {
  kind: text.describe('For people'),
  title: text,
  address: text.exactOptional().describe('Absent if no manifest declares it'),
};

const access = once(() =>
  object({
    changes: list(
      object({
        people: texts.describe('Their names'),
        on: list(
          object({
            ...named,
            whole: flag('True for the organization as a whole'),
          }),
        ),
        before: text.describe('A role, none, or for the organization guest'),
        after: text,
        certain: flag(
          'True for any way in which levels combine; absent if it depends on it, or if not everything was read',
        ),
      }),
    ).describe('Highest level first'),
    lost: texts.exactOptional().describe('People who lose all access; absent if there are none'),
    audiences: list(
      object({
        kind: text.describe('For people'),
        address: text,
        opens: z.boolean().describe('True if it opens, false if it closes'),
        to: text.describe('Everyone, or everyone who has the address'),
      }),
    )
      .exactOptional()
      .describe('Sites that open or close; absent if there are none'),
  }).describe('Access that people gain or lose through the plan'),
);

const webAddress = once(() =>
  object({
    from: text.describe('URL before the plan'),
    to: text.exactOptional().describe('URL after it; absent if there is none, or if it is not known'),
    takenBy: text.exactOptional().describe('Address of the object that has the former URL afterwards'),
    address: text.exactOptional().describe('Absent if no manifest declares it'),
    ...each(text, 'noun', 'title'),
    below: z.number().exactOptional().describe('URLs below it that change along; absent for none'),
  }).describe('A URL of visitors that changes, is lost or becomes that of another object'),
);

const linkedObject = once(() =>
  object({
    ...named,
    to: list(object(named)).exactOptional().describe('Spaces that it shows; absent for a space'),
    from: list(object({ ...named, links: z.number() })).describe('Other spaces, most links first'),
    unread: z.number().describe('Other spaces whose links were not read'),
  }).describe('A deleted space, or an object on a site that is deleted or has another path'),
);

const missingRedirects = once(() =>
  object({
    in: text.describe('Address of the site'),
    key: text.describe('The mapping there'),
    lines: texts,
  }).describe('Lines to add to the manifests so that former links keep working'),
);

export const reviewSchema = once(() =>
  object({
    risks: byName(list(risk())).describe('Risks, by the id of the step that carries them'),
    access: access().exactOptional().describe('Absent if the steps do not change it'),
    addresses: list(webAddress())
      .exactOptional()
      .describe('URLs of published sites that change; absent if none do'),
    links: list(linkedObject())
      .exactOptional()
      .describe('Objects to which other spaces link; absent without any, or if the service lists no links'),
    redirects: list(missingRedirects())
      .exactOptional()
      .describe('Absent if former links keep working, or if the service has no redirects'),
    exposed: list(object({ kind: text, id: text, risk: text.describe('Access that it gives') }))
      .exactOptional()
      .describe('Unmanaged objects that give access, the most dangerous first; absent if there are none'),
    expiring: list(
      object({
        address: text,
        text: text.describe('One sentence'),
        severe: flag('Within a week, and everyone needs it'),
        ends: z.enum(['soon', 'over']).exactOptional().describe('For access with a last day'),
      }),
    )
      .exactOptional()
      .describe(
        'Declared certificates that have expired or expire within 30 days, and access that ends within 14 days or that has ended and is live; absent if there are none',
      ),
    authors: object({
      found: list(
        object({
          address: text,
          at: text.describe('ISO 8601'),
          text: text.describe('For example `changed 2 days ago by ada@acme.dev, in the app`'),
        }),
      ),
      note: text.exactOptional().describe('Why some are missing; absent if all were read'),
    })
      .exactOptional()
      .describe('Authors of the drift, in reports of drift; absent if the service has no audit events'),
    renames: byName(text)
      .exactOptional()
      .describe(
        'By the id of a step that deletes: the line that would make it a rename. Only where one object of a kind is deleted and one is created; absent if there are none',
      ),
    policy: list(policyChange())
      .exactOptional()
      .describe('Changes in how objects are treated since the base; absent if there are none'),
    navigation: list(siteNavigationSchema())
      .exactOptional()
      .describe('The sites that steps change, as they were; absent if there are none'),
  }),
);

export const reviewedOrganizationSchema = once(() =>
  object({
    ...organizationPlanSchema().unwrap().shape,
    review: reviewSchema()
      .exactOptional()
      .describe('Review of the plan; absent in a plan that is not shown to people'),
  }),
);

export type Review = z.infer<ReturnType<typeof reviewSchema>>;

export type StepRisk = z.infer<ReturnType<typeof risk>>;

export type PolicyChange = z.infer<ReturnType<typeof policyChange>>;

export type WebAddress = z.infer<ReturnType<typeof webAddress>>;

export type LinkedObject = z.infer<ReturnType<typeof linkedObject>>;

export type MissingRedirects = z.infer<ReturnType<typeof missingRedirects>>;

export type Access = z.infer<ReturnType<typeof access>>;

export interface ReviewedOrganization extends OrganizationPlan {
  readonly review?: Review;
}

export interface ReviewedPlan extends Plan {
  readonly organizations: readonly ReviewedOrganization[];
}

/** Sorted: objects that give access first. */
export function unmanagedByDanger({
  unmanaged,
  review,
}: ReviewedOrganization): readonly (Unmanaged & { readonly risk?: string })[] {
  const exposed = review?.exposed ?? [];
  const places = new RefMap<number>();
  for (const [place, one] of exposed.entries()) places.set(one, place);
  const placeOf = (one: Unmanaged) => places.get(one) ?? exposed.length;
  return [...unmanaged]
    .sort((left, right) => placeOf(left) - placeOf(right))
    .map((one) => ({ ...one, ...defined({ risk: exposed[placeOf(one)]?.risk }) }));
}
