/**
 * Rules of a team over plans, and the shipped ones. A rule selects changes and states, as patterns, the conditions for them; without
 * conditions it rejects all of them. Rules contain no code: see `patterns.ts`.
 */
import type { SourceRange } from '../util/diagnostic.ts';
import type { Pattern } from './patterns.ts';

/** The actions of steps. */
export const ruleActions = ['create', 'update', 'move', 'replace', 'delete', 'restore'] as const;

/**
 * Effect on addresses that visitors use: `broken` if one is lost, leads elsewhere, changes without a live or planned redirect,
 * or cannot be predicted; `redirected` if every changed address has a redirect.
 */
export const linkOutcomes = ['broken', 'redirected'] as const;

export type LinkOutcome = (typeof linkOutcomes)[number];

type FieldPatterns = Readonly<Record<string, Pattern>>;

/** The parts of a rule, as parsed from a file. */
export interface RuleTexts {
  /** Selects the changes to which the rule applies; all given parts must match. */
  readonly when?: {
    readonly kind?: readonly string[];
    /** Globs over addresses. */
    readonly address?: readonly string[];
    readonly action?: readonly (typeof ruleActions)[number][];
    /** Matches if the change sets one of them; a new object sets all fields of its kind. */
    readonly field?: readonly string[];
    /** Matches if people gain this level or a higher one. */
    readonly gains?: string;
    readonly links?: readonly LinkOutcome[];
  };
  /** Conditions, keyed by field. */
  readonly require?: { readonly before?: FieldPatterns; readonly after?: FieldPatterns };
  /** Number of rejected objects that the rule tolerates before it rejects the plan. */
  readonly most?: number;
  readonly message: string;
  /** Default: `error`. */
  readonly severity?: 'error' | 'warning';
  /** Either part exempts one pull request. Absent: no exemption is possible. */
  readonly exempt?: { readonly label?: string; readonly team?: string };
}

/** A parsed rule with its source range. */
export interface PlanRule extends RuleTexts {
  readonly name: string;
  readonly at: SourceRange;
}

interface ShippedRule extends RuleTexts {
  readonly why: string;
}

/** All are disabled until `rules:` has a key of that name, which may change any part. */
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
