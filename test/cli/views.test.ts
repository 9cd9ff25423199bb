/** The tables of output formats: each result has text and JSON, and each format renders. */
import { describe, expect, test } from 'vitest';
import { endOf } from '../../src/apply/events.ts';
import {
  acceptanceViews,
  applyViews,
  doctorViews,
  explainViews,
  exportViews,
  historyViews,
  listViews,
  planViews,
  validationViews,
} from '../../src/cli/show/views.ts';
import type { ApplyView } from '../../src/report/apply/text.ts';
import { shortDigest } from '../../src/review/plan-document.ts';
import { everything, planOf, resultOf, step } from '../report/plan-samples.ts';
import { folder, manifest, octavo } from './octavo.ts';

const whole = (pieces: Iterable<string>) => [...pieces].join('');
const options = { color: false, width: 80 };
const digest = 'ab'.repeat(32);
const digested = { plan: everything, digests: { digest, approval: `${digest}.`, version: '1.2.3' } };

test('the text of a plan ends with its digest if it has changes', async () => {
  expect(whole((await planViews.text())(digested, options))).toMatch(
    new RegExp(
      `\\nPlan: .*\\nDigest: ${shortDigest(digest)} {3}Left out: 13 unmanaged teams \\(--show unmanaged\\)\\.\\n$`,
    ),
  );
  expect(whole((await planViews.text())({ ...digested, plan: planOf({}) }, options))).not.toContain('Digest');
  expect(JSON.parse(whole((await planViews.json())(digested, options)))).toMatchObject({
    format: 1,
    digest,
    version: '1.2.3',
  });
});

test('the text of an apply includes the plan and the result', async () => {
  const done = {
    type: 'done',
    step: step({ address: 'sites/a', action: 'create', phase: 'create' }),
  } as const;
  const result = (outcomes: readonly (typeof done)[]) => ({
    plan: everything,
    digest,
    result: resultOf(outcomes),
  });
  expect((await applyViews.text()).result(result([]), options)).toBe('');
  expect((await applyViews.text()).result(result([done]), options)).toMatch(/^\nApplied: 1 created/);
  expect(whole((await applyViews.text()).plan?.(digested, options) ?? [])).toBe(
    whole((await planViews.text())(digested, options)),
  );
});

test('the result of a validation is text or JSON', async () => {
  const found = {
    diagnostics: [],
    sources: new Map([['a.yaml', '']]),
    organizations: 1,
    objects: 2,
    overlays: 0,
  };
  expect((await validationViews.text()).result(found, options)).toBe(
    'Valid: 1 organization, 2 objects, 1 file.\n',
  );
  expect(JSON.parse((await validationViews.json()).result(found, options))).toEqual({
    diagnostics: [],
    format: 1,
    valid: true,
  });
  const wrong = {
    ...found,
    diagnostics: [{ severity: 'error', code: 'value', message: 'it is wrong' } as const],
  };
  expect((await validationViews.text()).result(wrong, options)).toBe('');
  expect((await validationViews.text()).problems?.(wrong, options)).toContain('error[value]: it is wrong');
});

describe('control characters', () => {
  const nasty = 'a\u001b[2Jb\u202Ec\u200Bd\u0007e\u009Bf\u2028g"h\\i\t\uD800\u{E0041}';
  const change = step({
    address: `sites/${nasty}`,
    title: nasty,
    action: 'update',
    phase: 'update',
    reason: nasty,
    risks: [{ text: nasty }],
    fields: [{ field: nasty, before: 'a\nb', after: `a\n${nasty}` }],
    cascade: [{ kind: 'site', noun: nasty, id: nasty, title: nasty }],
  });
  const hostile = {
    plan: planOf({
      label: nasty,
      withBase: true,
      base: { name: nasty },
      steps: [change, { ...change, id: 'd', address: `teams/${nasty}`, action: 'delete', phase: 'delete' }],
      unmanaged: [{ address: nasty, kind: 'team', noun: 'team', id: nasty, title: nasty, risk: nasty }],
      refusals: [{ guard: 'protect', address: nasty, message: nasty, suggestion: nasty, steps: [] }],
      policy: [{ address: nasty, change: 'released' }],
    }),
    digests: digested.digests,
  };
  const obeyed = /[\p{Cs}\p{Cc}\u200b\u2028-\u202e\u{e0000}-\u{e007f}]/u;

  test.each(Object.keys(planViews))('are escaped in a plan as %s', async (format) => {
    const view = await planViews[format as keyof typeof planViews]();
    const text = whole(view(hostile, { ...options, showUnmanaged: true }));
    expect(obeyed.exec(text.replaceAll('\n', ''))?.index ?? -1).toBe(-1);
    if (format === 'json') expect(text).toContain('\\u001b[2J');
  });

  test.each(Object.keys(applyViews).filter((format) => format !== 'json'))(
    'are escaped in an apply as %s',
    async (format) => {
      const view: ApplyView = await applyViews[format as Exclude<keyof typeof applyViews, 'json'>]();
      const outcome = { type: 'failed', step: change, error: new Error(nasty) } as const;
      const ended = { type: 'step', organization: nasty, ...endOf(outcome), final: true };
      const texts = [
        ...(view.plan?.(hostile, options) ?? []),
        view.line?.(JSON.stringify(ended)) ?? '',
        view.result?.({ plan: hostile.plan, digest, result: resultOf([outcome]) }, options),
      ];
      expect(obeyed.exec(texts.join('').replaceAll('\n', ''))?.index ?? -1).toBe(-1);
    },
  );
});

test('each result has text as its first format, and JSON', () => {
  const tables = {
    plan: planViews,
    apply: applyViews,
    validation: validationViews,
    history: historyViews,
    checkup: doctorViews,
    explanation: explainViews,
    list: listViews,
    export: exportViews,
    acceptance: acceptanceViews,
  };
  for (const [result, views] of Object.entries(tables)) {
    const names = Object.keys(views);
    expect(names[0], result).toBe('text');
    expect(names).toContain('json');
  }
});

test('a delete names the line of the overlay that leaves the object out', async () => {
  const teams = 'octavo: 1\norganization: org_acme\nteams: { ops: { title: Ops }, docs: { title: Docs } }\n';
  const overlays = {
    'a.yaml': 'octavo: 1\noverlay: a\nteams:\n  ops: null\n  docs: null\n',
    'b.yaml': 'octavo: 1\noverlay: b\nteams:\n  docs: { new: true, title: Docs }\n',
    'base/a.yaml': 'octavo: 1\noverlay: a\nteams:\n  ops: { title: Ops }\n',
    'base/b.yaml': 'octavo: 1\noverlay: b\nteams:\n  docs: { title: Docs }\n',
  };
  const cwd = folder({ 'base/acme.yaml': teams, 'acme.yaml': teams, ...overlays });
  const env = { OCTAVO_BASE_URL: 'local:octavo.db' };
  const inFolder = (...args: string[]) => octavo(args, { cwd, env });
  await inFolder('apply', '-f', 'acme.yaml', '--auto-approve');
  const plan = ['plan', '-f', 'acme.yaml', '--base', 'base', '--overlay', 'a.yaml'];
  const one = await inFolder(...plan, '--out', 'plan.json');
  expect(one.stdout).toContain('- docs  team "Docs", left out by a.yaml:5');
  expect(one.stdout).toContain('- ops   team "Ops", left out by a.yaml:4');
  expect((await inFolder('show', 'plan.json')).stdout).toContain('left out by a.yaml:4');
  // A later overlay adds it again.
  const both = await inFolder(...plan, '--overlay', 'b.yaml');
  expect(both.stdout).not.toContain('teams/docs');
  expect((await inFolder('apply', 'plan.json')).stdout).toContain('2 deleted');
});

test.each(['text', 'github', 'markdown', 'html', 'json'])(
  'a plan as %s names its overlays',
  async (format) => {
    const overlay = 'octavo: 1\noverlay: production\nteams:\n  platform: { title: Production }\n';
    const cwd = folder({ 'acme.yaml': manifest, 'overlays/production.yaml': overlay });
    const env = { OCTAVO_BASE_URL: 'local' };
    const plan = (...args: string[]) => octavo(['plan', '-f', '.', ...args], { cwd, env });
    const { stdout } = await plan('--overlay', 'production', '--format', format, '--out', 'plan.json');
    const [first = ''] = stdout.split('\n');
    if (format === 'text') expect(first).toMatch(/^org_acme {3}overlay production {3}/);
    else if (format === 'markdown') expect(first).toContain(' · overlay production · ');
    else expect(stdout).toMatch(/overlay/i);
    const saved = await octavo(['show', 'plan.json', '--format', format], { cwd });
    expect(saved.stdout).toContain('production');
    expect((await plan('--format', format)).stdout).not.toMatch(/overlay/i);
  },
);
