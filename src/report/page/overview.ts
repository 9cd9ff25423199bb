/** Blocks for an organization around its changes on a page: access, addresses, rules, dangers, refusals, notes. Pure. */

import { unmanagedByDanger } from '../../review/reviewed-plan.ts';
import { countOf } from '../../util/count.ts';
import { lineText } from '../../util/places.ts';
import { type Block, line, list, table } from '../blocks.ts';
import { actionSigns, actionStyles } from '../plan/change-lines.ts';
import type { PartDetail } from '../plan/parts.ts';
import { type OrganizationView, refusalBlocks } from '../plan/plan-view.ts';
import { blockHtml, type LinkOf } from './document-page.ts';
import { type HtmlPart, html } from './html.ts';

export function part(title: string, content: readonly HtmlPart[]): HtmlPart {
  return content.length > 0 && html`<h3>${title}</h3>\n${content}\n`;
}

function folded(title: string, content: HtmlPart): HtmlPart {
  return html`<details><summary>${title}</summary>${content}</details>`;
}

export function warnings(
  { parts, dangers, refusals, refusalTitle }: OrganizationView,
  linkOf: LinkOf,
): HtmlPart {
  const shown = (...blocks: readonly Block[]) => blocks.map((block) => blockHtml(block, linkOf));
  const detail = ({ title, rows, lines = [] }: PartDetail) => {
    const cells = rows?.map(({ names, change, on = [] }) => [
      names.join(', '),
      change,
      ...(on.length === 0 ? [] : [on.flatMap((one) => [one, ' '])]),
    ]);
    return folded(title, shown(cells ? table(cells) : { type: 'code', lines, language: 'yaml' }));
  };
  const dangerRows = dangers.map(({ action, what, texts, of }) => [
    [
      ...(action === undefined
        ? []
        : [{ text: `${actionSigns[action]} ${action} `, as: actionStyles[action] }]),
      what,
    ],
    [texts.join('; '), ...of.flatMap(({ address, about }) => [' ', address, about])],
  ]);
  return [
    parts.map(({ title, summary, lines = [], details = [] }) =>
      part(title, [
        shown(line(summary.join(' · ')), ...(lines.length > 0 ? [list(lines)] : [])),
        details.map(detail),
      ]),
    ),
    part(
      'Dangerous',
      shown(
        dangers.length === 0
          ? line('Nothing is deleted or replaced, and nothing carries a known risk.')
          : table(dangerRows),
      ),
    ),
    part(
      refusalTitle,
      refusals.map((group) => shown(...refusalBlocks(group))),
    ),
  ];
}

export function remainder({ policy, plan, unchanged }: OrganizationView): HtmlPart {
  const unmanaged = unmanagedByDanger(plan);
  const shown = (block: Block) => [blockHtml(block)];
  const notes = plan.notes.map(({ severity, message, at, suggestion = '' }) => ({
    line: `${severity}: ${message}${at === undefined ? '' : ` (${lineText(at)})`}`,
    below: suggestion.split('\n'),
  }));
  const rows = unmanaged.map(({ noun, title, address, risk }) => [
    `${noun} ${JSON.stringify(title)}`,
    address,
    risk === undefined ? '' : `! ${risk}`,
  ]);
  return [
    part('Management changes (no requests)', policy.length === 0 ? [] : shown(list(policy))),
    part('Notes', notes.length === 0 ? [] : shown({ type: 'list', items: notes })),
    unmanaged.length > 0 &&
      folded(
        `${countOf(unmanaged.length, 'unmanaged object')}: live in declared collections, but in no manifest`,
        shown(table(rows)),
      ),
    unchanged.length > 0 &&
      html`<p class="faint">${countOf(unchanged.length, 'declared object')} unchanged</p>`,
  ];
}
