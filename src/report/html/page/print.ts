/** The plan on paper: the overview and every change in full, one after the other. */
import { objectDetails } from './details.ts';
import { el, fill } from './dom.ts';
import type { Item, PlanModel } from './model.ts';
import { overview } from './overview.ts';
import { sitesPart } from './site.ts';
import { countText } from './words.ts';

/** More objects than this would be a book. */
const mostPrinted = 1000;

/** Fills a part of the page for printing, and empties it afterwards. */
export function printable(model: PlanModel, head: () => Node): HTMLElement {
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
