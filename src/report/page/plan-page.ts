/** A plan as one file that needs no network. External texts never become markup: only the page's own script may run (decision 037). Pure. */

import type { ObjectChange } from '../../review/object-changes.ts';
import { shortDigest } from '../../review/plan-document.ts';
import { unmanagedByDanger } from '../../review/reviewed-plan.ts';
import { countOf, someOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { lineText } from '../../util/places.ts';
import { rememberedIn } from '../../util/remembered.ts';
import { type Block, line, list, table } from '../blocks.ts';
import { actionSigns, actionsIn } from '../plan/change-lines.ts';
import { alikeText, type ChangeEntry, countIn, foldAlike, longPlan } from '../plan/change-tree.ts';
import { conflictTexts } from '../plan/dangers.ts';
import type { DigestedPlan } from '../plan/json.ts';
import type { PartDetail } from '../plan/parts.ts';
import { type OrganizationView, type PlanView, refusalBlocks, viewPlan } from '../plan/plan-view.ts';
import { cutText } from '../results/rehearsal.ts';
import type { LongView, ReportContext } from '../view.ts';
import { blockHtml, type LinkOf } from './document-page.ts';
import { type HtmlPart, html, type Markup, pageStart } from './html.ts';
import { hrefOf, objectPart, type PageObject } from './object-part.ts';
import { pageScript, pageScriptHash } from './page-assets.ts';
import { requestItems } from './requests.ts';
import { type SiteEntry, type SiteView, siteViews } from './site-view.ts';

/** Groups of longer plans are initially closed. */
const longPage = 200;
/** More sites are initially closed, because the changes are below them. */
const longNavigation = 3;

export const planHtml: LongView<DigestedPlan> = function* (digested, { context = {} }) {
  const view = viewPlan(digested.plan);
  const page = new PlanPage(view);
  yield `${pageStart(titleOf(view), [pageScriptHash])}${page.head(digested, context)}<main>\n`;
  for (const organization of view.organizations) yield* page.organization(organization);
  yield `</main>\n<script>${pageScript}</script>\n</body>\n</html>\n`;
};

function titleOf({ organizations: [first, ...more], isDrift }: PlanView): string {
  const who = more.length === 0 ? (first?.name ?? '') : countOf(more.length + 1, 'organization');
  return `${isDrift ? 'Drift of' : 'Plan for'} ${who}`;
}

class PlanPage {
  readonly #view: PlanView;
  readonly #objects = new Map<ObjectChange, PageObject>();
  readonly #ids = new Set<string>();
  /** Number of objects, not of their parts: each counts once in every number on the page. */
  readonly #total: number;
  readonly #dangerous: number;

  constructor(view: PlanView) {
    this.#view = view;
    for (const organization of view.organizations) this.#collect(organization);
    const objects = [...this.#objects.values()].filter(({ id, first }) => id === first);
    this.#total = objects.length;
    this.#dangerous = objects.filter(({ isDangerous }) => isDangerous).length;
  }

  #collect({ prefix, groups, dangers, plan }: OrganizationView): void {
    const changes = groups.flatMap((group) => group.changes);
    const keyOf = ({ address, action }: ObjectChange) => `${address} ${action}`;
    const dangerous = new Set(dangers.flatMap((danger) => danger.changes).map(keyOf));
    const forbidden = new Set(plan.refusals.flatMap(({ steps }) => steps));
    const refused = new Set([
      ...plan.refusals.map(({ address }) => address),
      ...plan.steps.filter(({ id }) => forbidden.has(id)).map(({ address }) => address),
    ]);
    const requests = requestItems(plan);
    const firsts = new Map<string, string>();
    for (const change of changes) {
      const key = keyOf(change);
      const id = this.#unique(prefix + change.address);
      const first = rememberedIn(firsts, key, () => id);
      this.#objects.set(change, {
        ...{ change, id, first },
        isDangerous: dangerous.has(key),
        isRefused: refused.has(change.address),
        requests: id === first ? (requests.get(key) ?? []) : [],
      });
    }
  }

  #unique(id: string): string {
    let own = id;
    while (this.#ids.has(own)) own += '~';
    this.#ids.add(own);
    return own;
  }

  head({ digests, rehearsal }: DigestedPlan, { head, run, time }: ReportContext): Markup {
    const { organizations, bases, binding, closing, isDrift, isEmpty, requests, scope } = this.#view;
    const facts = defined({
      service: organizations[0]?.service,
      overlay: organizations[0]?.overlay,
      base: bases.length === 0 ? undefined : bases.slice(0, 3).join(', '),
      head: head?.slice(0, 7),
      digest: shortDigest(digests.digest),
      sends: requests,
      made: time,
      run: run?.startsWith('https://') ? html`<a href="${run}" rel="noreferrer">pipeline</a>` : undefined,
    });
    const rehearsed = rehearsal?.converges
      ? 'Rehearsed on a copy: every step succeeds, and the next plan is empty.'
      : 'Rehearsed on a copy: the rehearsal failed.';
    const notices = [
      ...binding.map((text) => `Approval ${text}`),
      ...scope,
      rehearsal && rehearsed,
      rehearsal?.cuts && `${cutText(rehearsal.cuts)}.`,
    ].filter((text) => text !== undefined);
    // The counts say the same as the first sentence about changes.
    const sentences = [...closing.does.slice(isDrift || isEmpty ? 0 : 1), ...closing.earlier];
    return html`<header>
<h1>${titleOf(this.#view)}</h1>
<ul class="counts" aria-label="Counts">${this.#counts()}</ul>
<dl class="facts">${Object.entries(facts).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${sentences.map((text) => html`<p>${text}</p>`)}${notices.map((text) => html`<p class="notice">${text}</p>`)}
<search id="!filter" hidden>
<label>Search addresses <input type="search" id="!search"></label>
<span role="status" id="!status">${countOf(this.#total, 'object')}</span>
</search>
</header>
`;
  }

  #counts(): readonly Markup[] {
    const { counts, changed, unmanaged } = this.#view;
    const { conflicts, drift, refused } = changed;
    return [
      ...(unmanaged === '' ? [] : [['moved', unmanaged]]),
      ...actionsIn(counts).map((action) => [
        actionSigns[action].as,
        `${actionSigns[action].text} ${counts[action]} ${action}`,
        action,
      ]),
      ...(this.#dangerous > 0 ? [['removed', `! ${this.#dangerous} dangerous`, 'dangerous']] : []),
      ...(conflicts > 0 ? [['removed', countOf(conflicts, 'conflict'), 'conflict']] : []),
      ...(drift > 0 ? [['moved', `${drift} drift`, 'drift']] : []),
      ...(refused > 0 ? [['removed', `✗ ${refused} refused`, 'refused']] : []),
    ].map(([style = '', text, mark]) => {
      const box = mark && html`<label><input type="checkbox" value="${mark}" hidden> ${text}</label>`;
      return html`<li class="${style}">${box ?? text}</li>`;
    });
  }

  *organization(view: OrganizationView): Generator<string> {
    const { name, prefix, base, kinds, groups, plan } = view;
    const known = new Set(groups.flatMap(({ changes }) => changes.map(({ address }) => address)));
    const linkOf: LinkOf = (text) => (known.has(text) ? hrefOf(prefix + text) : undefined);
    const sites = siteViews(plan);
    const sides = sites.map((site) => sitePart(site, linkOf));
    const names = someOf(
      sites.map(({ address }) => address),
      longNavigation,
    );
    yield String(html`<section>
<h2>${prefix === '' ? 'Overview' : `Organization ${name}${base === undefined ? '' : `, base ${base}`}`}</h2>
<div class="around"><p class="faint">${kinds}</p>${warnings(view, linkOf)}${part('Sites before and after', sites.length > longNavigation ? [folded(names, sides)] : sides)}</div>
`);
    for (const { heading = 'Changes', entries } of groups) {
      yield String(html`<h3 id="${this.#unique('!changes')}">${heading}</h3>\n`);
      yield* this.#tree(this.#total > longPlan ? foldAlike(entries, 'value') : entries);
    }
    yield String(html`<div class="around">${remainder(view)}</div></section>\n`);
  }

  *#tree(entries: readonly ChangeEntry[]): Generator<string> {
    yield '<ul class="tree">';
    for (const entry of entries) {
      const { change, label, children, alike } = entry;
      const object = change && this.#objects.get(change);
      if (object === undefined) {
        const isOpen = this.#total <= longPage;
        const count = countOf(countIn(entry), 'change');
        const summary = html`<summary><bdi>${label}</bdi> <span class="faint">${count}</span></summary>`;
        yield String(html`<li><details${isOpen && html` open`}>${summary}`);
      } else {
        const marks = marksOf(object).join(' ');
        yield String(
          html`<li data-address="${object.change.address}" data-object="${object.first}" data-marks="${marks}">${objectPart(object, label)}\n`,
        );
      }
      if (children.length > 0) yield* this.#tree(children);
      yield object === undefined ? '</details></li>\n' : '</li>\n';
      if (alike.length === 0) continue;
      const text = alikeText([change, ...alike.map((one) => one.change)]);
      const labels = alike.map((one) => one.label);
      yield String(
        html`<li><details><summary>${text} <span class="faint">${someOf(labels, 10)}</span></summary>`,
      );
      yield* this.#tree(alike);
      yield '</details></li>\n';
    }
    yield '</ul>\n';
  }
}

function marksOf({ change, isDangerous, isRefused }: PageObject): readonly string[] {
  return [
    change.action,
    ...(isDangerous ? ['dangerous'] : []),
    ...(conflictTexts(change).length > 0 ? ['conflict'] : []),
    ...(change.group === 'drift' ? ['drift'] : []),
    ...(isRefused ? ['refused'] : []),
  ];
}

function sitePart({ address, before, after, isUncertain }: SiteView, linkOf: LinkOf): Markup {
  const side = (name: string, root: SiteEntry | undefined, nothing: string) =>
    html`<div class="side"><h4>${name}</h4>${root === undefined ? html`<p class="faint">${nothing}</p>` : entryList([root], linkOf)}</div>`;
  return html`<section aria-label="${address}"><p><strong>${after?.title ?? before?.title}</strong> ${linked(address, address, linkOf)}</p>${
    isUncertain &&
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

function part(title: string, content: readonly HtmlPart[]): HtmlPart {
  return content.length > 0 && html`<h3>${title}</h3>\n${content}\n`;
}

function folded(title: string, content: HtmlPart, state: 'open' | 'closed' = 'closed'): HtmlPart {
  return html`<details${state === 'open' && html` open`}><summary>${title}</summary>${content}</details>`;
}

function warnings(
  { parts, plan, dangers, refusals, refusalTitle }: OrganizationView,
  linkOf: LinkOf,
): HtmlPart {
  const shown = (...blocks: readonly Block[]) => blocks.map((block) => blockHtml(block, linkOf));
  const detail = ({ title, rows, lines = [], atOnce }: PartDetail) => {
    const cells = rows?.map(({ names, change, on = [] }) => [
      names.join(', '),
      change,
      ...(on.length === 0 ? [] : [on.flatMap((one) => [one, ' '])]),
    ]);
    const content = shown(cells ? table(cells) : { type: 'code', lines, language: 'yaml' });
    return folded(title, content, (rows ?? lines).length <= atOnce ? 'open' : 'closed');
  };
  const dangerRows = dangers.map(({ action, what, texts, of }) => [
    [
      ...(action === undefined
        ? []
        : [{ text: `${actionSigns[action].text} ${action} `, as: actionSigns[action].as }]),
      what,
    ],
    [texts.join('; '), ...of.flatMap(({ address, about }) => [' ', address, about])],
  ]);
  const none = line('Nothing is deleted or replaced, and nothing carries a known risk.');
  const isHarmless = plan.steps.length > 0 && parts.length + dangers.length === 0;
  return [
    parts.map(({ title, summary, lines = [], details = [] }) =>
      part(title, [
        shown(line(summary.join(' · ')), ...(lines.length > 0 ? [list(lines)] : [])),
        details.map(detail),
      ]),
    ),
    part('Dangerous', isHarmless ? shown(none) : dangers.length === 0 ? [] : shown(table(dangerRows))),
    part(
      refusalTitle,
      refusals.map((group) => shown(...refusalBlocks(group))),
    ),
  ];
}

function remainder({ policy, plan, unchanged }: OrganizationView): HtmlPart {
  const unmanaged = unmanagedByDanger(plan);
  const shown = (block: Block) => [blockHtml(block)];
  const notes = plan.notes.map(({ severity, message, at, suggestion = '' }) => ({
    line: `${severity}: ${message}${at === undefined ? '' : ` (${lineText(at)})`}`,
    below: suggestion.split('\n'),
  }));
  const rows = unmanaged.map(({ noun, title, address, risk }) => [
    `${noun} ${JSON.stringify(title)}`,
    address,
    risk === undefined ? '' : `! ${risk}`,
  ]);
  return [
    part('Management changes (no requests)', policy.length === 0 ? [] : shown(list(policy))),
    part('Notes', notes.length === 0 ? [] : shown({ type: 'list', items: notes })),
    unmanaged.length > 0 &&
      folded(
        `${countOf(unmanaged.length, 'unmanaged object')}: live in declared collections, but in no manifest`,
        shown(table(rows)),
      ),
    unchanged.length > 0 &&
      html`<p class="faint">${countOf(unchanged.length, 'declared object')} unchanged</p>`,
  ];
}
