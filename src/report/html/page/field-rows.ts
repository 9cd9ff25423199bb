/** Fields before and after, side by side: short values in one table, texts line by line. */
import type { PageChange, PageField } from '../page-data.ts';
import { type Child, el } from './dom.ts';

type DiffRow = NonNullable<PageField['lines']>[number];

/** All fields of a change; nothing where there are none. */
export function fieldTables({ fields, action }: PageChange): readonly HTMLElement[] {
  const short = fields.filter(({ lines }) => lines === undefined);
  const long = fields.filter(({ lines }) => lines !== undefined);
  return [
    ...(short.length === 0 ? [] : [shortTable(short)]),
    ...long.map((field) => longTable(field, action)),
  ];
}

function shortTable(fields: readonly PageField[]): HTMLElement {
  const hasBefore = fields.some(({ before }) => before !== undefined);
  const hasAfter = fields.some(({ after }) => after !== undefined);
  const head = [
    el('th', { scope: 'col' }, 'Field'),
    hasBefore && el('th', { scope: 'col' }, hasAfter ? 'Before' : 'Value that goes'),
    hasAfter && el('th', { scope: 'col' }, hasBefore ? 'After' : 'Value'),
  ];
  const rows = fields.map((field) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, field.name),
      hasBefore && el('td', { class: 'before', 'data-side': 'Before' }, value('del', field.before)),
      hasAfter &&
        el('td', { class: 'after', 'data-side': 'After' }, value('ins', field.after), ...remarks(field)),
    ),
  );
  return el('table', { class: 'fields' }, el('thead', {}, el('tr', {}, head)), el('tbody', {}, rows));
}

function value(tag: 'del' | 'ins', text: string | undefined): Child {
  return text !== undefined && el(tag, {}, text);
}

function remarks({ remarks: texts, applied }: PageField): readonly HTMLElement[] {
  return [
    ...texts.map((text) => el('span', { class: 'remark' }, text)),
    ...(applied === undefined
      ? []
      : [el('div', { class: 'applied' }, 'Last applied: ', el('code', {}, applied.join('\n')))]),
  ];
}

/** A text or a structure: one column where there is nothing to compare with. */
function longTable(field: PageField, action: PageChange['action']): HTMLElement {
  const { name, lines = [] } = field;
  const isAlone =
    action === 'create' ||
    action === 'delete' ||
    !lines.some(([type]) => type !== 'added' && type !== 'same');
  const rows = isAlone
    ? lines.map(([, text]) => el('tr', {}, codeCell('', text)))
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
    el('h4', {}, name, ...remarks(field)),
    el('table', { class: isAlone ? 'lines alone' : 'lines' }, ...head, el('tbody', {}, rows)),
  );
}

/** One row of a comparison; both sides, or one line that spans them. */
interface LinePair {
  readonly left?: string;
  readonly right?: string;
  readonly whole?: DiffRow;
}

/** Removed lines beside the added ones that follow them. */
function pairs(lines: readonly DiffRow[]): readonly LinePair[] {
  const found: LinePair[] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, 'removed');
    const added = run(lines, at + removed.length, 'added');
    for (let row = 0; row < Math.max(removed.length, added.length); row += 1)
      found.push({ ...side('left', removed[row]), ...side('right', added[row]) });
    at += removed.length + added.length;
    const line = lines[at];
    if (line !== undefined && line[0] !== 'removed' && line[0] !== 'added') {
      found.push({ whole: line });
      at += 1;
    }
  }
  return found;
}

function run(lines: readonly DiffRow[], from: number, type: DiffRow[0]): readonly string[] {
  const found: string[] = [];
  for (let at = from; lines[at]?.[0] === type; at += 1) found.push(lines[at]?.[1] ?? '');
  return found;
}

function side(name: 'left' | 'right', text: string | undefined): LinePair {
  return text === undefined ? {} : { [name]: text };
}

function pairRow({ left, right, whole }: LinePair): HTMLElement {
  if (whole !== undefined) {
    const [type, text] = whole;
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
