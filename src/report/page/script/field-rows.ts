/** Fields before and after, side by side: short values in one table, texts line by line. */
import type { PageChange, PageField } from '../page-data.ts';
import { type Child, el } from './dom.ts';
import { textsOf } from './words.ts';

type DiffRow = Extract<PageField['shown'], { type: 'lines' }>['lines'][number];

interface FieldValues {
  readonly field: PageField;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly lines?: readonly DiffRow[];
}

export function fieldTables({ fields, action }: PageChange): readonly HTMLElement[] {
  const all = fields.map(valuesOf);
  const short = all.filter(({ lines }) => lines === undefined);
  const long = all.filter(({ lines }) => lines !== undefined);
  return [
    ...(short.length === 0 ? [] : [shortTable(short)]),
    ...long.map((field) => longTable(field, action)),
  ];
}

function valuesOf(field: PageField): FieldValues {
  const { shown, isLost } = field;
  if (shown.type === 'lines') return { field, lines: shown.lines };
  return isLost === true
    ? { field, before: shown.after }
    : { field, before: shown.before, after: shown.after };
}

function shortTable(fields: readonly FieldValues[]): HTMLElement {
  const hasBefore = fields.some(({ before }) => before !== undefined);
  const hasAfter = fields.some(({ after }) => after !== undefined);
  const head = [
    el('th', { scope: 'col' }, 'Field'),
    hasBefore && el('th', { scope: 'col' }, hasAfter ? 'Before' : 'Value that goes'),
    hasAfter && el('th', { scope: 'col' }, hasBefore ? 'After' : 'Value'),
  ];
  const rows = fields.map(({ field, before, after }) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, field.field),
      hasBefore && el('td', { class: 'before', 'data-side': 'Before' }, value('del', before)),
      hasAfter && el('td', { class: 'after', 'data-side': 'After' }, value('ins', after), ...remarks(field)),
    ),
  );
  return el('table', { class: 'fields' }, el('thead', {}, el('tr', {}, head)), el('tbody', {}, rows));
}

function value(tag: 'del' | 'ins', text: string | undefined): Child {
  return text !== undefined && el(tag, {}, text);
}

function remarks({
  forcesReplacement,
  carried,
  cause,
  undecided,
  applied,
}: PageField): readonly HTMLElement[] {
  const texts = [
    ...(forcesReplacement === true ? ['forces replacement'] : []),
    ...(carried === true ? ['taken over from the replaced object'] : []),
    ...(cause === 'conflict' ? ['conflict: the manifests and the live state changed it'] : []),
    ...(undecided === undefined ? [] : [`from a ${undecided}: cause not known`]),
  ];
  return [
    ...texts.map((text) => el('span', { class: 'remark' }, text)),
    ...(applied === undefined
      ? []
      : [
          el(
            'div',
            { class: 'applied' },
            'Last applied: ',
            el('code', {}, textsOf(applied).join('\n').trim()),
          ),
        ]),
  ];
}

/** A text or a structure: one column if there is nothing to compare with, because the object is new or deleted. */
function longTable({ field, lines = [] }: FieldValues, action: PageChange['action']): HTMLElement {
  const isReplacedWhole = action === 'replace' && !lines.some(({ type }) => type !== 'added');
  const isAlone = action === 'create' || action === 'delete' || isReplacedWhole;
  const rows = isAlone
    ? lines.map(({ text }) => el('tr', {}, codeCell('', text)))
    : pairs(lines).map(pairRow);
  const head = isAlone
    ? []
    : [
        el(
          'thead',
          {},
          el('tr', {}, el('th', { scope: 'col' }, 'Before'), el('th', { scope: 'col' }, 'After')),
        ),
      ];
  return el(
    'div',
    { class: 'long' },
    el('h4', {}, field.field, ...remarks(field)),
    el('table', { class: isAlone ? 'lines alone' : 'lines' }, ...head, el('tbody', {}, rows)),
  );
}

interface LinePair {
  readonly left?: string;
  readonly right?: string;
  readonly whole?: DiffRow;
}

/** Aligns removed lines with the added ones that follow them. */
function pairs(lines: readonly DiffRow[]): readonly LinePair[] {
  const found: LinePair[] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, 'removed');
    const added = run(lines, at + removed.length, 'added');
    for (let row = 0; row < Math.max(removed.length, added.length); row += 1)
      found.push({ ...side('left', removed[row]), ...side('right', added[row]) });
    at += removed.length + added.length;
    const line = lines[at];
    if (line !== undefined && line.type !== 'removed' && line.type !== 'added') {
      found.push({ whole: line });
      at += 1;
    }
  }
  return found;
}

function run(lines: readonly DiffRow[], from: number, type: DiffRow['type']): readonly string[] {
  const found: string[] = [];
  for (let at = from; lines[at]?.type === type; at += 1) found.push(lines[at]?.text ?? '');
  return found;
}

function side(name: 'left' | 'right', text: string | undefined): LinePair {
  return text === undefined ? {} : { [name]: text };
}

function pairRow({ left, right, whole }: LinePair): HTMLElement {
  if (whole !== undefined) {
    const { type, text } = whole;
    if (type === 'same') return el('tr', {}, codeCell('', text), codeCell('', text));
    return el('tr', {}, el('td', { colspan: 2, class: type }, type === 'gap' ? `⋮ ${text}` : `~ ${text}`));
  }
  return el('tr', {}, codeCell('removed', left), codeCell('added', right));
}

function codeCell(type: '' | 'removed' | 'added', text: string | undefined): HTMLElement {
  if (text === undefined) return el('td', { class: 'nothing' });
  if (type === '') return el('td', {}, text);
  const tag = type === 'removed' ? 'del' : 'ins';
  return el(
    'td',
    { class: type },
    el(tag, {}, el('span', { 'aria-hidden': 'true' }, type === 'removed' ? '− ' : '+ '), text),
  );
}
