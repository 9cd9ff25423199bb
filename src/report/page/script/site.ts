import type { SiteEntry, SiteView } from '../site-view.ts';
import { button, el, spoken } from './dom.ts';
import { type JoiningLine, lineLayer } from './lines.ts';
import type { PlanModel } from './model.ts';

/** No lines for sites with more entries: no one could follow them. */
const mostLines = 200;

const markWords = { new: 'new', gone: 'removed', moved: 'moved', changed: 'changed' } as const;

export function sitesPart(model: PlanModel): HTMLElement {
  const { organizations } = model.data;
  return el(
    'div',
    { class: 'sites' },
    el('h2', { tabindex: -1 }, 'Navigation of the sites'),
    el(
      'p',
      { class: 'about' },
      'As visitors see it, before and after this plan, as far as the plan has read it.',
    ),
    organizations.flatMap((organization) =>
      organization.sites.map((site) => {
        const linkOf = (address: string) => model.hashOf(organization, address);
        return sitePart(site, linkOf);
      }),
    ),
  );
}

type HashOf = (address: string) => string;

function sitePart(site: SiteView, hashOf: HashOf): HTMLElement {
  const { address, before, after, isUncertain } = site;
  const sides = el(
    'div',
    { class: 'sides' },
    sidePart('Before', before, hashOf, 'The site does not exist yet.'),
    sidePart('After', after, hashOf, 'The site is gone.'),
  );
  lineLayer(sides, () => linesIn(sides));
  return el(
    'div',
    { class: 'one-site' },
    el('h3', {}, after?.title ?? before?.title ?? address, ' ', el('a', { href: hashOf(address) }, address)),
    isUncertain === true &&
      el(
        'p',
        { class: 'notice' },
        'The site gets its first section. The service decides what becomes of the spaces that are not in one.',
      ),
    sideButtons(sides),
    sides,
  );
}

/** On narrow screens one side is shown at a time, first the site afterwards; on wide ones there are no buttons. */
function sideButtons(sides: HTMLElement): HTMLElement {
  const names = ['before', 'after'] as const;
  const buttons = names.map((name) => {
    const own: HTMLButtonElement = button({}, () => show(name), name === 'before' ? 'Before' : 'After');
    return own;
  });
  const show = (shown: (typeof names)[number]) => {
    sides.dataset.shown = shown;
    buttons.forEach((one, at) => {
      one.setAttribute('aria-pressed', String(names[at] === shown));
    });
  };
  show('after');
  return el('div', { class: 'side-buttons', role: 'group', 'aria-label': 'Side of the site' }, buttons);
}

function sidePart(name: string, root: SiteEntry | undefined, hashOf: HashOf, nothing: string): HTMLElement {
  const side = el('div', { class: `side ${name.toLowerCase()}` }, el('h4', {}, name));
  if (root === undefined) side.append(el('p', { class: 'about' }, nothing));
  else {
    side.append(entryPart(root, hashOf));
    if (root.children.length > 0) side.append(listOf(root.children, hashOf));
    else side.append(el('p', { class: 'about' }, 'No entries.'));
  }
  return side;
}

function listOf(entries: readonly SiteEntry[], hashOf: HashOf): HTMLElement {
  return el(
    'ul',
    {},
    entries.map((entry) =>
      el('li', {}, entryPart(entry, hashOf), entry.children.length > 0 && listOf(entry.children, hashOf)),
    ),
  );
}

function entryPart(entry: SiteEntry, hashOf: HashOf): HTMLElement {
  const { key, noun, title, address, path, isDefault, tags, marks, differs = [] } = entry;
  const name = address === undefined ? el('span', {}, title) : el('a', { href: hashOf(address) }, title);
  const isGone = marks.includes('gone');
  return el(
    'div',
    { class: ['entry', ...marks].join(' '), 'data-key': key },
    isGone ? el('del', {}, name) : name,
    spoken(` ${noun}`),
    path !== undefined && el('code', { class: 'path' }, `/${path}`),
    isDefault === true && el('span', { class: 'tag' }, 'default'),
    tags.map(([tag, value]) =>
      el('span', { class: `tag ${tag === 'condition' ? 'condition' : ''}` }, `${tag}: ${value}`),
    ),
    marks.map((mark) =>
      el(
        'span',
        { class: `tag mark-${mark}` },
        mark === 'changed' && differs.length > 0 ? `changed: ${differs.join(', ')}` : markWords[mark],
      ),
    ),
  );
}

/** From each moved entry to its new place. */
function linesIn(sides: Element): readonly JoiningLine[] {
  const [before, after] = [...sides.querySelectorAll('.side')];
  const targets = new Map(
    [...(after?.querySelectorAll('.moved') ?? [])].map((entry) => [entry.getAttribute('data-key'), entry]),
  );
  const lines = [...(before?.querySelectorAll('.moved') ?? [])].flatMap((from): readonly JoiningLine[] => {
    const to = targets.get(from.getAttribute('data-key'));
    return to === undefined ? [] : [{ from, to, className: 'move-line' }];
  });
  const isBeside = before !== undefined && after !== undefined && isLeftOf(before, after);
  return isBeside && lines.length <= mostLines ? lines : [];
}

/** On narrow screens one is below the other, and lines would be useless. */
function isLeftOf(left: Element, right: Element): boolean {
  return left.getBoundingClientRect().right <= right.getBoundingClientRect().left + 1;
}
