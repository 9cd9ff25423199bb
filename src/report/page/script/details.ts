import type { PageChange, PageOrganization } from '../page-data.ts';
import type { PageStep } from '../page-requests.ts';
import { addressText, type Child, el, spoken } from './dom.ts';
import { fieldTables } from './field-rows.ts';
import type { Item } from './model.ts';
import { refusalCard } from './overview.ts';
import { atText, countText, done, signs } from './words.ts';

/** Longer lists of cascaded deletes are folded. */
const namedCascade = 12;

const causes = {
  changed: 'changed in the manifests',
  input: 'a value from the environment changed',
  drift: 'drift: changed outside git, will be reverted',
  conflict: 'conflict: both the manifests and the live state changed',
} as const;

export function objectDetails(items: readonly Item[]): HTMLElement {
  const [first] = items;
  if (first === undefined) return el('p', {}, 'No such object in this plan.');
  const { organization, change } = first;
  const refusals = organization.refusals.filter(
    ({ first: { address }, others }) => address === change.address || others.includes(change.address),
  );
  return el(
    'article',
    { class: 'object' },
    el('h2', { tabindex: -1 }, addressText(change.address)),
    refusals.map((refusal) => refusalCard(refusal, () => undefined)),
    items.map((item) => changePart(item.change, organization)),
    requestsPart(items),
  );
}

function changePart(change: PageChange, { steps }: PageOrganization): HTMLElement {
  const { action, noun, title, reasons, cause, group, place, detours } = change;
  const named = title === undefined ? noun : `${noun} “${title}”`;
  return el(
    'div',
    { class: 'change' },
    el(
      'h3',
      {},
      el('span', { class: `sign ${action}`, 'aria-hidden': 'true' }, signs[action]),
      `${capital(named)} ${done[action]}`,
    ),
    el(
      'p',
      { class: 'about' },
      [...reasons, cause === undefined ? (group === 'drift' ? causes.drift : '') : causes[cause]]
        .filter(Boolean)
        .join(' · '),
    ),
    dangerPart(change),
    place !== undefined && el('p', { class: 'place' }, el('strong', {}, 'Moved '), place),
    detours.map((detour) => el('p', { class: 'about' }, detour)),
    fieldTables(change),
    sourcesPart(change),
    steps.length === 0 && el('p', { class: 'about' }, 'No requests.'),
  );
}

/** The lines of the fields that change, or of the object. */
function sourcesPart({ at, fields }: PageChange): Child {
  const places = new Set(fields.map((field) => atText(field.at)).filter(Boolean));
  if (places.size === 0 && at !== undefined) places.add(atText(at));
  if (places.size === 0) return undefined;
  return el(
    'p',
    { class: 'source' },
    'Declared in ',
    [...places].flatMap((place, index) => [index > 0 && ', ', el('code', {}, place)]),
  );
}

function dangerPart({ risks, cascade, action }: PageChange): Child {
  if (risks.length === 0 && cascade.length === 0) return undefined;
  const also = cascade.length === 0 ? [] : [cascadePart(cascade)];
  return el(
    'div',
    { class: action === 'delete' || action === 'replace' ? 'danger' : 'warning' },
    el('h4', {}, action === 'delete' || action === 'replace' ? 'What is lost' : 'Risks'),
    el(
      'ul',
      {},
      also,
      risks.map((risk) => el('li', {}, risk)),
    ),
  );
}

function cascadePart(cascade: PageChange['cascade']): HTMLElement {
  const list = el(
    'ul',
    {},
    cascade.map(({ noun, title }) => el('li', {}, `${noun} "${title}"`)),
  );
  const text = `also deletes ${countText(cascade.length, 'object')}`;
  if (cascade.length <= namedCascade) return el('li', {}, `${text}:`, list);
  return el('li', {}, el('details', {}, el('summary', {}, text), list));
}

function requestsPart(items: readonly Item[]): Child {
  const keys = new Set(items.map(({ change }) => `${change.address} ${change.action}`));
  const own = (items[0]?.organization.steps ?? []).filter((step) =>
    keys.has(`${step.address} ${step.action}`),
  );
  const calls = own.reduce((sum, step) => sum + step.calls.length, 0);
  if (calls === 0) return undefined;
  return el(
    'div',
    { class: 'requests' },
    el('h3', {}, countText(calls, 'request')),
    el('ol', {}, own.flatMap(requestItems)),
  );
}

export function shortRequests({ calls }: PageStep): readonly HTMLElement[] {
  return calls.map(({ number, method, path, body, remark }) =>
    el(
      'li',
      {},
      el('span', { class: 'about' }, `request ${number}: `),
      el('code', { class: 'request' }, el('strong', {}, method), ` ${path}`),
      remark !== undefined && el('p', { class: 'about' }, remark),
      body.length > 0 &&
        el(
          'details',
          {},
          el('summary', {}, 'Body', spoken(` of request ${number}`)),
          el('pre', { tabindex: 0, 'aria-label': `Body of request ${number}` }, body.join('\n')),
        ),
    ),
  );
}

function requestItems({ calls, phase }: PageStep): readonly HTMLElement[] {
  return calls.map(({ number, operation, method, path, body, remark }) =>
    el(
      'li',
      { value: number },
      el('code', { class: 'request' }, el('strong', {}, method), ` ${path}`),
      el('span', { class: 'operation' }, `${operation} · ${phase}`),
      remark !== undefined && el('p', { class: 'about' }, remark),
      body.length > 0 &&
        el('pre', { tabindex: 0, 'aria-label': `Body of request ${number}` }, body.join('\n')),
    ),
  );
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
