/** Filters the changes by address and by the counts, opens what a link names, and opens everything for paper. All of the page is there without it. */
(() => {
  const byId = (id) => document.getElementById(id);
  const above = (element, selector) => element.parentElement?.closest(selector) ?? undefined;

  /** Parents of shown objects stay, dimmed. */
  function filter({ items, search, counts, status }) {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = counts.filter(({ checked }) => checked).map(({ value }) => value);
    const isActive = words.length + chosen.length > 0;
    const kept = new Set();
    const found = new Set();
    // Children come before their parents this way.
    for (const item of items.toReversed()) {
      const { address = '', object, marks = '' } = item.dataset;
      const fits =
        address !== '' &&
        words.every((word) => address.toLowerCase().includes(word)) &&
        (chosen.length === 0 || marks.split(' ').some((mark) => chosen.includes(mark)));
      if (fits) {
        kept.add(item);
        found.add(object);
      }
      const parent = above(item, 'li');
      if (kept.has(item) && parent !== undefined) kept.add(parent);
      item.hidden = !kept.has(item);
      item.classList.toggle('context', !fits && address !== '');
      if (isActive && address === '' && kept.has(item)) item.firstElementChild.open = true;
    }
    const total = new Set(items.flatMap(({ dataset }) => dataset.object ?? [])).size;
    const objects = total === 1 ? 'object' : 'objects';
    document.body.classList.toggle('filtered', isActive);
    status.textContent = isActive ? `${found.size} of ${total} ${objects}` : `${total} ${objects}`;
  }

  const form = byId('!filter');
  const parts = {
    items: [...document.querySelectorAll('.tree > li')],
    search: byId('!search'),
    counts: [...document.querySelectorAll('.counts input')],
    status: byId('!status'),
  };
  if (form !== null) {
    for (const one of [form, ...parts.counts]) one.hidden = false;
    form.closest('header').addEventListener('input', () => filter(parts));
    addEventListener('keydown', (event) => {
      const isTyping = event.target instanceof HTMLInputElement && event.target.type === 'search';
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      parts.search.focus();
    });
  }

  /** Not all browsers open what contains the target of a link. */
  function reveal() {
    const target = document.querySelector(':target');
    if (target === null) return;
    if (form !== null && target.closest('li[hidden]') !== null) {
      parts.search.value = '';
      for (const one of parts.counts) one.checked = false;
      filter(parts);
    }
    for (let at = target.closest('details'); at; at = above(at, 'details')) at.open = true;
    target.scrollIntoView();
  }
  addEventListener('hashchange', reveal);
  reveal();

  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    for (const one of opened) one.open = true;
  });
  addEventListener('afterprint', () => {
    for (const one of opened) one.open = false;
  });
})();
