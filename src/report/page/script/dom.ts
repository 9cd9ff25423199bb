/** Creates elements. Texts are only set as text: nothing in a plan can become an element or a script. */

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type Child = Node | string | undefined | false;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Child | readonly Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  addChildren(element, children.flat());
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  addChildren(element, children);
  return element;
}

export function fill(element: Element, ...children: readonly (Child | readonly Child[])[]): void {
  element.textContent = '';
  addChildren(element, children.flat());
}

export function button(
  attributes: Attributes,
  onClick: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const made = el('button', { type: 'button', ...attributes }, ...children);
  made.addEventListener('click', onClick);
  return made;
}

/** May break after each slash. */
export function addressText(address: string): HTMLElement {
  const parts = address.split('/');
  return el(
    'bdi',
    { class: 'address' },
    parts.flatMap((part, at) => (at < parts.length - 1 ? [`${part}/`, el('wbr')] : [part])),
  );
}

/** For screen readers only. */
export function spoken(text: string): HTMLElement {
  return el('span', { class: 'spoken' }, text);
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
}

function addChildren(element: Element, children: readonly Child[]): void {
  for (const child of children) if (child !== undefined && child !== false) element.append(child);
}
