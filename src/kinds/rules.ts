/**
 * Rules of a team over plans, and those that ship. A rule selects changes, and says as patterns what must hold for them; without
 * one it rejects each of them. Nothing is evaluated: see `patterns.ts`.
 */
import type { SourceRange } from '../util/diagnostic.ts';
import type { Pattern } from './patterns.ts';

/** The actions of steps. */
export const ruleActions = ['create', 'update', 'move', 'replace', 'delete', 'restore'] as const;

/**
 * What becomes of addresses that visitors have: `broken` if one is lost, leads elsewhere, changes without a redirect that is live
 * or in the plan, or if that cannot be foretold; `redirected` if each that changes has one.
 */
export const linkOutcomes = ['broken', 'redirected'] as const;

export type LinkOutcome = (typeof linkOutcomes)[number];

type FieldPatterns = Readonly<Record<string, Pattern>>;

/** The parts of a rule as a file has them. */
export interface RuleTexts {
  /** All that are written must fit. */
  readonly when?: {
    readonly kind?: readonly string[];
    /** Globs. */
    readonly address?: readonly string[];
    readonly action?: readonly (typeof ruleActions)[number][];
    /** The change sets at least one of them; a new object sets all that its kind has. */
    readonly field?: readonly string[];
    /** People gain this level or a higher one. */
    readonly gains?: string;
    readonly links?: readonly LinkOutcome[];
  };
  /** By field. */
  readonly require?: { readonly before?: FieldPatterns; readonly after?: FieldPatterns };
  /** Objects that may be rejected before the rule rejects the plan. */
  readonly most?: number;
  readonly message: string;
  /** Default: error. */
  readonly severity?: 'error' | 'warning';
  /** Either lifts the rule for one pull request; there is no way around it if absent. */
  readonly exempt?: { readonly label?: string; readonly team?: string };
}

/** A rule that is read, and where it is written. */
export interface PlanRule extends RuleTexts {
  readonly name: string;
  readonly at: SourceRange;
}

interface ShippedRule extends RuleTexts {
  readonly why: string;
}

/** All are off until `rules:` has a key of that name, which may change any part. */
export const shippedRules: Readonly<Record<string, ShippedRule>> = {
  'no-site-deletes': {
    why: 'Visitors lose the whole site; its structure, customization and share links cannot be restored.',
    when: { kind: ['site'], action: ['delete', 'replace'] },
    message: 'a site would be deleted',
  },
  'no-space-deletes': {
    why: 'Content is deleted with its space. A space can be restored for 7 days; the sites that showed it must be put together again.',
    when: { kind: ['space', 'collection'], action: ['delete', 'replace'] },
    message: 'content would be deleted',
  },
  'no-public-sites': {
    why: 'Someone should decide who can read a site, and be named. A site that is public already is not judged again.',
    when: { kind: ['site'], field: ['visibility'] },
    require: { after: { visibility: ['unlisted', 'share-link', 'visitor-auth'] } },
    message: 'a site would become public, or the service decides who can see it',
  },
  'no-new-share-links': {
    why: 'Everyone who has the address of a share link can read the site, and no one sees who passes it on.',
    when: { kind: ['shareLink'], field: ['active'] },
    require: { after: { active: false } },
    message: 'a share link would open a site to everyone who has it',
  },
  'no-new-admins': {
    why: 'Administrators can undo every other decision here. Judges roles of members, link invites, the organization and SAML providers.',
    when: { kind: ['member', 'linkInvite', 'organization', 'samlProvider'], gains: 'admin' },
    message: 'someone would become an administrator',
  },
  'no-open-defaults': {
    why: 'A level that everyone gets is easily forgotten when content is added. Reading is allowed.',
    when: { field: ['defaultLevel', 'defaultRole'] },
    require: { after: { defaultLevel: 'read', defaultRole: ['read', null] } },
    message: 'everyone in the organization could do more than read',
  },
  'sso-only': {
    why: 'People who sign in without SSO keep their access when the identity provider removes them.',
    when: { kind: ['organization', 'member'], field: ['sso'] },
    require: { after: { sso: true } },
    message: 'people could sign in without SSO',
  },
  'teams-have-owners': {
    why: 'A team without an owner cannot change its members by itself.',
    when: { kind: ['team'], field: ['members'] },
    require: { after: { members: { any: 'owner' } } },
    message: 'a team would have no owner',
  },
  'keep-addresses': {
    why: 'Links and bookmarks of visitors break silently. A change of address passes if a redirect keeps the former one.',
    when: { links: ['broken'] },
    message: 'addresses that visitors have would be lost, lead elsewhere, or change without a redirect',
  },
  'small-plans': {
    why: 'A plan that no one reads to the end is approved by chance.',
    most: 50,
    message: 'more than 50 objects would change at once',
  },
};
