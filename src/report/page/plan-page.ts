/**
 * A plan as a self-contained page: no network, no other file. External texts are only data in it, and its content security
 * policy allows only its own script (decision 051). Pure.
 */

import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { countedUnmanaged } from '../plan/closing.ts';
import type { MarkedPlan } from '../plan/json.ts';
import { shortDigest } from '../plan/json.ts';
import { type PlanView, requestsText, viewPlan } from '../plan/plan-view.ts';
import { safeText } from '../text/safe-text.ts';
import type { LongView, ReportContext, TextOptions } from '../view.ts';
import { pageScript, pageScriptHash, pageStyle, pageStyleHash } from './page-assets.ts';
import { type PageData, pageChanges, pageOrganization } from './page-data.ts';
import { pageSteps } from './page-requests.ts';

export const planHtml: LongView<MarkedPlan> = function* (marked, options) {
  const view = viewPlan(marked.plan);
  yield pageHead(titleOf(view));
  yield* dataPieces(view, marked, options);
  yield `</script>\n<script>${pageScript}</script>\n</body>\n</html>\n`;
};

/** JSON in pieces that are safe inside a script element. */
function* dataPieces(
  view: PlanView,
  { marks, rehearsal }: MarkedPlan,
  { context = {} }: TextOptions,
): Generator<string> {
  const { counts, closing, requests } = view;
  const head: Omit<PageData, 'organizations'> = {
    title: titleOf(view),
    counts,
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
    unmanaged: countedUnmanaged(view.organizations.map(({ plan: one }) => one)),
    closing: [...closing, ...(requests.writes === 0 ? [] : [`${requestsText(requests)}.`])],
  };
  yield `${embedded(head).slice(0, -1)},"organizations":[`;
  for (const [at, organization] of view.organizations.entries()) {
    if (at > 0) yield ',';
    yield `${embedded(pageOrganization(organization)).slice(0, -1)},"changes":`;
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

function factsOf({ organizations }: PlanView, digest: string, context: ReportContext): PageData['facts'] {
  const bases = [...new Set(organizations.flatMap(({ base }) => base ?? []))];
  const { head, run, time } = context;
  const fact = (name: string, value: string | undefined): PageData['facts'] =>
    value === undefined || value === '' ? [] : [{ name, value }];
  return [
    ...fact('service', organizations[0]?.service),
    ...fact('base', bases.length === 0 ? undefined : bases.slice(0, 3).join(', ')),
    ...fact('head', head?.slice(0, 7)),
    ...fact('digest', digest),
    ...fact('made', time),
    ...(run?.startsWith('https://') === true ? [{ name: 'run', value: 'pipeline', link: run }] : []),
  ];
}

function* listPieces(items: Iterable<unknown>): Generator<string> {
  let separator = '[';
  for (const item of items) {
    yield separator + embedded(item);
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** JSON that is safe for terminals and script elements. */
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
