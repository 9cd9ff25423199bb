import { button, el } from './dom.ts';

export interface Tab {
  readonly name: string;
  readonly label: string;
  readonly make: () => HTMLElement;
}

export class TabView {
  readonly bar: HTMLElement;
  readonly panels: HTMLElement;
  readonly #tabs: readonly Tab[];
  readonly #made = new Set<string>();
  readonly #buttons = new Map<string, HTMLElement>();
  readonly #byName = new Map<string, HTMLElement>();

  constructor(tabs: readonly Tab[], onSelect: (name: string) => void) {
    this.#tabs = tabs;
    for (const { name, label } of tabs) {
      const attributes = { role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}` };
      this.#buttons.set(
        name,
        button(attributes, () => onSelect(name), label),
      );
      const panel = el('div', {
        role: 'tabpanel',
        id: `panel-${name}`,
        'aria-labelledby': `tab-${name}`,
        class: 'panel',
      });
      this.#byName.set(name, panel);
    }
    this.bar = el('div', { role: 'tablist', class: 'tabs', 'aria-label': 'Views' }, [
      ...this.#buttons.values(),
    ]);
    this.panels = el('div', { class: 'panels' }, [...this.#byName.values()]);
    this.bar.addEventListener('keydown', (event) => this.#key(event, onSelect));
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  select(name: string): HTMLElement | undefined {
    for (const tab of this.#tabs) {
      const isChosen = tab.name === name;
      const own = this.#buttons.get(tab.name);
      own?.setAttribute('aria-selected', String(isChosen));
      own?.setAttribute('tabindex', isChosen ? '0' : '-1');
      const panel = this.#byName.get(tab.name);
      if (panel === undefined) continue;
      panel.hidden = !isChosen;
      if (!isChosen || this.#made.has(name)) continue;
      this.#made.add(name);
      panel.append(tab.make());
    }
    return this.#byName.get(name);
  }

  #key(event: KeyboardEvent, onSelect: (name: string) => void): void {
    const names = this.#tabs.map(({ name }) => name);
    const at = names.findIndex((name) => this.#buttons.get(name) === document.activeElement);
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: names.length - 1,
    };
    const target = steps[event.key];
    if (at < 0 || target === undefined) return;
    const name = names[(target + names.length) % names.length] ?? '';
    event.preventDefault();
    onSelect(name);
    this.#buttons.get(name)?.focus();
  }
}
