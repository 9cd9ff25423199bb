/** Starts the page of a plan: reads the embedded data, lays out the parts and follows the address. */
import type { PageData } from '../page-data.ts';
import { objectDetails } from './details.ts';
import { button, el, fill } from './dom.ts';
import { type Item, PlanModel } from './model.ts';
import { orderPart } from './order.ts';
import { overview } from './overview.ts';
import { SearchBar } from './search.ts';
import { sitesPart } from './site.ts';
import { type Tab, TabView } from './tabs.ts';
import { drawerButton, TreeView } from './tree.ts';
import { countText, signs, totals } from './words.ts';

/** Prefix of addresses of parts that are not objects. */
const viewMark = '#!';

class PlanPage {
  readonly #model: PlanModel;
  readonly #tree: TreeView;
  readonly #search: SearchBar;
  readonly #tabs: TabView;
  readonly #nav: HTMLElement;
  readonly #pane = el('div', { class: 'pane', id: 'pane' });
  readonly #drawer: HTMLButtonElement;

  constructor(data: PageData) {
    this.#model = new PlanModel(data);
    this.#tree = new TreeView({
      open: ({ hash }) => {
        location.hash = hash;
        this.#toggleDrawer('closed');
      },
    });
    this.#search = new SearchBar(this.#model, (query) => {
      const found = this.#model.find(query);
      const isAll = query.text.trim() === '' && query.active.size === 0;
      this.#tree.show(found, isAll ? 'all' : 'found');
      this.#search.found(found.length, this.#model.items.length);
    });
    const home = el('a', { class: 'home', href: '#' }, 'Overview');
    home.addEventListener('click', () => this.#toggleDrawer('closed'));
    const close = button({ class: 'drawer-close' }, () => this.#toggleDrawer('closed'), 'Close the list');
    this.#nav = el(
      'nav',
      { id: 'nav', 'aria-label': 'Changes' },
      close,
      this.#search.element,
      home,
      this.#tree.scroller,
    );
    this.#drawer = drawerButton(() => this.#toggleDrawer('other'), this.#model.items.length);
    this.#tabs = new TabView(this.#tabList(), (name) => {
      location.hash = name === 'changes' ? '' : `!${name}`;
    });
  }

  start(root: HTMLElement): void {
    const bar = el('div', { class: 'bar' }, this.#drawer, this.#tabs.bar);
    const head = el('header', {}, pageHead(this.#model.data), bar);
    fill(
      root,
      head,
      el('main', {}, this.#tabs.panels),
      printable(this.#model, () => pageHead(this.#model.data)),
    );
    this.#tree.show(this.#model.items, 'all');
    addEventListener('hashchange', () => this.#follow('moved'));
    addEventListener('keydown', (event) => this.#key(event));
    this.#follow('loaded');
  }

  #tabList(): readonly Tab[] {
    const { organizations } = this.#model.data;
    const sites = organizations.reduce((sum, one) => sum + one.sites.length, 0);
    const steps = organizations.reduce((sum, one) => sum + one.steps.length, 0);
    return [
      { name: 'changes', label: 'Changes', make: () => el('div', { class: 'split' }, this.#nav, this.#pane) },
      ...(sites === 0
        ? []
        : [
            {
              name: 'sites',
              label: sites === 1 ? 'Site' : `Sites (${sites})`,
              make: () => sitesPart(this.#model),
            },
          ]),
      ...(steps === 0 ? [] : [{ name: 'order', label: 'Order', make: () => orderPart(this.#model) }]),
    ];
  }

  /** Shows the object or part in the address. After a followed link, the heading gets the focus; in the tree the focus stays. */
  #follow(how: 'loaded' | 'moved'): void {
    const { hash } = location;
    const named = hash.startsWith(viewMark) ? hash.slice(viewMark.length) : 'changes';
    // The name may be that of a tab that only other plans have.
    const view = this.#tabs.has(named) ? named : 'changes';
    document.body.dataset.view = view;
    const panel = this.#tabs.select(view);
    if (view === 'changes') {
      const items = this.#model.itemsAt(hash);
      const isHome = hash === '' || hash === '#' || hash.startsWith(viewMark);
      fill(this.#pane, isHome ? overview(this.#model) : objectDetails(items));
      this.#pane.scrollTop = 0;
      this.#tree.choose(items[0]?.hash ?? '');
    }
    const isAtControl =
      this.#tree.element.contains(document.activeElement) || this.#tabs.bar.contains(document.activeElement);
    if (how === 'loaded' || isAtControl) return;
    const within = view === 'changes' ? this.#pane : panel;
    within?.querySelector<HTMLElement>('h2')?.focus();
    scrollTo(0, 0);
  }

  #toggleDrawer(to: 'closed' | 'other'): void {
    const isOpen = to === 'other' && this.#drawer.getAttribute('aria-expanded') !== 'true';
    const wasOpen = this.#drawer.getAttribute('aria-expanded') === 'true';
    this.#drawer.setAttribute('aria-expanded', String(isOpen));
    this.#nav.classList.toggle('open', isOpen);
    // Elements behind the drawer cannot be reached until it is closed.
    this.#pane.inert = isOpen;
    if (isOpen) {
      if (document.body.dataset.view !== 'changes') location.hash = '';
      this.#search.focus();
    } else if (wasOpen) this.#drawer.focus();
  }

  #key(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.#toggleDrawer('closed');
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (document.body.dataset.view !== 'changes') location.hash = '';
    this.#search.focus();
  }
}

function pageHead(data: PageData): HTMLElement {
  const { changed, drifted, refused, risky, conflicts } = totals(data);
  const count = (className: string, text: string) => el('li', { class: className }, text);
  return el(
    'div',
    { class: 'head' },
    el('h1', {}, data.title),
    el(
      'ul',
      { class: 'counts', 'aria-label': 'Counts' },
      changed + drifted === 0 && data.unmanaged === '' && count('', 'No changes'),
      data.unmanaged !== '' && count('drift', data.unmanaged),
      (Object.keys(signs) as (keyof typeof signs)[])
        .filter((action) => data.counts[action] > 0)
        .map((action) =>
          el(
            'li',
            { class: action },
            el('span', { 'aria-hidden': 'true' }, `${signs[action]} `),
            `${data.counts[action]} ${action}`,
          ),
        ),
      risky > 0 && count('risky', `! ${countText(risky, 'risk')}`),
      conflicts > 0 && count('risky', countText(conflicts, 'conflict')),
      drifted > 0 && count('drift', `${drifted} drift`),
      refused > 0 && count('refused', `✗ ${countText(refused, 'refusal')}`),
    ),
    el(
      'dl',
      { class: 'facts' },
      data.facts.map(({ name, value, link }) =>
        el(
          'div',
          {},
          el('dt', {}, name),
          el('dd', {}, link === undefined ? value : el('a', { href: link, rel: 'noreferrer' }, value)),
        ),
      ),
    ),
  );
}

const data = document.getElementById('plan')?.textContent ?? '';
const root = document.getElementById('app');
if (root !== null) new PlanPage(JSON.parse(data) as PageData).start(root);

/** More objects than this are not printed. */
const mostPrinted = 1000;

function printable(model: PlanModel, head: () => Node): HTMLElement {
  const paper = el('div', { id: 'paper' });
  addEventListener('beforeprint', () => {
    const objects = [...new Map(model.items.map((item) => [item.hash, item])).values()];
    const shown = objects.slice(0, mostPrinted);
    const rest = objects.length - shown.length;
    const hasSites = model.data.organizations.some(({ sites }) => sites.length > 0);
    fill(
      paper,
      head(),
      overview(model),
      hasSites && sitesPart(model),
      shown.map(({ hash }: Item) => objectDetails(model.itemsAt(hash))),
      rest > 0 && el('p', {}, `${countText(rest, 'more object')} not printed; the file has them.`),
    );
    for (const details of paper.querySelectorAll('details')) details.open = true;
  });
  addEventListener('afterprint', () => fill(paper));
  return paper;
}
