/** The tree of addresses, usable with keyboards and screen readers. Only visible rows are created. */
import { button, el, fill, spoken } from './dom.ts';
import type { Item } from './model.ts';
import { type TreeNode, treeOf, visibleRows } from './tree-rows.ts';
import { countText, done, signs } from './words.ts';

/** Rows have a fixed height, so that invisible ones need not be created. */
const rowHeight = 30;
/** Rows that are created beyond the visible ones. */
const beyond = 20;
/** With more changes than this, only the first levels are open initially. */
const manyItems = 400;

export interface TreeEvents {
  readonly open: (item: Item) => void;
}

export class TreeView {
  readonly element: HTMLElement;
  readonly #scroller: HTMLElement;
  readonly #events: TreeEvents;
  #nodes: readonly TreeNode[] = [];
  #rows: readonly TreeNode[] = [];
  /** Nodes that the user opened or closed, by path. */
  readonly #set = new Map<string, boolean>();
  #openLevels = Number.POSITIVE_INFINITY;
  #focused = '';
  #chosen = '';

  constructor(events: TreeEvents) {
    this.#events = events;
    this.element = el('div', { role: 'tree', 'aria-label': 'Changed objects', class: 'tree' });
    this.#scroller = el('div', { class: 'tree-scroller' }, this.element);
    this.#scroller.addEventListener('scroll', () => this.#draw());
    this.element.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => this.#draw()).observe(this.#scroller);
  }

  get scroller(): HTMLElement {
    return this.#scroller;
  }

  /** `found`: all results are visible. */
  show(items: readonly Item[], how: 'all' | 'found'): void {
    this.#nodes = treeOf(items);
    this.#openLevels = how === 'all' && items.length > manyItems ? 1 : Number.POSITIVE_INFINITY;
    if (how === 'found') this.#set.clear();
    this.#layOut();
    this.#scroller.scrollTop = 0;
    this.#draw();
  }

  choose(hash: string): void {
    this.#chosen = hash;
    const path = pathTo(this.#nodes, hash);
    if (path.length > 0) {
      for (const node of path.slice(0, -1)) this.#set.set(node.path, true);
      this.#focused = path.at(-1)?.path ?? '';
      this.#layOut();
      this.#reveal();
    }
    this.#draw();
  }

  #isOpen(node: TreeNode): boolean {
    return this.#set.get(node.path) ?? node.level <= this.#openLevels;
  }

  #layOut(): void {
    this.#rows = visibleRows(this.#nodes, (node) => this.#isOpen(node));
    if (!this.#rows.some(({ path }) => path === this.#focused)) this.#focused = this.#rows[0]?.path ?? '';
  }

  #draw(): void {
    const { scrollTop, clientHeight } = this.#scroller;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - beyond);
    const last = Math.min(
      this.#rows.length,
      Math.ceil((scrollTop + (clientHeight || 800)) / rowHeight) + beyond,
    );
    const hadFocus = this.element.contains(document.activeElement);
    this.element.style.paddingTop = `${first * rowHeight}px`;
    this.element.style.paddingBottom = `${(this.#rows.length - last) * rowHeight}px`;
    fill(
      this.element,
      this.#rows.slice(first, last).map((node) => this.#row(node)),
    );
    if (hadFocus) this.#focusRow();
  }

  #row(node: TreeNode): HTMLElement {
    const { label, level, items, children, count, place, siblings, path } = node;
    const isOpen = this.#isOpen(node);
    const [first] = items;
    const row = el(
      'div',
      {
        role: 'treeitem',
        class: `row${items.some(isChosen(this.#chosen)) ? ' chosen' : ''}`,
        'aria-level': level,
        'aria-setsize': siblings,
        'aria-posinset': place,
        'aria-expanded': children.length > 0 ? String(isOpen) : undefined,
        'aria-selected': String(items.some(isChosen(this.#chosen))),
        tabindex: path === this.#focused ? 0 : -1,
        title: path,
      },
      el('span', { class: 'twist', 'aria-hidden': 'true' }, children.length === 0 ? '' : isOpen ? '▾' : '▸'),
      items.map(({ change: { action } }) =>
        el('span', { class: `sign ${action}`, 'aria-hidden': 'true' }, signs[action]),
      ),
      // Names from several elements get spaces between them.
      spoken(label + spokenRow(node)),
      labelOf(label, first?.change.action ?? 'group'),
      marksOf(items),
      children.length > 0 && el('span', { class: 'inside', 'aria-hidden': 'true' }, String(count)),
    );
    row.style.setProperty('--level', String(level));
    row.addEventListener('click', (event) => {
      this.#focused = path;
      const isTwist = event.target instanceof Element && event.target.classList.contains('twist');
      if (first !== undefined && !isTwist) this.#events.open(first);
      else if (children.length > 0) this.#toggle(node);
      this.#focusRow();
    });
    return row;
  }

  #toggle(node: TreeNode): void {
    this.#set.set(node.path, !this.#isOpen(node));
    this.#layOut();
    this.#draw();
  }

  #key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = this.#rows.findIndex(({ path }) => path === this.#focused);
    const node = this.#rows[at];
    if (node === undefined || !this.#act(event.key, at, node)) return;
    event.preventDefault();
  }

  /** True if the key has a function. */
  #act(key: string, at: number, node: TreeNode): boolean {
    const page = Math.max(1, Math.floor(this.#scroller.clientHeight / rowHeight) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: this.#rows.length - 1,
      PageDown: Math.min(this.#rows.length - 1, at + page),
      PageUp: Math.max(0, at - page),
    };
    const target = steps[key];
    if (target !== undefined) this.#focusAt(target);
    else if (key === 'ArrowRight') this.#inward(at, node);
    else if (key === 'ArrowLeft') this.#outward(at, node);
    else if (key === 'Enter' || key === ' ') this.#enter(node);
    else return false;
    return true;
  }

  #inward(at: number, node: TreeNode): void {
    if (node.children.length === 0) return;
    if (this.#isOpen(node)) this.#focusAt(at + 1);
    else this.#toggle(node);
  }

  #outward(at: number, node: TreeNode): void {
    if (node.children.length > 0 && this.#isOpen(node)) this.#toggle(node);
    else {
      const above = this.#rows.slice(0, at).findLastIndex(({ level }) => level < node.level);
      if (above >= 0) this.#focusAt(above);
    }
  }

  #enter(node: TreeNode): void {
    const [first] = node.items;
    if (first !== undefined) this.#events.open(first);
    else this.#toggle(node);
  }

  #focusAt(at: number): void {
    const row = this.#rows[at];
    if (row === undefined) return;
    this.#focused = row.path;
    this.#reveal();
    this.#draw();
    this.#focusRow();
  }

  #focusRow(): void {
    this.element.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  /** Scrolls no further than needed. */
  #reveal(): void {
    const at = this.#rows.findIndex(({ path }) => path === this.#focused);
    if (at < 0) return;
    const { scrollTop, clientHeight } = this.#scroller;
    const top = at * rowHeight;
    if (top < scrollTop) this.#scroller.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight)
      this.#scroller.scrollTop = top + rowHeight - clientHeight;
  }
}

/** The end of a long chain matters: only the part before it is cut. */
function labelOf(label: string, className: string): HTMLElement {
  const last = label.lastIndexOf('/') + 1;
  return el(
    'span',
    { class: `label ${className}`, 'aria-hidden': 'true' },
    last > 0 && el('span', { class: 'label-start' }, label.slice(0, last)),
    el('span', { class: 'label-end' }, label.slice(last)),
  );
}

function isChosen(hash: string): (item: Item) => boolean {
  return (item) => item.hash === hash;
}

function pathTo(nodes: readonly TreeNode[], hash: string): readonly TreeNode[] {
  for (const node of nodes) {
    if (node.items.some(isChosen(hash))) return [node];
    const inner = pathTo(node.children, hash);
    if (inner.length > 0) return [node, ...inner];
  }
  return [];
}

function marksOf(items: readonly Item[]): readonly HTMLElement[] {
  const has = (fits: (item: Item) => boolean, sign: string, name: string) =>
    items.some(fits) ? [el('span', { class: `mark ${name}`, 'aria-hidden': 'true' }, sign)] : [];
  return [
    ...has(({ change }) => change.risks.length > 0, '!', 'risk'),
    ...has(({ change }) => change.group === 'drift', 'drift', 'drift'),
    ...has(({ change }) => change.isRefused, '✗', 'refused'),
  ];
}

function spokenRow({ items, children, count }: TreeNode): string {
  const what = items.map(({ change }) => {
    const marks = [
      ...(change.risks.length > 0 ? [countText(change.risks.length, 'risk')] : []),
      ...(change.group === 'drift' ? ['drift'] : []),
      ...(change.isRefused ? ['refused'] : []),
    ];
    return [done[change.action], ...marks].join(', ');
  });
  const inside = children.length > 0 ? [countText(count, 'change')] : [];
  return [...what, ...inside].map((text) => `, ${text}`).join('');
}

export function drawerButton(toggle: () => void, count: number): HTMLButtonElement {
  return button(
    { class: 'drawer-button', 'aria-expanded': 'false', 'aria-controls': 'nav' },
    toggle,
    `☰ List and search (${count})`,
  );
}
