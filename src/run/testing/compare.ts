/** Compares a plan with a test's expectations, line by line. */

import { type OrganizationPlan, type Refusal, standingRefusals } from '../../plan/plan.ts';
import { objectChanges } from '../../review/object-changes.ts';
import type { ReviewedOrganization, ReviewedPlan } from '../../review/reviewed-plan.ts';
import type { Diagnostic, SourceRange } from '../../util/diagnostic.ts';
import { isRecord, mapInside, stableStringify } from '../../util/json.ts';
import { byAddress } from '../../util/natural-order.ts';
import type { LocatedTest } from './test-file.ts';

interface ExpectedLine {
  readonly text: string;
  readonly at: SourceRange;
}

/** Returns one diagnostic for each part that does not match the plan. */
export function failuresIn(plan: ReviewedPlan, { test, placeOf }: LocatedTest): readonly Diagnostic[] {
  const { refusals, findings, steps, access } = test.expect;
  const compare = (part: string, expected: readonly ExpectedLine[], linesOf: LinesOf) => {
    const found = plan.organizations.flatMap((own) => linesOf(own, (address) => nameIn(plan, own, address)));
    return compared(part, expected, { found, at: placeOf('expect', part) });
  };
  const listed = (part: string, all: readonly (readonly string[])[]) =>
    all.map((parts, at) => line(parts, placeOf('expect', part, at)));
  const refused = refusals.map(({ address, guard }) => [address, guard]);
  const found = findings.map(({ address, rule }) => [address, rule]);
  const levels = access?.map(({ person, on, from, to }) => [person, on, `${from} → ${to}`]);
  return [
    ...compare('refusals', listed('refusals', refused), (own, name) =>
      refusedIn(own).map((one) => joined(name(one.address), one.guard)),
    ),
    ...compare('findings', listed('findings', found), findingsIn),
    ...plan.organizations.flatMap((own) => {
      const isKnown = (address: string, guard: string) =>
        refusals.some((one) => one.address === nameIn(plan, own, address) && one.guard === guard);
      return refusedIn(own)
        .filter(({ address, guard }) => !isKnown(address, guard))
        .map(({ address, message, suggestion }): Diagnostic => {
          return { severity: 'error', code: 'test', message, address, suggestion };
        });
    }),
    ...(steps === undefined ? [] : compare('steps', stepLines(steps, placeOf), stepsIn(steps))),
    ...(levels === undefined ? [] : compare('access', listed('access', levels), accessIn)),
  ];
}

/** Excludes refusals by rules, which are reported as findings. */
function refusedIn(own: OrganizationPlan): readonly Refusal[] {
  return standingRefusals({ organizations: [own] }).filter(({ rule }) => rule === undefined);
}

const findingsIn: LinesOf = ({ refusals, findings = [] }, name) => [
  ...refusals.flatMap(({ rule, address }) => (rule === undefined ? [] : [joined(name(address), rule)])),
  ...findings.map(({ rule, address }) => joined(name(address), rule)),
];

type LinesOf = (own: ReviewedOrganization, name: (address: string) => string) => readonly string[];

type Steps = NonNullable<LocatedTest['test']['expect']['steps']>;

function stepLines(steps: Steps, placeOf: LocatedTest['placeOf']): readonly ExpectedLine[] {
  return Object.entries(steps).flatMap(([address, step]) => [
    ...[isStep(step) ? step.action : step]
      .flat()
      .map((action) => line([address, action], placeOf('expect', 'steps', address))),
    ...Object.entries(fieldsIn(steps, address)).map(([field, change]) =>
      line([address, fieldText(field, change)], placeOf('expect', 'steps', address, 'fields', field)),
    ),
  ]);
}

/** Compares only fields that the test names. */
function stepsIn(steps: Steps): LinesOf {
  return (own, name) =>
    objectChanges(own).flatMap(({ address, action, fields }) => {
      const named = fieldsIn(steps, name(address));
      const values = fields.flatMap(({ field, before = null, after = null }) => {
        const wanted = Object.hasOwn(named, field) ? named[field] : undefined;
        if (wanted === undefined) return [];
        const shown = { ...('from' in wanted && { from: before }), ...('to' in wanted && { to: after }) };
        return [joined(name(address), fieldText(field, shown))];
      });
      return [joined(name(address), action), ...values];
    });
}

function isStep(step: Steps[string]): step is Extract<Steps[string], { readonly action: unknown }> {
  return typeof step === 'object' && 'action' in step;
}

function fieldsIn(steps: Steps, address: string) {
  const step = Object.hasOwn(steps, address) ? steps[address] : undefined;
  return step !== undefined && isStep(step) ? (step.fields ?? {}) : {};
}

/** A site that opens or closes affects everyone. */
const accessIn: LinesOf = ({ review: { access } = {} }, name) => [
  ...(access?.changes ?? []).flatMap(({ people, on, before, after }) =>
    people.flatMap((person) =>
      on.map(({ address, title }) =>
        joined(person, address === undefined ? title : name(address), `${before} → ${after}`),
      ),
    ),
  ),
  ...(access?.audiences ?? []).map(({ address, opens }) =>
    joined('everyone', name(address), opens ? 'none → read' : 'read → none'),
  ),
];

function nameIn({ organizations }: ReviewedPlan, { label }: OrganizationPlan, address: string): string {
  return organizations.length > 1 ? `${label}/${address}` : address;
}

function joined(...parts: readonly string[]): string {
  return parts.join('  ');
}

function line(parts: readonly string[], at: SourceRange): ExpectedLine {
  return { text: joined(...parts), at };
}

function fieldText(field: string, change: { readonly from?: unknown; readonly to?: unknown }): string {
  const from = 'from' in change ? `${stableStringify(plainIn(change.from))} ` : '';
  return `${field}: ${from}${'to' in change ? `→ ${stableStringify(plainIn(change.to))}` : ''}`;
}

/** References are addresses, and secrets are templates, as in manifests. */
function plainIn(value: unknown): unknown {
  const [only, other] = isRecord(value) ? Object.entries(value) : [];
  if (only !== undefined && other === undefined && /^\$(?:id|secret)$/.test(only[0])) return only[1];
  return mapInside(value ?? null, plainIn);
}

/** Expected lines come before actual ones. */
const order = [' ', '-', '+'];

function compared(
  part: string,
  expected: readonly ExpectedLine[],
  { found, at }: { readonly found: readonly string[]; readonly at: SourceRange },
): readonly Diagnostic[] {
  const [wanted, shown] = [new Set(expected.map(({ text }) => text)), new Set(found)];
  const missing = expected.filter(({ text }) => !shown.has(text));
  const more = [...shown].filter((text) => !wanted.has(text));
  if (missing.length === 0 && more.length === 0) return [];
  const head = (text: string) => text.slice(0, text.indexOf('  '));
  const sorted = [
    ...[...wanted].map((text) => ({ text, sign: shown.has(text) ? ' ' : '-' })),
    ...more.map((text) => ({ text, sign: '+' })),
  ].sort(
    (left, right) =>
      byAddress(head(left.text), head(right.text)) || order.indexOf(left.sign) - order.indexOf(right.sign),
  );
  const counts = [
    ...(missing.length === 0 ? [] : [`${missing.length} expected and not found`]),
    ...(more.length === 0 ? [] : [`${more.length} found and not expected`]),
  ];
  const lines = sorted.map(({ text, sign }) => `${sign} ${text}`);
  return [failure(`${part}: ${counts.join(', ')}`, missing[0]?.at ?? at, lines)];
}

export function failure(message: string, at: SourceRange, lines: readonly string[]): Diagnostic {
  const related = lines.map((text) => ({ message: text }));
  return { severity: 'error', code: 'test', message, at, related };
}
