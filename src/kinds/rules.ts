/**
 * Rules of a team over plans, and those that ship. A rule says of which changes it speaks, and what must hold for them as a
 * JMESPath expression; without an expression it objects to each of them.
 */
import type { SourceRange } from '../util/diagnostic.ts';

/** What `when.action` may name: the actions of steps. */
export const ruleActions = ['create', 'update', 'move', 'replace', 'delete', 'restore'] as const;

/** The parts of a rule as a file has them. */
export interface RuleTexts {
  readonly when?: {
    readonly kind?: readonly string[];
    /** Globs. */
    readonly address?: readonly string[];
    readonly action?: readonly (typeof ruleActions)[number][];
    /** The change sets at least one of them. */
    readonly field?: readonly string[];
  };
  /** Whether each object is judged, or all of them at once; default: each object. */
  readonly over?: 'object' | 'plan';
  readonly require?: string;
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

const setting = ['create', 'update', 'replace'] as const;

interface ShippedRule extends RuleTexts {
  readonly why: string;
}

/** All are off until `rules:` has a key of that name, which may change any part. */
export const shippedRules: Readonly<Record<string, ShippedRule>> = {
  'no-site-deletes': {
    why: 'Visitors lose a site as a whole; its structure, customization and share links cannot be brought back.',
    when: { kind: ['site'], action: ['delete', 'replace'] },
    message: 'a site would be deleted',
  },
  'no-space-deletes': {
    why: 'Content goes with its space; a space can be restored for 7 days, what showed it has to be put together again.',
    when: { kind: ['space', 'collection'], action: ['delete', 'replace'] },
    message: 'content would be deleted',
  },
  'no-public-sites': {
    why: 'Who may read a site should be decided by somebody, and by name. A site that is public already is not asked again.',
    when: { kind: ['site'], action: setting },
    require:
      "before.visibility == 'public' || (after.visibility && after.visibility != 'public') || (action == 'update' && !contains(keys(after), 'visibility'))",
    message: 'a site would become public, or the service decides who can see it',
  },
  'no-new-share-links': {
    why: 'Whoever has the address of a share link reads the site; nobody sees who passes it on.',
    when: { kind: ['shareLink'], action: setting },
    require: "after.active == `false` || (action == 'update' && !contains(keys(after), 'active'))",
    message: 'a share link would open a site to everyone who has it',
  },
  'no-new-admins': {
    why: 'Administrators can undo everything else that is decided here. Looks at roles of members, link invites, the organization and SAML providers.',
    when: { action: setting, field: ['role', 'defaultRole'] },
    require: "after.role != 'admin' && after.defaultRole != 'admin'",
    message: 'somebody would become an administrator',
  },
  'no-open-defaults': {
    why: 'A level that everybody gets is easily forgotten when content is added. Reading stays allowed.',
    when: { action: setting, field: ['defaultLevel', 'defaultRole'] },
    require: "(after.defaultLevel || 'read') == 'read' && (after.defaultRole || 'read') == 'read'",
    message: 'everybody in the organization could do more than read',
  },
  'sso-only': {
    why: 'Whoever signs in without SSO stays when the identity provider removes them.',
    when: { kind: ['organization', 'member'], action: setting, field: ['sso'] },
    require: 'after.sso',
    message: 'people could sign in without SSO',
  },
  'teams-have-owners': {
    why: 'A team without an owner cannot change its members by itself.',
    when: { kind: ['team'], action: setting, field: ['members'] },
    require: "after.members && contains(values(after.members), 'owner')",
    message: 'a team would have no owner',
  },
  'keep-addresses': {
    why: 'Links and bookmarks of visitors break silently. A change of address passes where a redirect keeps the former one.',
    over: 'plan',
    require: 'length(addresses[?!to || takenBy || redirects]) == `0`',
    message: 'addresses that visitors have would be lost, lead elsewhere, or change without a redirect',
  },
  'small-plans': {
    why: 'A plan that nobody reads to the end is approved by chance.',
    over: 'plan',
    require: 'count <= `50`',
    message: 'more than 50 objects would change at once',
  },
};
