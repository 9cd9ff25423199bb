/** Filters the changes by address and danger, opens what a link names, and opens everything for paper. All of the page is there without it. */
(() => {
  const byId = (id) => document.getElementById(id);
  const above = (element, selector) => element.parentElement?.closest(selector) ?? undefined;

  /** Parents of shown objects stay, dimmed. */
  function filter({ items, search, dangerous, status }) {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isActive = words.length > 0 || dangerous.checked;
    const kept = new Set();
    let count = 0;
    // Children come before their parents this way.
    for (const item of items.toReversed()) {
      const { address = '', first, dangerous: danger } = item.dataset;
      const fits =
        address !== '' &&
        words.every((word) => address.toLowerCase().includes(word)) &&
        (danger !== undefined || !dangerous.checked);
      if (fits && first !== undefined) count += 1;
      if (fits) kept.add(item);
      const parent = above(item, 'li');
      if (kept.has(item) && parent !== undefined) kept.add(parent);
      item.hidden = !kept.has(item);
      item.classList.toggle('context', !fits && address !== '');
      if (isActive && address === '' && kept.has(item)) item.firstElementChild.open = true;
    }
    const total = items.filter(({ dataset }) => dataset.first !== undefined).length;
    const objects = total === 1 ? 'object' : 'objects';
    document.body.classList.toggle('filtered', isActive);
    status.textContent = isActive ? `${count} of ${total} ${objects}` : `${total} ${objects}`;
  }

  const form = byId('!filter');
  const parts = {
    items: [...document.querySelectorAll('.tree > li')],
    search: byId('!search'),
    dangerous: byId('!dangerous'),
    status: byId('!status'),
  };
  if (form !== null) {
    form.hidden = false;
    form.addEventListener('input', () => filter(parts));
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
      parts.dangerous.checked = false;
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
