/**
 * A plan as a JUnit report, which CI systems show as tests: each declared object is a test case, and fails if the live state
 * differs from it. Pure.
 */
import type { Refusal } from '../../plan/plan.ts';
import { junitPieces, type TestCase, type TestFailure } from '../text/junit.ts';
import { byAddress } from '../text/natural-order.ts';
import type { LongView } from '../view.ts';
import { valuesOf } from './change-lines.ts';
import type { MarkedPlan } from './json.ts';
import type { ObjectChange } from './object-changes.ts';
import { type OrganizationView, viewPlan } from './plan-view.ts';
import type { DiffLine } from './values.ts';

const signs: Readonly<Record<DiffLine['type'], string>> = {
  added: '+ ',
  removed: '- ',
  changed: '~ ',
  same: '  ',
  gap: '  ',
};

export const planJunit: LongView<MarkedPlan> = ({ plan }) =>
  junitPieces(
    viewPlan(plan).organizations.map((view) => ({ name: view.name, group: view.name, cases: casesOf(view) })),
  );

function casesOf({ plan, groups }: OrganizationView): readonly TestCase[] {
  const failures = new Map<string, TestFailure[]>(Object.keys(plan.ids).map((address) => [address, []]));
  const add = (address: string, failure: TestFailure) => {
    const known = failures.get(address);
    if (known === undefined) failures.set(address, [failure]);
    else known.push(failure);
  };
  for (const { changes } of groups) for (const change of changes) add(change.address, failureOf(change));
  for (const refusal of plan.refusals) add(refusal.address, refusedOf(refusal));
  for (const { address, noun, title, risk } of plan.countsUnmanaged === true ? plan.unmanaged : [])
    add(address, {
      type: 'unmanaged',
      message: `unmanaged ${noun} "${title}"`,
      details: [
        'live in a declared collection, but in no manifest',
        ...(risk === undefined ? [] : [`! ${risk}`]),
      ],
    });
  return [...failures]
    .map(([name, found]) => ({ name, failures: found }))
    .sort((left, right) => byAddress(left.name, right.name));
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
