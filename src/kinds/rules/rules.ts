/**
 * Rules of a team over plans, and the shipped ones. A rule selects changes and states, as patterns, the conditions for them; without
 * conditions it rejects all of them. Rules contain no code: see `patterns.ts`.
 */
import type { SourceRange } from '../../util/diagnostic.ts';
import type { Pattern } from './patterns.ts';
import shipped from './shipped-rules.json' with { type: 'json' };

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
    /** Matches if links in other spaces lead to the object, or to what it shows, and the change deletes it or its URL. */
    readonly breaksLinks?: true;
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
export const shippedRules: Readonly<Record<string, ShippedRule>> = shipped as typeof shippedRules;
