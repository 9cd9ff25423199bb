/**
 * A plan as a JUnit report, which CI systems show as tests: each declared object is a test case, and fails where the live
 * state differs from it. Pure.
 */
import type { OrganizationPlan, Plan, Refusal } from '../plan/plan.ts';
import { valuesOf } from './change-texts.ts';
import { byAddress } from './natural-order.ts';
import { type ObjectChange, objectChanges } from './object-changes.ts';
import type { MarkedPlan } from './plan-view.ts';
import { safeText } from './safe-text.ts';
import type { DiffLine } from './values.ts';
import type { LongView } from './view.ts';

/** One object. */
interface TestCase {
  readonly address: string;
  /** Why it fails; none where it passes. */
  readonly failures: readonly TestFailure[];
}

interface TestFailure {
  /** `drift`, `changed`, `input`, `conflict` or `difference`; `refused` for a change that is. */
  readonly type: string;
  readonly message: string;
  readonly details: readonly string[];
}

const signs: Readonly<Record<DiffLine['type'], string>> = {
  added: '+ ',
  removed: '- ',
  changed: '~ ',
  same: '  ',
  gap: '  ',
};

/** The document, in pieces; ends with a line break. */
export const planJunit: LongView<MarkedPlan> = ({ plan }) => junitPieces(plan);

function* junitPieces(plan: Plan): Generator<string> {
  const suites = plan.organizations.map((organization) => ({ organization, cases: casesOf(organization) }));
  const all = suites.flatMap(({ cases }) => cases);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites name="octavo" ${countsOf(all)}>\n`;
  for (const { organization, cases } of suites) {
    yield `  <testsuite name=${attribute(organization.label)} ${countsOf(cases)}>\n`;
    for (const one of cases) yield caseText(organization, one);
    yield '  </testsuite>\n';
  }
  yield '</testsuites>\n';
}

function countsOf(cases: readonly TestCase[]): string {
  const failed = cases.filter(({ failures }) => failures.length > 0).length;
  return `tests="${cases.length}" failures="${failed}" errors="0" skipped="0"`;
}

/** Declared objects that are there, changed objects, and those that a refusal names. */
function casesOf(organization: OrganizationPlan): readonly TestCase[] {
  const failures = new Map<string, TestFailure[]>(
    Object.keys(organization.ids).map((address) => [address, []]),
  );
  const add = (address: string, failure: TestFailure) => {
    const known = failures.get(address);
    if (known === undefined) failures.set(address, [failure]);
    else known.push(failure);
  };
  for (const change of objectChanges(organization)) add(change.address, failureOf(change));
  for (const refusal of organization.refusals) add(refusal.address, refusedOf(refusal));
  return [...failures]
    .map(([address, found]) => ({ address, failures: found }))
    .sort((left, right) => byAddress(left.address, right.address));
}

function failureOf(change: ObjectChange): TestFailure {
  const { action, noun, group, cause, fields, reasons, risks, place, cascade } = change;
  const conflict = fields.some((field) => field.cause === 'conflict');
  const type = conflict ? 'conflict' : (cause ?? (group === 'change' ? 'changed' : (group ?? 'difference')));
  const names =
    action === 'update' && fields.length > 0 ? `: ${fields.map(({ field }) => field).join(', ')}` : '';
  return {
    type,
    message: `${action} ${noun}${names}`,
    details: [
      ...reasons,
      ...(place === undefined ? [] : [place]),
      ...fields.flatMap((field) => {
        const shown = valuesOf(action, field);
        if (shown.type === 'lines') {
          return [`${field.field}:`, ...shown.lines.map((line) => `  ${signs[line.type]}${line.text}`)];
        }
        const before = shown.before === undefined ? '' : `${shown.before} → `;
        return [`${field.field}: ${before}${shown.after}`];
      }),
      ...cascade.map((gone) => `also deletes ${gone.noun} ${gone.title}`),
      ...risks.map((risk) => `! ${risk}`),
    ],
  };
}

function refusedOf({ guard, message, suggestion }: Refusal): TestFailure {
  return { type: 'refused', message, details: [`refused by ${guard}`, ...suggestion.split('\n')] };
}

function caseText({ label }: OrganizationPlan, { address, failures }: TestCase): string {
  const open = `    <testcase classname=${attribute(label)} name=${attribute(address)}`;
  if (failures.length === 0) return `${open}/>\n`;
  const inner = failures.map(({ type, message, details }) => {
    const text = details.map((line) => escapeXml(line)).join('\n');
    return `      <failure type=${attribute(type)} message=${attribute(message)}>${text}</failure>\n`;
  });
  return `${open}>\n${inner.join('')}    </testcase>\n`;
}

/** The text as the value of an attribute, in its quotes. */
export function attribute(text: string): string {
  return `"${escapeXml(text)}"`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Safe for terminals as well: what no XML can hold is an escape then. */
export function escapeXml(text: string): string {
  return safeText(text)
    .replace(/[\uFFFE\uFFFF]/g, '')
    .replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
