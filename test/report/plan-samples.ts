/** Hand-made plans with everything that a report can show. */
import type { ApplyResult, Outcome } from '../../src/apply/events.ts';
import type { Step, Unmanaged } from '../../src/plan/plan.ts';
import type { Review, ReviewedOrganization, ReviewedPlan, StepRisk } from '../../src/review/reviewed-plan.ts';
import { defined } from '../../src/util/defined.ts';
import { Secret } from '../../src/util/secret.ts';

/** A step with its risks. */
export type SampleStep = Step & { readonly risks?: readonly StepRisk[] };

/** Accepts the parts of the review as direct properties. */
type Sample = Partial<
  Omit<ReviewedOrganization, 'review' | 'steps' | 'unmanaged'> & Omit<Review, 'risks' | 'exposed'>
> & {
  readonly steps?: readonly SampleStep[];
  readonly unmanaged?: readonly (Unmanaged & { readonly risk?: string })[];
};

/** A step with defaults for everything that a test does not need. */
export function step(given: Partial<SampleStep> & Pick<Step, 'address' | 'action' | 'phase'>): SampleStep {
  return {
    id: `${given.address}#${given.phase}`,
    kind: given.noun ?? 'site',
    noun: 'site',
    reason: '',
    fields: [],
    calls: [],
    needs: [],
    after: [],
    ...given,
  };
}

/** A plan of one organization. */
export function planOf(given: Sample): ReviewedPlan {
  return { format: 1, organizations: [organizationOf(given)] };
}

/** One organization's plan. */
export function organizationOf({
  steps = [],
  unmanaged = [],
  access,
  addresses,
  redirects,
  policy,
  navigation,
  ...given
}: Sample): ReviewedOrganization {
  const risks = steps.flatMap((one) => (one.risks === undefined ? [] : [[one.id, one.risks] as const]));
  const exposed = unmanaged.flatMap(({ kind, id, risk }) => (risk === undefined ? [] : [{ kind, id, risk }]));
  const parts = { access, addresses, redirects, policy, navigation };
  return {
    organizationId: 'org_acme',
    label: 'acme',
    ids: {},
    seen: {},
    withBase: false,
    steps: steps.map(({ risks: _risks, ...one }) => one),
    unmanaged: unmanaged.map(({ risk: _risk, ...one }) => one),
    review: {
      risks: Object.fromEntries(risks),
      ...defined({ ...parts, exposed: exposed.length === 0 ? undefined : exposed }),
    },
    leftOut: { objects: 0, changes: 0, drift: 0, ignoredFields: 0 },
    refusals: [],
    notes: [],
    ...given,
  };
}

const certificate = (word: string) =>
  [
    '-----BEGIN CERTIFICATE-----',
    'MIIDpDCCAoygAwIBAgIGAXo',
    word,
    'a',
    'b',
    'c',
    'd',
    'e',
    '-----END CERTIFICATE-----',
  ].join('\n');

/** All actions, all forms of values. */
export const everything = planOf({
  steps: [
    step({
      address: 'organization',
      noun: 'organization',
      action: 'update',
      phase: 'update',
      reason: 'differs from the manifest',
      fields: [
        { field: 'title', before: 'Acme', after: 'Acme Corporation' },
        { field: 'emailDomains', before: ['acme.dev', 'old.dev'], after: ['acme.dev', 'acme.example'] },
        { field: 'defaultRole', before: 'read', after: null },
        { field: 'sso', before: false, after: true },
      ],
      risks: [{ text: 'everyone has to sign in through a SAML provider from then on' }],
    }),
    step({
      address: 'samlProviders/okta',
      noun: 'SAML provider',
      action: 'update',
      phase: 'update',
      reason: 'differs from the manifest',
      fields: [
        { field: 'certificate', before: certificate('old'), after: certificate('new') },
        { field: 'entityID', before: new Secret('(hidden)', ''), after: new Secret('${secret:X}', 'n3v3r') },
        { field: 'defaultTeam', before: { $id: 'teams/docs' }, after: { $id: 'teams/platform' } },
      ],
    }),
    step({
      address: 'teams/platform',
      noun: 'team',
      action: 'update',
      phase: 'update',
      reason: 'differs from the manifest',
      fields: [
        {
          field: 'members',
          before: { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member', 'cy@acme.dev': 'member' },
          after: { 'ada@acme.dev': 'owner', 'cy@acme.dev': 'owner', 'dan@acme.dev': 'member' },
        },
      ],
    }),
    step({
      address: 'customFields/owner',
      noun: 'custom field',
      action: 'replace',
      phase: 'create',
      reason: 'type cannot be changed: a new one replaces it',
      fields: [
        { field: 'name', after: 'owner' },
        { field: 'type', after: 'select:single' },
        { field: 'options', after: ['one', 'two'] },
      ],
    }),
    step({
      address: 'customFields/owner',
      noun: 'custom field',
      action: 'replace',
      phase: 'delete',
      reason: 'replaced by a new one',
      risks: [{ text: 'all spaces lose their values for it' }],
    }),
    step({
      address: 'sites/hub/sections/guides',
      noun: 'section',
      action: 'create',
      phase: 'create',
      reason: 'does not exist yet',
      fields: [{ field: 'title', after: 'Guides' }],
    }),
    step({
      address: 'sites/hub/sections/guides',
      noun: 'section',
      action: 'create',
      phase: 'update',
      reason: 'fields that create cannot set',
      fields: [
        { field: 'path', after: 'guides' },
        { field: 'icon', before: null, after: 'book' },
        {
          field: 'description',
          after:
            'A description that is long enough to need more than one line at eighty columns, 👋 with wide characters',
        },
      ],
    }),
    step({
      address: 'sites/hub/sections/guides',
      noun: 'section',
      action: 'create',
      phase: 'move',
      reason: 'before sites/hub/sections/reference',
    }),
    step({
      address: 'sites/hub/sections/more/sections/api',
      noun: 'section',
      action: 'move',
      phase: 'detach',
      reason: 'from sites/hub',
    }),
    step({
      address: 'sites/hub/sections/more/sections/api',
      noun: 'section',
      action: 'move',
      phase: 'attach',
      reason: 'into sites/hub/sections/more',
    }),
    step({
      address: 'sites/hub/sections/more/sections/api',
      noun: 'section',
      action: 'move',
      phase: 'move',
      reason: 'to the end',
    }),
    step({
      address: 'sites/hub/sections/reference',
      noun: 'section',
      action: 'update',
      phase: 'vacate',
      reason: 'takes a temporary path first: it is swapped with that of another section',
      fields: [{ field: 'path', before: 'a', after: 'a-swap' }],
    }),
    step({
      address: 'sites/hub/sections/reference',
      noun: 'section',
      action: 'update',
      phase: 'update',
      reason: 'differs from the manifest',
      fields: [{ field: 'path', before: 'a', after: 'b' }],
      risks: [{ text: 'links to the former path stop working' }],
    }),
    step({
      address: 'sites/hub/adaptiveSchema',
      noun: 'adaptive schema',
      action: 'update',
      phase: 'update',
      reason: 'differs from the manifest',
      fields: [
        {
          field: 'jsonSchema',
          before: {
            type: 'object',
            properties: { unsigned: { type: 'object', properties: { beta: { type: 'boolean' } } } },
          },
          after: {
            type: 'object',
            properties: { unsigned: { type: 'object', properties: { alpha: { type: 'boolean' } } } },
          },
        },
      ],
    }),
    step({
      address: 'spaces/notes',
      noun: 'space',
      action: 'restore',
      phase: 'restore',
      reason: 'deleted; will be restored',
    }),
    step({
      address: 'sites/hub/shareLinks/id=link_1',
      noun: 'share link',
      action: 'delete',
      phase: 'delete',
      reason: 'not in the manifests (prune: unlisted)',
      fields: [{ field: 'name', before: 'Partners' }],
      risks: [{ text: 'the link stops working for everyone who has it' }],
    }),
  ],
  unmanaged: Array.from({ length: 13 }, (_, at) => ({
    address: `teams/id=team_${at}`,
    kind: 'team',
    noun: 'team',
    id: `team_${at}`,
    title: `Team ${at}`,
  })),
});

/** Outcomes of the steps of an organization's plan. */
export function resultOf(outcomes: readonly Outcome[]): ApplyResult {
  const steps = outcomes.map((one) => one.step);
  const organization = {
    label: 'acme',
    outcomes,
    steps,
    leftover: [],
    stored: [],
    duplicates: [],
    made: new Map(),
  };
  return { organizations: [organization], interrupted: false };
}
