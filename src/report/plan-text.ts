/** A plan as text for terminals: objects with their changes, unmanaged objects, refusals and counts. Pure. */
import type { Action, FieldChange, OrganizationPlan, Plan } from '../plan/plan.ts';
import { append, greatest } from '../util/lists.ts';
import {
  cascadeText,
  conflictText,
  isAlone,
  remarkText,
  shorten,
  titleText,
  valuesOf,
} from './change-texts.ts';
import { countsByKind, type Danger, dangersOf, inBrief, ownRisks, sharedRisks } from './dangers.ts';
import { type CauseGroup, type ObjectChange, objectChanges } from './object-changes.ts';
import { closingSentences, missingBaseNote } from './plan-closing.ts';
import { policyLines } from './policy-text.ts';
import { groupRefusals } from './refusal-groups.ts';
import { displayWidth, padEnd, quote, safeText, wrap } from './safe-text.ts';
import { makeStyle, type Paint, type Style } from './style.ts';
import { type DiffLine, inline, type ShownChange, showWhole } from './values.ts';

/** How text is laid out. */
export interface TextOptions {
  readonly color: boolean;
  /** Columns of the terminal; held between 80 and 200. */
  readonly width: number;
  /** Only one line per object. */
  readonly brief?: boolean;
  /** Lists what no manifest lists, which is only counted by default. */
  readonly showUnmanaged?: boolean | undefined;
}

/** The signs of actions, as plans show them. */
const actionSigns: Readonly<Record<Action, string>> = {
  create: '+',
  update: '~',
  move: '↕',
  replace: '±',
  delete: '-',
  restore: '⟲',
};

/** More objects than fit a screen: the dangerous ones among them are listed first. */
const longPlan = 20;

/** The whole plan; ends with a line break. */
export function renderPlan(plan: Plan, options: TextOptions): string {
  return [...planPieces(plan, options)].join('');
}

/** The whole plan line by line, so that the text of a large one is never one string. */
export function* planPieces(plan: Plan, options: TextOptions): Generator<string> {
  const writer = new PlanWriter(makeStyle(options), options);
  for (const line of writer.write(plan)) yield `${line}\n`;
}

/** The headings of the groups of causes; without a base there is one group and no heading. */
const headings: Readonly<Record<CauseGroup, string>> = {
  change: 'Changes from this commit',
  drift: 'Drift: changed outside git, will be reverted',
};

function headingOf({ undoes }: OrganizationPlan, group: CauseGroup): string {
  return undoes === undefined ? headings[group] : `Undo of run ${undoes}`;
}

class PlanWriter {
  readonly #style: Style;
  readonly #width: number;

  readonly #brief: boolean;

  readonly #showUnmanaged: boolean;

  /** Risks that are shown for all objects at once. */
  #shared: ReadonlyMap<string, unknown> = new Map();

  constructor(style: Style, { width, brief = false, showUnmanaged = false }: TextOptions) {
    this.#showUnmanaged = showUnmanaged;
    this.#style = style;
    this.#width = Math.min(200, Math.max(80, width));
    this.#brief = brief;
  }

  *write(plan: Plan): Generator<string> {
    const several = plan.organizations.length > 1;
    for (const organization of plan.organizations) yield* this.#organization(organization, { several });
    yield* this.#closing(plan);
  }

  #closing(plan: Plan): readonly string[] {
    const { faint, strong } = this.#style;
    const [counts = '', ...more] = closingSentences(plan);
    const note = missingBaseNote(plan);
    return [
      ...(note === undefined ? [] : [...this.#indented(note, 0).map(faint), '']),
      // The counts stay in one line, where programs look for them.
      ...[counts, ...more.flatMap((sentence) => this.#indented(sentence, 0))].map(strong),
    ];
  }

  *#organization(plan: OrganizationPlan, { several }: { readonly several: boolean }): Generator<string> {
    const changes = objectChanges(plan);
    const isLong = changes.length > longPlan;
    this.#shared = isLong ? sharedRisks(changes) : new Map();
    const policy = policyLines(plan);
    const isNamed = several || changes.length + policy.length > 0;
    if (isNamed) yield* [...this.#head(plan, changes, isLong), ''];
    if (isLong || this.#brief) yield* this.#dangers(dangersOf(changes));
    for (const group of [undefined, 'change', 'drift'] as const) {
      const members = changes.filter((change) => change.group === group);
      yield* this.#section(members, group && headingOf(plan, group));
    }
    yield* this.#policy(policy);
    yield* this.#unmanaged(plan);
    yield* this.#refusals(plan);
  }

  /** Whose plan it is, and what the signs mean; of a long plan, how much it holds. */
  #head(
    { label, organizationId }: OrganizationPlan,
    changes: readonly ObjectChange[],
    isLong: boolean,
  ): readonly string[] {
    const id = label === organizationId ? '' : ` (${safeText(organizationId)})`;
    const nothing = changes.length === 0 ? ': no changes' : '';
    const lines = [`Organization ${this.#style.strong(safeText(label))}${id}${nothing}`];
    if (changes.length > 0) lines.push(`  ${this.#legend(changes)}`);
    return isLong ? [...lines, ...this.#indented(countsByKind(changes), 2)] : lines;
  }

  #dangers(dangers: readonly Danger[]): readonly string[] {
    if (dangers.length === 0) return [];
    const column = Math.min(36, greatest(dangers.map(({ what }) => displayWidth(safeText(what)))));
    const lines = dangers.flatMap(({ action, what, texts }) => {
      const sign = this.#paint(action)(actionSigns[action]);
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

  *#section(changes: readonly ObjectChange[], heading: string | undefined): Generator<string> {
    if (changes.length === 0) return;
    if (heading !== undefined) yield* [this.#style.strong(heading), ...(this.#brief ? [] : [''])];
    if (!this.#brief) {
      for (const change of changes) yield* [...this.#change(change), ''];
      return;
    }
    const widest = greatest(changes.map(({ address }) => displayWidth(safeText(address))));
    for (const change of changes) yield this.#briefly(change, Math.min(48, widest));
    yield '';
  }

  #legend(changes: readonly ObjectChange[]): string {
    const present = new Set(changes.map(({ action }) => action));
    const actions = (Object.keys(actionSigns) as Action[]).filter((action) => present.has(action));
    return actions.map((action) => `${this.#paint(action)(actionSigns[action])} ${action}`).join('  ');
  }

  #briefly(change: ObjectChange, column: number): string {
    const { strong, faint } = this.#style;
    const address = safeText(change.address);
    const sign = this.#paint(change.action)(actionSigns[change.action]);
    const room = this.#width - 6 - Math.max(column, displayWidth(address));
    const text = shorten(safeText(inBrief(change)), room);
    const gap = ' '.repeat(Math.max(0, column - displayWidth(address)));
    return `  ${sign} ${strong(address)}${gap}  ${faint(text)}`.trimEnd();
  }

  #change(change: ObjectChange): readonly string[] {
    const { strong, faint, risk } = this.#style;
    const named = change.address === change.noun ? '' : `${safeText(change.noun)}${titleText(change.title)}`;
    const about =
      [named, ...change.reasons.map(safeText)].filter((text) => text !== '').join(', ') +
      conflictText(change);
    const address = safeText(change.address);
    const head = `  ${this.#paint(change.action)(actionSigns[change.action])} ${strong(address)}`;
    const fits = 6 + displayWidth(address) + displayWidth(about) <= this.#width;
    const lines = fits
      ? [`${head}  ${faint(about)}`.trimEnd()]
      : [head, ...this.#indented(about, 6).map(faint)];
    const places = change.place === undefined ? [] : [change.place];
    const names = [...change.fields.map(({ field }) => safeText(field)), ...places.map(() => 'moved')];
    const column = Math.min(24, greatest(names.map(displayWidth)));
    for (const field of change.fields) {
      const name = padEnd(safeText(field.field), column);
      const action = isAlone(change.action, field) ? 'create' : 'update';
      append(lines, this.#field(name, valuesOf(change.action, field), { action, field }));
    }
    for (const place of places)
      append(lines, this.#indented(`${padEnd('moved', column)}  ${safeText(place)}`, 6));
    for (const detour of change.detours) append(lines, this.#indented(safeText(detour), 6).map(faint));
    if (change.cascade.length > 0)
      append(lines, this.#indented(`! also deletes ${cascadeText(change.cascade)}`, 6).map(risk));
    for (const text of ownRisks(change, this.#shared))
      append(lines, this.#indented(`! ${safeText(text)}`, 6).map(risk));
    return lines;
  }

  #field(
    name: string,
    shown: ShownChange,
    { action, field }: { readonly action: 'create' | 'update'; readonly field: FieldChange },
  ): readonly string[] {
    const { risk } = this.#style;
    const conflict = field.cause === 'conflict' && action === 'update' ? field : undefined;
    const remark = remarkText(field, conflict);
    const body: DiffLine[] = [];
    if (shown.type === 'lines') append(body, shown.lines);
    else {
      const { before, after } = shown;
      const text = before === undefined ? after : `${before} → ${after}`;
      if (8 + displayWidth(name) + displayWidth(text + remark) <= this.#width) {
        return [`      ${name}  ${text}${risk(remark)}`];
      }
      if (before !== undefined) body.push({ type: 'removed', text: before });
      body.push({ type: before === undefined ? 'same' : 'added', text: after });
    }
    const diff = body.flatMap((line) => this.#diffLine(line, action));
    const header = `      ${name.trimEnd()}`;
    if (conflict?.base === undefined) return [header + risk(remark), ...diff];
    const saysAll = inline(conflict.base, conflict) !== undefined;
    if (saysAll && displayWidth(header + remark) <= this.#width) return [header + risk(remark), ...diff];
    return [header + risk('  (conflict)'), ...diff, ...this.#lastApplied(conflict)];
  }

  /** The third value of a conflict, where it does not fit beside the field's name. */
  #lastApplied(conflict: FieldChange): readonly string[] {
    if (conflict.base === undefined) return [];
    const shown = showWhole(conflict.base, conflict);
    const lines = shown.type === 'lines' ? shown.lines.map(({ text }) => text) : [shown.after];
    const body = lines.flatMap((text) => this.#diffLine({ type: 'same', text }, 'update'));
    return [`        ${this.#style.risk('last applied:')}`, ...body];
  }

  #diffLine(line: DiffLine, action: 'create' | 'update'): readonly string[] {
    const { added, changed, removed, faint } = this.#style;
    const signs = { added: '+', removed: '-', changed: '~', same: ' ', gap: '⋮' };
    const paints = { added, removed, changed, same: (text: string) => text, gap: faint };
    const whole = action === 'create' && line.type === 'added';
    const sign = whole ? ' ' : signs[line.type];
    const paint = whole ? paints.same : paints[line.type];
    return wrap(line.text, this.#width - 10).map(
      (piece, at) => `        ${paint(`${at === 0 ? sign : ' '} ${piece}`)}`,
    );
  }

  *#unmanaged({ unmanaged }: OrganizationPlan): Generator<string> {
    if (unmanaged.length === 0 || !this.#showUnmanaged) return;
    yield 'Unmanaged: live in declared collections, but in no manifest';
    for (const { address, noun, title, risk } of unmanaged) {
      const mark = risk === undefined ? '' : `  ! ${safeText(risk)}`;
      yield* this.#indented(`${safeText(noun)} ${quote(title)}  ${safeText(address)}${mark}`, 4);
    }
    yield '';
  }

  *#refusals({ refusals }: OrganizationPlan): Generator<string> {
    if (refusals.length === 0) return;
    const { removed, strong, faint } = this.#style;
    const leftOut = refusals.every(({ skipped }) => skipped === true);
    yield* [leftOut ? 'Refused, left out with all dependents:' : 'Refused:', ''];
    for (const { first, others } of groupRefusals(refusals)) {
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

  #paint(action: Action): Paint {
    const { added, changed, moved, replaced, removed, restored } = this.#style;
    const paints = { create: added, update: changed, move: moved, replace: replaced, delete: removed };
    return action === 'restore' ? restored : paints[action];
  }
}
