/**
 * A plan as one page that needs nothing else: no network, no other file. What others wrote is in it as data only, and
 * the page's content security policy lets no script run but its own (decision 051). Pure.
 */
import type { Action } from '../../plan/plan.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { shortDigest } from '../plan-json.ts';
import type { ReportContext, TextOptions } from '../plan-text.ts';
import {
  type MarkedPlan,
  type OrganizationView,
  type PlanView,
  requestsText,
  viewPlan,
} from '../plan-view.ts';
import { quote, safeText } from '../safe-text.ts';
import { siteViews } from '../site-view.ts';
import type { LongView } from '../view.ts';
import { pageScript, pageScriptHash, pageStyle, pageStyleHash } from './page-assets.ts';
import { pageChanges } from './page-changes.ts';
import type { PageData, PageFact, PageNote, PageOrganization } from './page-data.ts';
import { pageSteps } from './page-requests.ts';

/** A marked plan as a page. */
export const planHtml: LongView<MarkedPlan> = function* (marked, options) {
  const view = viewPlan(marked.plan);
  yield pageHead(titleOf(view));
  yield* dataPieces(view, marked, options);
  yield `</script>\n<script>${pageScript}</script>\n</body>\n</html>\n`;
};

/** The data of the page as JSON, in pieces that can be inside of a script element. */
function* dataPieces(
  view: PlanView,
  { marks, rehearsal }: MarkedPlan,
  { context = {} }: TextOptions,
): Generator<string> {
  const { counts, closing, requests } = view;
  const present = (Object.keys(counts) as Action[]).filter((action) => counts[action] > 0);
  const head: Omit<PageData, 'organizations'> = {
    title: titleOf(view),
    counts: present.map((action) => [action, counts[action]]),
    facts: factsOf(view, shortDigest(marks.digest), context),
    notices: [
      ...Object.values(defined({ partial: view.partial, missingBase: view.missingBase })),
      ...(rehearsal === undefined
        ? []
        : [
            rehearsal.converges
              ? 'Rehearsed on a copy: every step succeeds, and the next plan is empty.'
              : 'Rehearsed on a copy: the rehearsal failed.',
          ]),
    ],
    closing: [...closing, ...(requests.writes === 0 ? [] : [`${requestsText(requests)}.`])],
  };
  yield `${embedded(head).slice(0, -1)},"organizations":[`;
  for (const [at, organization] of view.organizations.entries()) {
    if (at > 0) yield ',';
    yield `${embedded(organizationOf(organization)).slice(0, -1)},"changes":`;
    yield* listPieces(pageChanges(organization));
    yield ',"steps":';
    yield* listPieces(pageSteps(organization.plan));
    yield '}';
  }
  yield ']}';
}

function titleOf({ organizations, isDrift }: PlanView): string {
  const [first] = organizations;
  const who =
    organizations.length === 1 && first !== undefined
      ? first.name
      : countOf(organizations.length, 'organization');
  return `${isDrift ? 'Drift of' : 'Plan for'} ${who}`;
}

function factsOf({ organizations }: PlanView, digest: string, context: ReportContext): readonly PageFact[] {
  const bases = [...new Set(organizations.flatMap(({ base }) => base ?? []))];
  const { head, run, time } = context;
  const fact = (name: string, value: string | undefined): readonly PageFact[] =>
    value === undefined || value === '' ? [] : [{ name, value }];
  return [
    ...fact('base', bases.length === 0 ? undefined : bases.slice(0, 3).join(', ')),
    ...fact('head', head?.slice(0, 7)),
    ...fact('digest', digest),
    ...fact('made', time),
    ...(run?.startsWith('https://') === true ? [{ name: 'run', value: 'pipeline', link: run }] : []),
  ];
}

function organizationOf(view: OrganizationView): Omit<PageOrganization, 'changes' | 'steps'> {
  const { plan, name, id, base, changed, kinds, dangers, refusals, policy, unchanged, groups } = view;
  const addresses = new Set(plan.steps.map(({ address }) => address));
  return {
    name,
    about: [
      `Organization ${name}${id === undefined ? '' : ` (${id})`}`,
      ...(base === undefined ? [] : [`base ${base}`]),
    ].join(', '),
    changed: changed.change,
    drifted: changed.drift,
    conflicts: changed.conflicts,
    headings: Object.fromEntries(
      groups.flatMap(({ group, heading }) => (heading === undefined ? [] : [[group, heading]])),
    ),
    kinds,
    dangers: dangers.map(({ action, what, texts }) => ({
      action,
      what,
      texts,
      ...(addresses.has(what) ? { address: what } : {}),
    })),
    refusals: refusals.map(({ first, others }) => ({
      address: first.address,
      guard: first.guard,
      message: first.message,
      suggestion: linesOf(first.suggestion),
      others,
      isSkipped: first.skipped === true,
    })),
    policy,
    notes: plan.notes.map(
      ({ severity, message, at, suggestion }): PageNote => ({
        severity,
        message,
        ...defined({ at: at && `${at.file}:${at.line}` }),
        suggestion: linesOf(suggestion ?? ''),
      }),
    ),
    unmanaged: plan.unmanaged.map(({ address, noun, title, risk }) => ({
      address,
      what: `${noun} ${quote(title)}`,
      ...defined({ risk }),
    })),
    unchanged: unchanged.length,
    sites: siteViews(plan),
  };
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

function* listPieces(items: Iterable<unknown>): Generator<string> {
  let separator = '[';
  for (const item of items) {
    yield separator + embedded(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** A value as JSON that is safe for terminals and for script elements. */
function embedded(value: unknown): string {
  const json = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'string' ? safeText(inner) : inner,
  );
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function pageHead(title: string): string {
  const policy = [
    "default-src 'none'",
    `script-src '${pageScriptHash}'`,
    `style-src '${pageStyleHash}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="generator" content="octavo">',
    `<title>${markupText(safeText(title))}</title>`,
    `<style>${pageStyle}</style>`,
    '</head>',
    '<body>',
    '<div id="app"><noscript>This page shows a plan of Octavo with a script of its own. Allow scripts for this file, or make the plan as text: octavo plan.</noscript></div>',
    '<script type="application/json" id="plan">',
  ].join('\n');
}

function markupText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
