/** Objections of rules, as a sentence, and warnings that refuse no change. Pure. */
import type { OrganizationPlan, RuleFinding } from '../../plan/plan.ts';
import { countOf, someOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';

export interface RulesView {
  /** Example: `2 refuse: no-public-sites, no-site-deletes`. Never empty. */
  readonly summary: readonly string[];
  /** Example: `small-plans warns: more than 50 objects would change`. */
  readonly lines: readonly string[];
}

/** Maximum of names in a sentence; the others are counted. */
const shownNames = 10;
/** Maximum of addresses in a line; the others are counted. */
const shownAddresses = 3;

export function viewRules({ refusals, findings = [] }: OrganizationPlan): RulesView | undefined {
  const names = [
    ['refuses', 'refuse', refusals.flatMap(({ rule }) => rule ?? [])],
    ['warns', 'warn', rulesOf(findings.filter(({ lifted }) => lifted === undefined))],
    ['is lifted', 'are lifted', rulesOf(findings.filter(({ lifted }) => lifted !== undefined))],
  ] as const;
  const summary = names.flatMap(([one, many, all]) => {
    const different = [...new Set(all)].sort();
    if (different.length === 0) return [];
    const does = different.length === 1 ? one : many;
    return [`${different.length} ${does}: ${someOf(different, shownNames)}`];
  });
  if (summary.length === 0) return undefined;
  const alike = grouped(findings, ({ rule, message, lifted }) => JSON.stringify([rule, message, lifted]));
  return { summary, lines: [...alike.values()].map(lineOf) };
}

function rulesOf(findings: readonly RuleFinding[]): readonly string[] {
  return findings.map(({ rule }) => rule);
}

function lineOf(alike: readonly RuleFinding[]): string {
  const [first] = alike;
  if (first === undefined) return '';
  const { rule, message, lifted } = first;
  const addresses = alike.map(({ address }) => address);
  const more = addresses.length - shownAddresses;
  const named = [
    ...addresses.slice(0, shownAddresses),
    ...(more > 0 ? [`and ${countOf(more, 'more object')}`] : []),
  ];
  const does = lifted === undefined ? 'warns' : `is lifted by ${lifted.by}, ${lifted.why}`;
  return `${rule} ${does}: ${message} (${named.join(', ')})`;
}
