/** Plans for the page: a complete one with replaceable texts, and very long ones. */
import type { Refusal } from '../../../src/plan/plan.ts';
import type { NavigationEntry, ReviewedPlan } from '../../../src/review/reviewed-plan.ts';
import { defined } from '../../../src/util/defined.ts';
import { planOf, step } from '../plan-samples.ts';

/** Texts that must not become markup. */
export const hostile = [
  '</script><script>document.title="taken"</script>',
  '<img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '<!--<script>',
  '"><svg onload=alert(1)>',
  '\u2028\u2029\u202e\u001b[31m',
  '&lt;b&gt;&#60;b&#62;',
  '${alert(1)}`',
  ']]><style>*{display:none}</style>',
];

/** A plan in which this text is in every place that can come from outside. */
export function planWith(text: string): ReviewedPlan {
  const site = 'sites/hub';
  const section = (key: string) => `${site}/sections/${key}`;
  const entry = (
    given: Partial<NavigationEntry> & {
      readonly id: string;
    },
  ) => ({
    kind: 'section',
    noun: 'section',
    parent: 'site_1',
    fields: { title: text, path: text },
    ...given,
  });
  return planOf({
    label: text,
    withBase: true,
    base: { name: text },
    steps: [
      step({
        address: `teams/${text.replaceAll('/', '')}`,
        kind: 'team',
        noun: 'team',
        action: 'update',
        phase: 'update',
        cause: 'changed',
        at: { file: text, line: 3, column: 1, endLine: 3, endColumn: 2 },
        reason: text,
        risks: [{ text }],
        fields: [
          { field: 'title', before: text, after: `${text}!`, cause: 'conflict', base: text },
          { field: 'notes', before: `one\n${text}\nthree`, after: `one\n${text}?\nthree` },
        ],
        calls: [
          {
            operation: 'teams.update',
            params: { organizationId: 'org_acme', teamId: text },
            body: { title: text },
          },
        ],
      }),
      step({
        address: 'spaces/gone',
        kind: 'space',
        noun: 'space',
        title: text,
        liveId: 'sp_gone',
        action: 'delete',
        phase: 'delete',
        cause: 'changed',
        risks: [{ text }],
        cascade: [{ kind: 'siteSpace', noun: 'site-space', id: 's', title: text }],
        calls: [{ operation: 'spaces.delete', params: { spaceId: 'sp_gone' } }],
      }),
      step({
        address: section('api'),
        kind: 'section',
        noun: 'section',
        liveId: 'sec_api',
        action: 'move',
        phase: 'move',
        cause: 'drift',
        reason: text,
        needs: ['spaces/gone#delete'],
        calls: [
          {
            operation: 'sections.move',
            params: { organizationId: 'org_acme', siteId: 'site_1', siteSectionId: 'sec_api' },
            body: { position: { before: { type: 'site-section', siteSection: 'sec_guides' } } },
            unlessPlaced: {
              container: { kind: 'site', id: 'site_1' },
              before: { kind: 'section', id: text },
            },
          },
        ],
      }),
      step({
        address: section('new'),
        kind: 'section',
        noun: 'section',
        action: 'create',
        phase: 'create',
        cause: 'changed',
        fields: [{ field: 'title', after: text }],
        calls: [
          {
            operation: 'sections.create',
            params: { organizationId: 'org_acme', siteId: 'site_1' },
            body: { title: text },
          },
        ],
      }),
      step({
        address: section(`id=sec_old`),
        kind: 'section',
        noun: 'section',
        title: text,
        liveId: 'sec_old',
        action: 'delete',
        phase: 'delete',
        cause: 'changed',
        calls: [],
      }),
    ],
    navigation: [
      {
        address: site,
        kinds: ['section', 'siteSpace'],
        titles: { 'spaces/one': text },
        parts: { title: ['title'], path: ['path', 'basename'], first: ['default'], internal: ['type'] },
        entries: [
          {
            kind: 'site',
            noun: 'site',
            id: 'site_1',
            address: site,
            fields: { title: text, basename: text },
          },
          entry({ id: 'sec_guides', address: section('guides') }),
          entry({
            id: 'sp_one',
            kind: 'siteSpace',
            noun: 'site-space',
            parent: 'sec_guides',
            fields: { space: { $id: 'spaces/one' }, condition: text },
          }),
          entry({ id: 'sec_old' }),
          entry({ id: 'sec_api', address: section('api') }),
        ],
      },
    ],
    unmanaged: [{ address: text, kind: 'member', noun: 'member', id: 'm', title: text, risk: text }],
    refusals: [refusal({ address: 'spaces/gone', message: text, suggestion: `${text}\n  ${text}` })],
    notes: [{ severity: 'warning', code: 'unknown-key', message: text, suggestion: text }],
    policy: [{ address: text, change: 'setting', name: text, before: text, after: `${text}!` }],
  });
}

function refusal(given: Pick<Refusal, 'address' | 'message' | 'suggestion'>): Refusal {
  return { guard: 'protect', steps: [], ...given };
}

/** A plan with `count` changes: every tenth is a delete, every seventh has a risk. */
export function longPlan(count: number): ReviewedPlan {
  const steps = Array.from({ length: count }, (_, at) =>
    step({
      address: `sites/site-${Math.floor(at / 100)}/sections/section-${at}`,
      kind: 'section',
      noun: 'section',
      action: at % 10 === 0 ? 'delete' : 'update',
      phase: at % 10 === 0 ? 'delete' : 'update',
      risks: at % 7 === 0 ? [{ text: 'links to the former path stop working' }] : [],
      fields:
        at % 10 === 0
          ? []
          : [
              { field: 'title', before: `Title ${at}`, after: `Title of ${at}` },
              { field: 'path', before: `path-${at}`, after: `new-path-${at}` },
            ],
      calls: [
        {
          operation: at % 10 === 0 ? 'sections.delete' : 'sections.update',
          params: { organizationId: 'org_acme', siteId: 'site_1', siteSectionId: `sec_${at}` },
          ...defined({ body: at % 10 === 0 ? undefined : { title: `Title of ${at}` } }),
        },
      ],
    }),
  );
  return planOf({ steps });
}
