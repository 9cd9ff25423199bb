/**
 * A plan as text for terminals: what is dangerous, the changes as a tree of addresses, what is refused and what was left
 * out. A long plan is folded until it fits some screens; deletes never are. Pure.
 */
import type { Action, Plan } from '../plan/plan.ts';
import { countOf } from '../util/count.ts';
import { durationText } from '../util/duration.ts';
import { greatest } from '../util/lists.ts';
import { actionPaints, actionSigns } from './change-lines.ts';
import { type Danger, sharedRisks } from './dangers.ts';
import { shortDigest } from './plan-json.ts';
import { longPlan, TreeText } from './plan-tree-text.ts';
import {
  type ChangeGroup,
  type MarkedPlan,
  type OrganizationView,
  type PlanView,
  requestsText,
  viewPlan,
} from './plan-view.ts';
import { displayWidth, padEnd, quote, safeText, wrap } from './safe-text.ts';
import { makeStyle, type Style } from './style.ts';
import type { LongView } from './view.ts';

/** How text is laid out. */
export interface TextOptions {
  readonly color: boolean;
  /** Columns of the terminal; held between 80 and 200. */
  readonly width: number;
  /** True for files, which have no stderr beside them. */
  readonly isFile?: boolean;
  /** Shows every change whole, however many there are. */
  readonly full?: boolean | undefined;
  /** Lists what no manifest lists, which is only counted by default. */
  readonly showUnmanaged?: boolean | undefined;
  /** Lists what is declared and stays as it is. */
  readonly showUnchanged?: boolean | undefined;
  /** Only for GitHub Actions. */
  readonly github?: GithubOptions | undefined;
  /** Absent where the report stays where it is made. */
  readonly context?: ReportContext | undefined;
  /** How fast the service answers, for the expected time of an apply; absent where it was not asked. */
  readonly pace?: ServicePace | undefined;
}

/** Where a report comes from, for those who read it elsewhere. */
export interface ReportContext {
  /** The commit that was planned. */
  readonly head?: string;
  /** Address of the pipeline's run; https. */
  readonly run?: string;
  /** When it was made, for example `2026-03-01 14:02 UTC`. */
  readonly time?: string;
}

/** What is needed to write to the log of a run of GitHub Actions. */
export interface GithubOptions {
  /** Ends text in which nothing is a command. Nobody can know it beforehand. */
  readonly stop: string;
  /** A file's path in the repository. */
  readonly pathOf: (file: string) => string;
}

/** How fast requests go: milliseconds for one, and how many at once. */
export interface ServicePace {
  readonly latency: number;
  readonly parallelism: number;
}

/** With fewer changes than this, the tree shows at once what is dangerous. */
const fewChanges = 6;
/** Lines of dangers and changes that are shown before changes are folded, and least lines of changes. */
const mostLines = 130;
const leastLines = 60;

/** Widest column of addresses in the list of what is dangerous. */
const widestDanger = 36;

/** Replaces how the changes of a group are shown. */
interface PlanTextParts {
  readonly changes?: (group: ChangeGroup, width: number) => Iterable<string>;
}

/** The whole plan; ends with a line break. */
export function renderPlan(plan: Plan, options: TextOptions): string {
  return [...planPieces(plan, options)].join('');
}

/** The whole plan line by line, so that the text of a large one is never one string. */
export function* planPieces(plan: Plan, options: TextOptions): Generator<string> {
  yield* new PlanText(options).view(viewPlan(plan));
}

/** A marked plan as text. */
export const planText: LongView<MarkedPlan> = (marked, options) => new PlanText(options).write(marked);

/** Lays out plans; formats of text differ in how they show changes. */
export class PlanText {
  readonly #style: Style;
  readonly #width: number;
  readonly #options: TextOptions;
  readonly #parts: PlanTextParts;
  /** Changes that are counted and not shown, and those of which only a part is. */
  #left = { folded: 0, shortened: 0 };

  constructor(options: TextOptions, parts: PlanTextParts = {}) {
    this.#options = options;
    this.#style = makeStyle(options);
    this.#width = Math.min(200, Math.max(80, options.width));
    this.#parts = parts;
  }

  /** The plan, and its digest where there is something to apply. */
  *write({ plan, marks }: MarkedPlan): Generator<string> {
    const view = viewPlan(plan);
    // The first and the last line say it: many read only one of them.
    if (view.partial !== undefined) yield `${view.partial}\n\n`;
    yield* this.view(view);
    if (!view.isEmpty && !view.isDrift) yield `Digest: ${shortDigest(marks.digest)}\n`;
    if (view.partial !== undefined) yield `${view.partial}\n`;
  }

  /** All organizations and the sentences at the end. */
  *view(view: PlanView): Generator<string> {
    const several = view.organizations.length > 1;
    for (const organization of view.organizations)
      for (const line of this.#organization(organization, several)) yield `${line}\n`;
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
      ...(left.length === 0 ? [] : [faint(`${left.join(', ')}: --full shows every change.`), '']),
      ...(missingBase === undefined ? [] : [...this.#indented(missingBase, 0).map(faint), '']),
      // The counts stay in one line, where programs look for them.
      ...[counts, ...more.flatMap((sentence) => this.#indented(sentence, 0))].map(strong),
      ...(requests.writes === 0 ? [] : [this.#requestsText(requests)]),
    ];
  }

  /** For example `38 requests, about 2 s.` */
  #requestsText(requests: PlanView['requests']): string {
    const { pace } = this.#options;
    const count = requestsText(requests);
    if (pace === undefined) return `${count}.`;
    const rounds = Math.max(requests.inSequence, requests.writes / pace.parallelism);
    return `${count}, about ${durationText(Math.max(1000, rounds * pace.latency))}.`;
  }

  *#organization(view: OrganizationView, several: boolean): Generator<string> {
    const { groups, policy, dangers } = view;
    const count = view.changed.change + view.changed.drift;
    if (several || count + policy.length > 0 || view.base !== undefined)
      yield* [...this.#head(view, count, several), ''];
    const listed = count >= fewChanges || this.#parts.changes !== undefined ? this.#dangers(dangers) : [];
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

  /** The changes, folded into as many lines as there is room for. */
  *#changes(groups: readonly ChangeGroup[], room: number, dangers: 'listed' | 'unlisted'): Generator<string> {
    const { changes } = this.#parts;
    if (changes !== undefined) {
      for (const group of groups) yield* changes(group, this.#width);
      return;
    }
    const told = dangers === 'listed' ? sharedRisks(groups.flatMap((group) => group.changes)) : new Map();
    const { full = false } = this.#options;
    const tree = new TreeText({ style: this.#style, width: this.#width, told, full });
    const folding = tree.foldingOf(groups, room);
    for (const group of groups) yield* tree.lines(group, folding);
    this.#left.folded += tree.left.folded;
    this.#left.shortened += tree.left.shortened;
  }

  /** Whose plan it is, and what the signs mean; of a long plan, how much it holds. */
  #head(
    { name, id, base, changed, plan, counts, kinds }: OrganizationView,
    count: number,
    several: boolean,
  ): readonly string[] {
    const { strong, faint } = this.#style;
    const who = `Organization ${strong(safeText(name))}${id === undefined ? '' : ` (${safeText(id)})`}`;
    const refused = plan.refusals.length;
    const left = plan.leftovers?.length ?? 0;
    const none = left > 0 ? `${left} left over` : plan.shows === 'drift' ? 'no drift' : 'no changes';
    const facts = [
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
    const paint = actionPaints(this.#style);
    const signs = there.map((action) => `${paint[action](actionSigns[action])} ${counts[action]} ${action}`);
    const lines = [`${who}   ${faint(facts.join('   '))}`, `  ${signs.join('  ')}`];
    return count > longPlan ? [...lines, ...this.#indented(kinds, 2)] : lines;
  }

  #dangers(dangers: readonly Danger[]): readonly string[] {
    if (dangers.length === 0) return [];
    const widths = dangers.map(({ what }) => displayWidth(safeText(what)));
    // A long address has its text below and does not push the others aside.
    const column = greatest(widths.filter((width) => width <= widestDanger));
    const paint = actionPaints(this.#style);
    const lines = dangers.flatMap(({ action, what, texts }) => {
      const sign = paint[action](actionSigns[action]);
      const head = `    ${sign} ${padEnd(safeText(what), column)}`.trimEnd();
      const text = texts.map(safeText).join('; ');
      const fits = 8 + Math.max(column, displayWidth(safeText(what))) + displayWidth(text) <= this.#width;
      if (text === '') return [head];
      if (fits) return [`    ${sign} ${padEnd(safeText(what), column)}  ${this.#style.risk(text)}`];
      return [head, ...this.#indented(text, 8).map(this.#style.risk)];
    });
    return [`  ${this.#style.strong('Dangerous')}`, ...lines, ''];
  }

  #policy(lines: readonly string[]): readonly string[] {
    if (lines.length === 0) return [];
    const heading = 'Treatment changed in the manifests; nothing is sent for it';
    return [this.#style.strong(heading), ...lines.flatMap((line) => this.#indented(safeText(line), 2)), ''];
  }

  *#unmanaged({ plan: { unmanaged } }: OrganizationView): Generator<string> {
    if (unmanaged.length === 0 || this.#options.showUnmanaged !== true) return;
    yield 'Unmanaged: live in declared collections, but in no manifest';
    for (const { address, noun, title, risk } of unmanaged) {
      const mark = risk === undefined ? '' : `  ! ${safeText(risk)}`;
      yield* this.#indented(`${safeText(noun)} ${quote(title)}  ${safeText(address)}${mark}`, 4);
    }
    yield '';
  }

  *#unchanged({ unchanged }: OrganizationView): Generator<string> {
    if (this.#options.showUnchanged !== true || unchanged.length === 0) return;
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
      yield* this.#indented(safeText(message), 6);
      for (const line of suggestion.split('\n')) {
        // Lines to paste stay on their own.
        const isCode = line.startsWith('  ');
        yield* this.#indented(isCode ? safeText(line.trim()) : `→ ${safeText(line)}`, isCode ? 10 : 6);
      }
      if (others.length > 0)
        yield* this.#indented(`and in the same way ${others.map(safeText).join(', ')}`, 6);
      yield '';
    }
  }

  #indented(text: string, indent: number): readonly string[] {
    return wrap(text, this.#width - indent - 2).map(
      (line, at) => `${' '.repeat(indent + (at === 0 ? 0 : 2))}${line}`,
    );
  }
}
