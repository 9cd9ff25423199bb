import type { PageChange, PageOrganization } from '../page-data.ts';
import { addressText, button, type Child, el, fill, spoken } from './dom.ts';
import type { PlanModel } from './model.ts';
import { aboutText, atText, countText, linesOf, signs } from './words.ts';

const shownAtOnce = 12;
/** So many dangers are shown at once: none must be hidden. */
const dangersAtOnce = 500;
/** So few unmanaged objects are always shown. */
const fewUnmanaged = 3;

/** Link to an address of an organization on the page; undefined if it has no change. */
export type LinkOf = (address: string) => string | undefined;

export function overview(model: PlanModel): HTMLElement {
  const { organizations, notices, closing } = model.data;
  return el(
    'article',
    { class: 'overview' },
    el('h2', { tabindex: -1 }, 'Overview'),
    notices.map((text) => el('p', { class: 'notice' }, text)),
    organizations.map((organization) => organizationPart(model, organization, organizations.length > 1)),
    el(
      'div',
      { class: 'closing' },
      el('h3', {}, 'In total'),
      closing.map((text) => el('p', {}, text)),
    ),
  );
}

function organizationPart(model: PlanModel, organization: PageOrganization, several: boolean): HTMLElement {
  const linkOf: LinkOf = (address) => {
    const hash = model.hashOf(organization, address);
    return model.itemsAt(hash).length > 0 ? hash : undefined;
  };
  const { kinds, access, addresses, rules, dangers, refusals, policy, notes, unmanaged, unchanged } =
    organization;
  return el(
    'div',
    { class: 'organization' },
    several && el('h3', { class: 'organization-name' }, aboutText(organization)),
    access !== undefined && accessPart(access, linkOf),
    addresses !== undefined && addressesPart(addresses),
    rules !== undefined &&
      el(
        'div',
        { class: 'access' },
        el('h3', {}, 'Rules'),
        [rules.summary.join(' · '), ...rules.lines].map((line) => el('p', {}, line)),
      ),
    dangersPart(dangers, linkOf),
    refusals.length > 0 &&
      part(
        refusalsTitle(refusals),
        cut(refusals, (refusal) => refusalCard(refusal, linkOf)),
      ),
    briefsPart(organization, linkOf, 'change'),
    briefsPart(organization, linkOf, 'drift'),
    kinds !== '' && part('By kind', el('p', {}, kinds)),
    policy.length > 0 && part('Management changes (no requests)', lines(policy)),
    notes.length > 0 &&
      part(
        'Notes',
        cut(notes, ({ severity, message, at, suggestion = '' }) =>
          el(
            'p',
            {},
            el('strong', {}, `${severity}: `),
            message,
            at !== undefined && el('code', {}, ` ${atText(at)}`),
            ...linesOf(suggestion).map((line) => el('span', { class: 'suggestion' }, line)),
          ),
        ),
      ),
    unmanaged.length > 0 &&
      folded(
        `${countText(unmanaged.length, 'unmanaged object')}: live in declared collections, but in no manifest`,
        unmanaged.length <= fewUnmanaged,
        cut(unmanaged, ({ noun, title, address, risk }) =>
          el(
            'p',
            {},
            `${noun} "${title}" `,
            el('code', {}, address),
            risk !== undefined && el('strong', {}, ` ! ${risk}`),
          ),
        ),
      ),
    unchanged > 0 && el('p', { class: 'about' }, `${countText(unchanged, 'declared object')} unchanged`),
  );
}

function accessPart(
  { summary, entries }: NonNullable<PageOrganization['access']>,
  linkOf: LinkOf,
): HTMLElement {
  return el(
    'div',
    { class: 'access' },
    el('h3', {}, 'Access'),
    el('p', {}, summary.join(' · ')),
    entries.length > 0 &&
      folded(
        'Who gains and who loses',
        false,
        cut(entries, ({ people, on, change }) =>
          el(
            'p',
            {},
            `${people.join(', ')}: `,
            el('strong', {}, change),
            on.flatMap((name) => [' ', objectLink(name, linkOf)]),
          ),
        ),
      ),
  );
}

function addressesPart({
  summary,
  rows,
  redirects,
}: NonNullable<PageOrganization['addresses']>): HTMLElement {
  return el(
    'div',
    { class: 'access' },
    el('h3', {}, 'Addresses of visitors'),
    el('p', {}, summary.join(' · ')),
    folded(
      'Before and after',
      rows.length <= fewUnmanaged,
      cut(rows, ({ from, to }) => el('p', {}, el('code', {}, from), ' → ', el('strong', {}, to))),
    ),
    redirects.map(({ to, lines: own }) =>
      folded(`Redirects to add to ${to}`, false, el('pre', {}, own.join('\n'))),
    ),
  );
}

function objectLink(name: string, linkOf: LinkOf): HTMLElement {
  const hash = linkOf(name);
  return hash === undefined ? el('code', {}, name) : el('a', { href: hash }, addressText(name));
}

function dangersPart(dangers: PageOrganization['dangers'], linkOf: LinkOf): HTMLElement {
  if (dangers.length === 0)
    return el(
      'p',
      { class: 'harmless' },
      'Nothing is deleted or replaced, and nothing carries a known risk.',
    );
  return el(
    'div',
    { class: 'dangers' },
    el('h3', {}, 'Dangerous'),
    cut(dangers, (danger) => dangerLine(danger, linkOf), { tag: 'ul', most: dangersAtOnce }),
  );
}

function dangerLine(
  { action, what, texts }: PageOrganization['dangers'][number],
  linkOf: LinkOf,
): HTMLElement {
  const hash = linkOf(what);
  return el(
    'li',
    { class: action === 'delete' || action === 'replace' ? 'lost' : '' },
    el('span', { class: `sign ${action}`, 'aria-hidden': 'true' }, signs[action]),
    el(
      'span',
      { class: 'danger-what' },
      (action === 'delete' || action === 'replace') &&
        el('strong', { class: `verb ${action}` }, `${action}s `),
      hash === undefined ? addressText(what) : el('a', { href: hash }, addressText(what)),
    ),
    el('span', { class: 'danger-texts' }, texts.join('; ')),
  );
}

function briefsPart(
  { changes, groups, changed }: PageOrganization,
  linkOf: LinkOf,
  group: 'change' | 'drift',
): Child {
  const lost = changed.change + changed.drift - changes.filter(isNotLost).length;
  const own = changes.filter((change) => isNotLost(change) && (change.group ?? 'change') === group);
  if (own.length === 0) return undefined;
  return part(
    groups.find((one) => one.group === group)?.heading ?? (lost > 0 ? 'Other changes' : 'Changes'),
    cut(
      own.filter(({ isFolded }) => isFolded !== true),
      (change) => briefLine(change, linkOf),
      { tag: 'ul', className: 'briefs' },
    ),
  );
}

function isNotLost({ action }: PageChange): boolean {
  return action !== 'delete' && action !== 'replace';
}

function briefLine({ action, address, brief, noun, alike = [] }: PageChange, linkOf: LinkOf): HTMLElement {
  const hash = linkOf(address);
  return el(
    'li',
    {},
    el('span', { class: `sign ${action}`, 'aria-hidden': 'true' }, signs[action]),
    el('span', {}, spoken(`${action} `), el('a', { href: hash }, addressText(address))),
    el('span', { class: 'brief' }, brief),
    alike.length > 0 &&
      el(
        'details',
        { class: 'alike' },
        el('summary', {}, `${countText(alike.length, `more ${noun}`)} alike`),
        alike.map((other) => el('p', {}, el('a', { href: linkOf(other) }, addressText(other)))),
      ),
  );
}

function refusalsTitle(refusals: PageOrganization['refusals']): string {
  const count = refusals.reduce((sum, { others }) => sum + 1 + others.length, 0);
  const effect = refusals.every(({ first }) => first.skipped) ? ' and left out' : ': nothing will be applied';
  return `${countText(count, 'change')} refused${effect}`;
}

export function refusalCard(
  { first, others }: PageOrganization['refusals'][number],
  linkOf: LinkOf,
): HTMLElement {
  const { address, guard, message, suggestion, skipped } = first;
  const hash = linkOf(address);
  return el(
    'div',
    { class: 'refusal' },
    el(
      'p',
      {},
      el('span', { class: 'sign delete', 'aria-hidden': 'true' }, '✗'),
      el('strong', {}, skipped === true ? 'Refused and left out: ' : 'Refused: '),
      hash === undefined ? addressText(address) : el('a', { href: hash }, addressText(address)),
      el('span', { class: 'operation' }, ` guard: ${guard}`),
    ),
    el('p', {}, message),
    ...linesOf(suggestion).map((line) =>
      line.startsWith(' ')
        ? el('pre', { tabindex: 0, 'aria-label': 'Lines to paste' }, line.trim())
        : el('p', { class: 'suggestion' }, `→ ${line}`),
    ),
    others.length > 0 &&
      el(
        'details',
        {},
        el('summary', {}, `${countText(others.length, 'other object')} in the same way`),
        lines(others),
      ),
  );
}

function part(title: string, ...children: readonly Child[]): HTMLElement {
  return el('div', {}, el('h3', {}, title), children);
}

function folded(title: string, isOpen: boolean, ...children: readonly Child[]): HTMLElement {
  return el('details', { open: isOpen }, el('summary', {}, title), children);
}

function lines(texts: readonly string[]): HTMLElement {
  return cut(texts, (text) => el('li', {}, text), { tag: 'ul' });
}

/** The first entries of a list, and a button for the others. */
function cut<T>(
  items: readonly T[],
  make: (item: T) => HTMLElement,
  {
    tag = 'div',
    className,
    most = shownAtOnce,
  }: { readonly tag?: 'ul' | 'div'; readonly className?: string; readonly most?: number } = {},
): HTMLElement {
  const list = el(tag, { class: className }, items.slice(0, most).map(make));
  if (items.length <= most) return list;
  const whole = el('div', {}, list);
  const more = button(
    { class: 'more' },
    () => {
      fill(list, items.map(make));
      more.remove();
    },
    `Show all ${items.length}`,
  );
  whole.append(more);
  return whole;
}
