import { button, el, fill } from './dom.ts';
import { type Filter, filters, type PlanModel, type Query } from './model.ts';
import { countText } from './words.ts';

/** Milliseconds without input before a search, so that typing stays fast. */
const quiet = 80;

export class SearchBar {
  readonly element: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #status: HTMLElement;
  readonly #active = new Set<string>();
  readonly #onChange: (query: Query) => void;
  #timer = 0;

  constructor(model: PlanModel, onChange: (query: Query) => void) {
    this.#onChange = onChange;
    this.#input = el('input', {
      type: 'search',
      id: 'search',
      placeholder: 'Address, text or value',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-keyshortcuts': '/',
    });
    this.#status = el('p', { class: 'status', role: 'status' });
    this.#input.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => this.#changed(), quiet);
    });
    const offered = filters
      .map((filter) => ({ filter, count: model.items.filter(({ change }) => filter.fits(change)).length }))
      .filter(({ count }) => count > 0);
    this.element = el(
      'search',
      {},
      el('label', { for: 'search', class: 'spoken' }, 'Search changes'),
      this.#input,
      el(
        'div',
        { class: 'chips', role: 'group', 'aria-label': 'Filters' },
        offered.map(({ filter, count }) => this.#chip(filter, count)),
      ),
      this.#status,
    );
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  found(count: number, all: number): void {
    fill(this.#status, count === all ? '' : `${countText(count, 'change')} of ${all}`);
  }

  #chip({ name, label, isDanger }: Filter, count: number): HTMLElement {
    const chip = button(
      { class: isDanger ? 'chip dangerous' : 'chip', 'aria-pressed': 'false', 'data-filter': name },
      () => {
        if (this.#active.has(name)) this.#active.delete(name);
        else this.#active.add(name);
        chip.setAttribute('aria-pressed', String(this.#active.has(name)));
        this.#changed();
      },
      label,
      el('span', { class: 'number' }, ` ${count}`),
    );
    return chip;
  }

  #changed(): void {
    this.#onChange({ text: this.#input.value, active: this.#active });
  }
}
