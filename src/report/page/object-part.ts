/** A changed object on a page: a line that opens to its risks, its fields before and after, its source and its requests. Pure. */

import type { FieldChange } from '../../plan/plan.ts';
import type { ObjectChange } from '../../review/object-changes.ts';
import { countOf } from '../../util/count.ts';
import { lineText } from '../../util/places.ts';
import { actionSigns, inBrief } from '../plan/change-lines.ts';
import { conflictTexts } from '../plan/dangers.ts';
import { stateField } from '../plan/field-statement.ts';
import { type DiffLine, diffSigns } from '../plan/values.ts';
import { safeText } from '../text/safe-text.ts';
import { type HtmlPart, html, type Markup } from './html.ts';

export interface PageObject {
  readonly change: ObjectChange;
  /** Unique on the page: the address, after the organization if there are several. */
  readonly id: string;
  /** Id of the first part of an object that has changes of the manifests and drift. */
  readonly first: string;
  /** True for all parts of an object if one of them is dangerous. */
  readonly isDangerous: boolean;
  readonly isRefused: boolean;
  readonly requests: readonly Markup[];
}

export function hrefOf(id: string): string {
  return `#${safeText(id).split('/').map(encodeURIComponent).join('/')}`;
}

/** `label`: the rest of the address, after the part that is shown around it. */
export function objectPart(object: PageObject, label: string): Markup {
  const { change, id, isRefused, requests } = object;
  const { address, action, noun, title, reasons, risks, place, detours } = change;
  const about = [
    title === undefined ? noun : `${noun} ${JSON.stringify(title)}`,
    ...reasons,
    ...(change.remark === undefined ? [] : [change.remark]),
  ];
  const badges = [
    ...(risks.length + conflictTexts(change).length > 0 ? ['!'] : []),
    ...(isRefused ? ['✗'] : []),
  ];
  const sign = html`<span class="sign ${actionSigns[action].as}" aria-hidden="true">${actionSigns[action].text}</span>`;
  const badge = badges.length > 0 && html`<strong class="risk">${badges.join(' ')}</strong> `;
  const list = html`<details><summary>${countOf(requests.length, 'request')}</summary><ol>${requests}</ol></details>`;
  return html`<details>
<summary>${sign} <span class="spoken">${action} </span><bdi class="label">${label}</bdi> ${badge}<span class="faint">${inBrief(change)}</span></summary>
<div class="object" id="${id}">
<p><a href="${hrefOf(id)}"><bdi>${address}</bdi></a> ${about.join(', ')}</p>
${dangers(change)}${place !== undefined && html`<p>${action === 'create' ? 'position' : 'moved'} ${place}</p>`}
${detours.map((detour) => html`<p class="faint">${detour}</p>`)}${fieldTable(change)}${sources(change)}
${requests.length > 0 && list}
</div></details>`;
}

function dangers(change: ObjectChange): HtmlPart {
  const { cascade, risks } = change;
  const texts = [...risks, ...conflictTexts(change)];
  if (cascade.length + texts.length === 0) return undefined;
  const inside = cascade.map(({ noun, title }) => html`<li>${noun} ${JSON.stringify(title)}</li>`);
  const also = html`<li>also deletes ${countOf(cascade.length, 'object')}<ul>${inside}</ul></li>`;
  return html`<ul class="risk">${cascade.length > 0 && also}${texts.map((text) => html`<li>${text}</li>`)}</ul>`;
}

function sources({ at, fields }: ObjectChange): HtmlPart {
  const places = new Set(fields.flatMap((field) => field.at ?? []).map(lineText));
  if (places.size === 0 && at !== undefined) places.add(lineText(at));
  return places.size > 0 && html`<p class="faint">Declared in ${[...places].join(', ')}</p>`;
}

function fieldTable(change: ObjectChange): HtmlPart {
  if (change.fields.length === 0) return undefined;
  const rows = change.fields.map((field) => fieldRow(change, field));
  return html`<table class="fields">
<thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function fieldRow({ action }: ObjectChange, field: FieldChange): Markup {
  const { name, shown, isAlone, remark, as, applied, isLong } = stateField(action, field);
  const isLost = field.after === undefined && field.before !== undefined && isAlone;
  const about = field.carried === true ? 'carried over from the replaced object' : remark;
  const remarks = html`${about !== '' && html` <span class="${as}">${about}</span>`}${
    isLong && html`<p>last applied: ${linesText(applied, true)}</p>`
  }`;
  const head = html`<th scope="row">${name}</th>`;
  if (shown.type === 'lines')
    return html`<tr>${head}<td colspan="2">${linesText(shown.lines, isAlone)}${remarks}</td></tr>`;
  const [former, next] = isLost ? [shown.after, undefined] : [shown.before, shown.after];
  return html`<tr>${head}<td>${former !== undefined && html`<del>${former}</del>`}</td><td>${
    next !== undefined && html`<ins>${next}</ins>`
  }${remarks}</td></tr>`;
}

function linesText(lines: readonly DiffLine[], isAlone: boolean): Markup {
  const shown = lines.map(({ type, text }) => {
    if (isAlone && type === 'added') return html`${text}\n`;
    const signed = `${diffSigns[type]} ${text}`;
    if (type === 'added') return html`<ins>${signed}</ins>\n`;
    return type === 'removed' ? html`<del>${signed}</del>\n` : html`<span class="${type}">${signed}</span>\n`;
  });
  return html`<pre>${shown}</pre>`;
}
