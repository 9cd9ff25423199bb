/** The navigation of sites before and after a plan, side by side. Pure. */
import type { OrganizationPlan } from '../../plan/plan.ts';
import type { LinkOf } from './document-page.ts';
import { type HtmlPart, html, type Markup } from './html.ts';
import { type SiteEntry, type SiteView, siteViews } from './site-view.ts';

export function siteParts(plan: OrganizationPlan, linkOf: LinkOf): readonly Markup[] {
  return siteViews(plan).map((site) => sitePart(site, linkOf));
}

function sitePart({ address, before, after, isUncertain }: SiteView, linkOf: LinkOf): Markup {
  const side = (name: string, root: SiteEntry | undefined, nothing: string) =>
    html`<div class="side"><h4>${name}</h4>${root === undefined ? html`<p class="faint">${nothing}</p>` : entryList([root], linkOf)}</div>`;
  return html`<section aria-label="${address}"><p><strong>${after?.title ?? before?.title}</strong> ${linked(address, address, linkOf)}</p>${
    isUncertain === true &&
    html`<p class="notice">The site gets its first section. The service decides what happens to spaces that are in no section.</p>`
  }<div class="sides">${side('Before', before, 'The site does not exist yet.')}${side('After', after, 'The site is deleted.')}</div></section>\n`;
}

function entryList(entries: readonly SiteEntry[], linkOf: LinkOf): HtmlPart {
  return entries.length > 0 && html`<ul>${entries.map((entry) => entryItem(entry, linkOf))}</ul>`;
}

const stateWords = { new: 'new', gone: 'removed', moved: 'moved', changed: 'changed' } as const;

function entryItem(entry: SiteEntry, linkOf: LinkOf): Markup {
  const { noun, title, address, path, isDefault, tags, states, differs = [], children } = entry;
  const name = linked(title, address, linkOf);
  const words = states.map((state) =>
    state === 'changed' && differs.length > 0 ? `changed: ${differs.join(', ')}` : stateWords[state],
  );
  const others = [
    ...(isDefault === true ? ['default'] : []),
    ...tags.map(([tag, value]) => `${tag}: ${value}`),
  ];
  return html`<li><div class="entry ${states.join(' ')}">${states.includes('gone') ? html`<del>${name}</del>` : name}<span class="spoken"> ${noun}</span>${
    path !== undefined && html` <code>/${path}</code>`
  }${words.map((word) => html` <strong class="tag">${word}</strong>`)}${others.map((other) => html` <span class="tag">${other}</span>`)}</div>${entryList(children, linkOf)}</li>`;
}

function linked(text: string, address: string | undefined, linkOf: LinkOf): Markup {
  const link = address === undefined ? undefined : linkOf(address);
  return link === undefined ? html`<bdi>${text}</bdi>` : html`<a href="${link}"><bdi>${text}</bdi></a>`;
}
