/**
 * A plan as text for terminals: dangers, changes as a tree of addresses, refusals and omitted parts. A long plan is folded until
 * it fits a few screens; deletes are never folded. Pure.
 */

import type { Action } from '../../plan/plan.ts';
import { isLosing, type ObjectChange } from '../../review/object-changes.ts';
import { shortDigest } from '../../review/plan-document.ts';
import { type ReviewedPlan, unmanagedByDanger } from '../../review/reviewed-plan.ts';
import { countOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';
import { greatest } from '../../util/lists.ts';
import { type Annotation, annotationLines, folded, noGithub } from '../text/github.ts';
import { displayWidth, indented, padEnd, quote, safeText, wrap } from '../text/safe-text.ts';
import { makeStyle, type Style } from '../text/style.ts';
import type { LongView, TextOptions } from '../view.ts';
import { actionSigns, signIn } from './change-lines.ts';
import { longPlan } from './change-tree.ts';
import { countedUnmanaged } from './closing.ts';
import { cascadeTexts, conflictTexts, type Danger, foldEqual, sharedRisks } from './dangers.ts';
import type { MarkedPlan } from './json.ts';
import {
  type ChangeGroup,
  type OrganizationView,
  type PlanView,
  requestsText,
  viewPlan,
} from './plan-view.ts';
import { TreeText } from './tree-text.ts';

/** Maximum lines of dangers and changes before changes are folded, and minimum lines of changes. */
const mostLines = 130;
const leastLines = 60;

/** Addresses of visitors, and redirects to add, that are shown before the others are folded. */
const addressesAtOnce = 5;
const redirectsAtOnce = 10;

/** Maximum width of addresses in the list of dangers. */
const widestDanger = 36;

export function renderPlan(plan: ReviewedPlan, options: TextOptions): string {
  return [...planPieces(plan, options)].join('');
}

/** Line by line, so that the text of a large plan is never a single string. */
export function* planPieces(plan: ReviewedPlan, options: TextOptions): Generator<string> {
  yield* new PlanText(options).view(viewPlan(plan));
}

export const planText: LongView<MarkedPlan> = (marked, options) => new PlanText(options).write(marked);

class PlanText {
  readonly #style: Style;
  readonly #width: number;
  readonly #options: TextOptions;
  /** Changes that are only counted, and those that are shortened. */
  #left = { folded: 0, shortened: 0 };

  constructor(options: TextOptions) {
    this.#options = options;
    this.#style = makeStyle(options);
    this.#width = Math.min(200, Math.max(80, options.width));
  }

  *write({ plan, marks }: MarkedPlan): Generator<string> {
    const view = viewPlan(plan);
    // In the first and the last line: many readers see only one of them.
    if (view.partial !== undefined) yield `${view.partial}\n\n`;
    yield* this.view(view);
    if (!view.isEmpty && !view.isDrift) yield `Digest: ${shortDigest(marks.digest)}\n`;
    if (view.partial !== undefined) yield `${view.partial}\n`;
  }

  *view(view: PlanView): Generator<string> {
    const several = view.organizations.length > 1;
    // A head alone: nothing to be done, and nobody reads hundreds of those.
    const bare: { readonly who: string; readonly facts: string }[] = [];
    for (const organization of view.organizations) {
      const lines = [...this.#organization(organization, several)];
      const who = this.#who(organization);
      if (several && lines.length === 2) bare.push({ who, facts: lines[0]?.slice(who.length) ?? '' });
      else for (const line of lines) yield `${line}\n`;
    }
    for (const [first, ...more] of foldEqual(bare, ({ facts }) => facts)) {
      const count = more.length + 1;
      const who = count === 1 ? first?.who : this.#style.strong(countOf(count, 'organization'));
      yield `${who}${first?.facts}\n\n`;
    }
    for (const line of this.#closing(view)) yield `${line}\n`;
  }

  #closing({ closing: [counts = '', ...more], missingBase, requests }: PlanView): readonly string[] {
    const { faint, strong } = this.#style;
    const { folded, shortened } = this.#left;
    const left = [
      ...(folded > 0 ? [`${countOf(folded, 'change')} folded`] : []),
      ...(shortened > 0 ? [`${countOf(shortened, 'change')} shortened`] : []),
    ];
    return [
      ...(left.length === 0 ? [] : [faint(`${left.join(', ')}: --show all shows every change.`), '']),
      ...(missingBase === undefined ? [] : [...indented(this.#width, missingBase, 0).map(faint), '']),
      // The counts stay in one line, where programs search for them.
      ...[counts, ...more.flatMap((sentence) => indented(this.#width, sentence, 0))].map(strong),
      ...(requests.writes === 0 ? [] : [`${requestsText(requests)}.`]),
    ];
  }

  *#organization(view: OrganizationView, several: boolean): Generator<string> {
    const { groups, policy, dangers } = view;
    const count = view.changed.change + view.changed.drift;
    if (several || count + policy.length > 0 || (view.base ?? view.service ?? view.overlay) !== undefined)
      yield* [...this.#head(view, count, several), ''];
    const listed = [
      ...this.#access(view.access),
      ...this.#addresses(view.addresses),
      ...this.#rules(view.rules),
      ...this.#dangers(dangers),
    ];
    yield* listed;
    yield* this.#changes(
      groups,
      Math.max(leastLines, mostLines - listed.length),
      listed.length > 0 ? 'listed' : 'unlisted',
    );
    yield* this.#policy(policy);
    yield* this.#unmanaged(view);
    yield* this.#unchanged(view);
    yield* this.#refusals(view);
  }

  /** Folded into the available lines. */
  *#changes(groups: readonly ChangeGroup[], room: number, dangers: 'listed' | 'unlisted'): Generator<string> {
    const told = dangers === 'listed' ? sharedRisks(groups.flatMap((group) => group.changes)) : new Map();
    const { full = false } = this.#options;
    const tree = new TreeText({ style: this.#style, width: this.#width, told, full });
    const folding = tree.foldingOf(groups, room);
    for (const group of groups) yield* tree.lines(group, folding);
    this.#left.folded += tree.left.folded;
    this.#left.shortened += tree.left.shortened;
  }

  #who({ name, id }: { readonly name: string; readonly id?: string | undefined }): string {
    return `Organization ${this.#style.strong(safeText(name))}${id === undefined ? '' : ` (${safeText(id)})`}`;
  }

  /** The name of the organization and a legend; for a long plan, its size. */
  #head(
    { name, id, service, overlay, base, changed, plan, counts, kinds }: OrganizationView,
    count: number,
    several: boolean,
  ): readonly string[] {
    const { faint } = this.#style;
    const who = this.#who({ name, id });
    const refused = plan.refusals.length;
    const left = plan.leftovers?.length ?? 0;
    const counted = countedUnmanaged([plan]);
    const still = plan.shows === 'drift' ? 'no drift' : 'no changes';
    const waiting = plan.pending?.length ?? 0;
    const earlier = left > 0 ? `${left} left over` : waiting > 0 ? `${waiting} pending` : '';
    const none = earlier || counted || still;
    const facts = [
      ...(service === undefined ? [] : [`service ${safeText(service)}`]),
      ...(overlay === undefined ? [] : [`overlay ${safeText(overlay)}`]),
      ...(base === undefined ? [] : [`base ${safeText(base)}`]),
      ...(changed.change > 0 ? [countOf(changed.change, 'change')] : []),
      ...(changed.drift > 0 ? [`${changed.drift} drift`] : []),
      ...(count === 0 && (several || base === undefined) ? [none] : []),
      ...(changed.conflicts > 0 ? [countOf(changed.conflicts, 'conflict')] : []),
      ...(refused > 0 ? [`${refused} refused`] : []),
    ];
    if (count === 0)
      return [base === undefined ? `${who}: ${facts.join(', ')}` : `${who}   ${faint(facts.join('   '))}`];
    const there = (Object.keys(actionSigns) as Action[]).filter((action) => counts[action] > 0);
    const signs = there.map((action) => `${signIn(this.#style, action)} ${counts[action]} ${action}`);
    const lines = [`${who}   ${faint(facts.join('   '))}`, `  ${signs.join('  ')}`];
    return count > longPlan ? [...lines, ...indented(this.#width, kinds, 2)] : lines;
  }

  /** The entries only in full: the summary is to fit the first screen. */
  #access(access: OrganizationView['access']): readonly string[] {
    if (access === undefined) return [];
    const { strong, faint } = this.#style;
    const [first = '', ...more] = wrap(access.summary.map(safeText).join(' · '), this.#width - 12);
    const entries = access.entries.flatMap(({ people, on, change }) => [
      ...indented(this.#width, `${safeText(people.join(', '))}: ${change}`, 4),
      ...indented(this.#width, safeText(on.join(', ')), 8).map(faint),
    ]);
    const isFull = this.#options.full === true;
    const folded = isFull || !access.hasMore ? [] : [faint('    --show all names them')];
    return [
      `  ${strong('Access')}  ${first}`,
      ...more.map((line) => `          ${line}`),
      ...(isFull ? entries : folded),
      '',
    ];
  }

  /** The first of them, and of the redirects to add; all in full. */
  #addresses(addresses: OrganizationView['addresses']): readonly string[] {
    if (addresses === undefined) return [];
    const { summary, rows, redirects } = addresses;
    const { strong, faint } = this.#style;
    const shown = (lines: readonly string[], indent: number, atOnce: number) => {
      const first = this.#options.full === true ? lines : lines.slice(0, atOnce);
      const left = lines.length - first.length;
      return [
        ...first.flatMap((line) => indented(this.#width, safeText(line), indent)),
        ...(left > 0 ? [faint(`${' '.repeat(indent)}and ${left} more`)] : []),
      ];
    };
    return [
      `  ${strong('Addresses')}  ${summary.join(' · ')}`,
      ...shown(
        rows.map(({ from, to }) => `${from} → ${to}`),
        4,
        addressesAtOnce,
      ),
      ...redirects.flatMap(({ to, lines }) => [
        ...indented(this.#width, `to keep former links working, add to ${safeText(to)}:`, 4),
        ...shown(lines, 6, redirectsAtOnce),
      ]),
      '',
    ];
  }

  #rules(rules: OrganizationView['rules']): readonly string[] {
    if (rules === undefined) return [];
    const [first = '', ...more] = wrap(rules.summary.map(safeText).join(' · '), this.#width - 11);
    return [
      `  ${this.#style.strong('Rules')}  ${first}`,
      ...more.map((line) => `         ${line}`),
      ...rules.lines.flatMap((line) => indented(this.#width, safeText(line), 4)),
      '',
    ];
  }

  #dangers(dangers: readonly Danger[]): readonly string[] {
    if (dangers.length === 0) return [];
    const widths = dangers.map(({ what }) => displayWidth(safeText(what)));
    // The text of a long address is below it and does not indent the others.
    const column = greatest(widths.filter((width) => width <= widestDanger));
    const lines = dangers.flatMap(({ action, what, texts }) => {
      const sign = signIn(this.#style, action);
      const head = `    ${sign} ${padEnd(safeText(what), column)}`.trimEnd();
      const text = texts.map(safeText).join('; ');
      const fits = 8 + Math.max(column, displayWidth(safeText(what))) + displayWidth(text) <= this.#width;
      if (text === '') return [head];
      if (fits) return [`    ${sign} ${padEnd(safeText(what), column)}  ${this.#style.risk(text)}`];
      return [head, ...indented(this.#width, text, 8).map(this.#style.risk)];
    });
    return [`  ${this.#style.strong('Dangerous')}`, ...lines, ''];
  }

  #policy(lines: readonly string[]): readonly string[] {
    if (lines.length === 0) return [];
    const heading = 'Management changes (no requests)';
    return [
      this.#style.strong(heading),
      ...lines.flatMap((line) => indented(this.#width, safeText(line), 2)),
      '',
    ];
  }

  *#unmanaged({ plan }: OrganizationView): Generator<string> {
    if (plan.unmanaged.length === 0 || this.#options.showUnmanaged !== true) return;
    yield 'Unmanaged: live in declared collections, but in no manifest';
    for (const { address, noun, title, risk } of unmanagedByDanger(plan)) {
      const mark = risk === undefined ? '' : `  ! ${safeText(risk)}`;
      yield* indented(this.#width, `${safeText(noun)} ${quote(title)}  ${safeText(address)}${mark}`, 4);
    }
    yield '';
  }

  *#unchanged(view: OrganizationView): Generator<string> {
    if (this.#options.showUnchanged !== true) return;
    const { unchanged } = view;
    if (unchanged.length === 0) return;
    yield `Unchanged: ${countOf(unchanged.length, 'object')}`;
    for (const address of unchanged) yield `    ${safeText(address)}`;
    yield '';
  }

  *#refusals({ plan, refusals: groups }: OrganizationView): Generator<string> {
    if (groups.length === 0) return;
    const { removed, strong, faint } = this.#style;
    const leftOut = plan.refusals.every(({ skipped }) => skipped === true);
    yield* [leftOut ? 'Refused, left out with all dependents:' : 'Refused:', ''];
    for (const { first, others } of groups) {
      const { guard, address, message, suggestion } = first;
      yield `  ${removed('✗')} ${strong(safeText(address))}  ${faint(`guard: ${guard}`)}`;
      yield* indented(this.#width, safeText(message), 6);
      for (const line of suggestion.split('\n')) {
        // Lines to copy are not joined with others.
        const isCode = line.startsWith('  ');
        yield* indented(this.#width, isCode ? safeText(line.trim()) : `→ ${safeText(line)}`, isCode ? 10 : 6);
      }
      if (others.length > 0)
        yield* indented(this.#width, `and in the same way ${others.map(safeText).join(', ')}`, 6);
      yield '';
    }
  }
}

export const planGithub: LongView<MarkedPlan> = function* (marked, options) {
  const { github = noGithub } = options;
  const view = viewPlan(marked.plan);
  yield* folded(view.isDrift ? 'octavo drift' : 'octavo plan', planText(marked, options), github);
  yield annotationLines(view.organizations.flatMap(annotationsOf), github);
  yield `${view.closing[0] ?? ''}\n`;
};

function annotationsOf({ plan, groups }: OrganizationView): readonly Annotation[] {
  const places = new Map(plan.steps.map(({ address, at }) => [address, at]));
  const refused = plan.refusals.map(
    ({ address, message, suggestion, skipped, guard }): Annotation => ({
      level: skipped === true ? 'warning' : 'error',
      title: `octavo: refused (${guard})`,
      message: `${address}: ${message}\n${suggestion}`,
      at: places.get(address),
    }),
  );
  const changes = groups.flatMap((group) => group.changes);
  const sorted = [
    ...changes.filter(({ isGrave }) => isGrave === true),
    ...changes.filter(({ isGrave }) => isGrave !== true),
  ];
  const unmanaged = (plan.countsUnmanaged === true ? plan.unmanaged : []).map(
    ({ address, noun, title }): Annotation => ({
      level: 'warning',
      title: 'octavo: unmanaged',
      message: `${address}: ${noun} "${title}" is live, but in no manifest`,
      at: undefined,
    }),
  );
  return [...refused, ...sorted.flatMap(warningsOf), ...unmanaged];
}

/** One for each place: what a field carries is shown at its line. */
function warningsOf(change: ObjectChange): readonly Annotation[] {
  const { action, address, noun, risks, riskFields, fields } = change;
  const placeOf = (name: string | undefined) => fields.find(({ field }) => field === name)?.at ?? change.at;
  const texts = [
    ...(isLosing(change) ? [{ text: `${action}s the ${noun}`, at: change.at }] : []),
    ...cascadeTexts(change).map((text) => ({ text, at: change.at })),
    ...risks.map((text) => ({ text, at: placeOf(riskFields[text]) })),
    ...fields
      .filter(({ cause }) => cause === 'conflict')
      .flatMap((field) =>
        conflictTexts({ fields: [field] }).map((text) => ({ text, at: placeOf(field.field) })),
      ),
  ];
  return [...grouped(texts, ({ at }) => JSON.stringify(at ?? null)).values()].map(
    (own): Annotation => ({
      level: 'warning',
      title: `octavo: ${action}`,
      message: `${address}: ${own.map(({ text }) => text).join('\n')}`,
      at: own[0]?.at,
    }),
  );
}
