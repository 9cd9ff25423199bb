/** The page of a plan, without a browser: one file, no secrets, no markup from outside, every change, sites before and after. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { OrganizationPlan } from '../../../src/plan/plan.ts';
import { type SiteEntry, siteViews } from '../../../src/report/page/site-view.ts';
import { startService } from '../../../src/server/index.ts';
import { Secret } from '../../../src/util/secret.ts';
import { folder, octavo } from '../../cli/octavo.ts';
import { anyCodePoint } from '../../support/code-points.ts';
import { runs } from '../../support/runs.ts';
import { everything, organizationOf, planOf, step } from '../plan-samples.ts';
import { htmlOf } from './browser.ts';
import { hostile, longPlan, planWith } from './samples.ts';

/** Parts of a page. Throws if it has other ones. */
function partsOf(html: string) {
  const found =
    /^<!doctype html>[\s\S]*Content-Security-Policy" content="([^"]*)"[\s\S]*<style>([^<]*)<\/style>\n<\/head>\n<body>\n([\s\S]*)\n<script>([\s\S]*)<\/script>\n<\/body>\n<\/html>\n$/.exec(
      html,
    );
  const [, policy = '', style = '', body = '', script = ''] = found ?? [];
  expect(found).not.toBeNull();
  return { policy, style, body, script };
}

/** Visible text with character references resolved. */
const textOf = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ');

describe('the file of the page', () => {
  test('allows only its own script and style, by their hashes', () => {
    const { policy, style, script } = partsOf(htmlOf(planWith('</script><style>')));
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy).toBe(
      `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`,
    );
    expect(script).not.toMatch(/<\/script|<!--|innerHTML|outerHTML|insertAdjacent|document\.write|eval\(/i);
    expect(style).not.toMatch(/@import|url\(/);
  });

  test('has the same elements for any texts', () => {
    const shapeOf = (text: string) =>
      partsOf(htmlOf(planWith(text))).body.replace(/="[^"]*"|[^<>]*(?=<)/g, '');
    const benign = shapeOf('xbenignx');
    const texts = fc.tuple(fc.constantFrom(...hostile), fc.string({ unit: anyCodePoint, maxLength: 20 }));
    fc.assert(
      fc.property(texts, ([one, two]) => {
        expect(shapeOf(`x${`${two}${one}`.replace(/[\n/]/g, '')}x`)).toBe(benign);
      }),
      { numRuns: runs(60) },
    );
  });

  test('contains no secrets in fields or requests', () => {
    const secret = new Secret('${secret:TOKEN}', 'hunter2');
    const html = htmlOf(
      planOf({
        steps: [
          step({
            address: 'samlProviders/okta',
            action: 'update',
            phase: 'update',
            fields: [
              { field: 'certificate', before: new Secret('(hidden)', 'f0rm3r'), after: secret },
              { field: 'nested', before: { a: 1 }, after: { a: secret } },
            ],
            calls: [
              {
                operation: 'teams.update',
                params: { organizationId: 'org_acme', teamId: { $id: 'teams/new' } },
                body: { title: secret, list: [{ $secret: '${secret:TOKEN}' }] },
              },
            ],
          }),
        ],
      }),
    );
    expect(html).not.toMatch(/hunter2|f0rm3r|TOKEN/);
    const text = textOf(html);
    expect(text).toContain('/v1/orgs/org_acme/teams/{teams/new}');
    expect(text).toContain('"title": "(secret)"');
  });

  test('links to a run only with https', () => {
    const pageWith = (run: string) => htmlOf(planWith('x'), { context: { run } });
    expect(pageWith('https://ci.example/1')).toContain('<a href="https://ci.example/1" rel="noreferrer">');
    expect(pageWith('javascript:alert(1)')).not.toContain('alert');
  });

  test('escapes terminal sequences and direction marks, and does not break at line separators', () => {
    const html = htmlOf(planWith('\u001b[31m\u202e\u2028'));
    expect(html).toContain('<h1>Plan for \\u{1b}[31m\\u{202e}\\u{2028} (org_acme)</h1>');
    for (const character of '\u001b\u202e\u2028') expect(html).not.toContain(character);
  });
});

describe('the content of the page', () => {
  test('has every change of a long plan at its address', () => {
    const count = runs(2000);
    const { body } = partsOf(htmlOf(longPlan(count)));
    const ids = [...body.matchAll(/ id="(sites\/[^"]*)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(count);
    expect(new Set(ids)).toEqual(
      new Set(longPlan(count).organizations[0]?.steps.map(({ address }) => address)),
    );
  });

  test('has a unique id for each link target', () => {
    const plan = {
      ...everything,
      organizations: [...planWith('Docs').organizations, ...everything.organizations],
    };
    const html = htmlOf(plan);
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
    const links = [...html.matchAll(/ href="#([^"]*)"/g)].map(([, link = '']) => decodeURIComponent(link));
    expect(links.length).toBeGreaterThan(10);
    expect(ids).toEqual([...new Set(ids)]);
    expect(links.filter((link) => !ids.includes(link))).toEqual([]);
  });

  test.each([
    ['everything', everything],
    ['a plan with drift and a refusal', planWith('Docs')],
    ['a long plan', longPlan(300)],
    ['one object that changed and drifted', bothWays()],
  ])('shows the same number everywhere: %s', (_, plan) => {
    const { body } = partsOf(htmlOf(plan));
    const counts = textOf(/<ul class="counts"[\s\S]*?<\/ul>/.exec(body)?.[0] ?? '');
    const counted = (word: string) => Number(new RegExp(`(\\d+) ${word}`).exec(counts)?.[1] ?? 0);
    const items = [...body.matchAll(/<li data-address="[^"]*"([^>]*)>([\s\S]*?)<\/summary>/g)];
    const idOf = ([, marks = '']: readonly string[]) => /data-object="([^"]*)"/.exec(marks)?.[1];
    const objects = [...new Map(items.toReversed().map((item) => [idOf(item), item])).values()];
    const actions = ['create', 'update', 'move', 'replace', 'delete', 'restore'];
    for (const action of actions) {
      const shown = objects.filter(([item]) => item.includes(`<span class="spoken">${action} </span>`));
      expect(shown, action).toHaveLength(counted(action));
      const total = new RegExp(`Plan: .*?(\\d+) to ${action}`).exec(textOf(body))?.[1];
      if (total !== undefined) expect(Number(total), action).toBe(counted(action));
    }
    const dangerous = objects.filter(([, marks = '']) => /data-marks="[^"]*\bdangerous\b/.test(marks));
    expect(dangerous).toHaveLength(counted('dangerous'));
    expect(textOf(body)).toContain(` ${objects.length} object`);
    for (const [word, sentence] of [
      ['refused', /(\d+) changes? (?:is|are) refused/],
      ['conflict', /Conflicts: (\d+)\./],
    ] as const)
      expect(Number(sentence.exec(textOf(body))?.[1] ?? 0), word).toBe(counted(word));
  });

  test('numbers requests, once for an object that is changed and has drifted', () => {
    const { body } = partsOf(htmlOf(bothWays()));
    expect([...body.matchAll(/<li value="(\d+)">/g)].map(([, number]) => number)).toEqual(['1', '2']);
    expect([...body.matchAll(/ id="(teams\/a[^"]*)"/g)].map(([, id]) => id)).toEqual(['teams/a', 'teams/a~']);
  });

  test('shows access and public addresses with links to the changes', () => {
    const { body } = partsOf(
      htmlOf(
        planOf({
          steps: [step({ address: 'spaces/a', action: 'update', phase: 'update' })],
          access: {
            changes: [
              {
                people: ['bob@acme.example'],
                on: [{ kind: 'space', address: 'spaces/a', title: 'A' }],
                before: 'read',
                after: 'edit',
                certain: true,
              },
            ],
          },
          addresses: [{ from: 'docs.acme.dev/a', to: 'docs.acme.dev/b', noun: 'section', title: 'A' }],
        }),
      ),
    );
    expect(textOf(body)).toContain('bob@acme.example gains edit on spaces/a');
    expect(body).toContain('<td>read → edit</td><td><a href="#spaces/a"><bdi>spaces/a</bdi></a> </td>');
    expect(body).toContain('<td>docs.acme.dev/a</td><td>docs.acme.dev/b</td>');
    // A few addresses are visible at once; people are behind their summary.
    expect(body).toContain('<details open><summary>before and after</summary>');
    expect(body).toContain('<details><summary>who gains and who loses</summary>');
  });
});

/** One object with changes of both groups. */
function bothWays() {
  const call = { operation: 'teams.update', params: { organizationId: 'o', teamId: 't' } } as const;
  return planOf({
    withBase: true,
    steps: [
      step({
        address: 'teams/a',
        action: 'update',
        phase: 'update',
        fields: [
          { field: 'title', before: 'A', after: 'B', cause: 'changed' },
          { field: 'members', before: ['a'], after: ['b'], cause: 'drift' },
        ],
        risks: [{ text: 'someone leaves', field: 'members' }],
        calls: [call, call],
      }),
    ],
  });
}

describe('the sites of the page', () => {
  const titles = (entry: SiteEntry | undefined): readonly unknown[] =>
    (entry?.children ?? []).map((child) => [child.title, child.states, titles(child)]);

  test('show each entry before and after with its change', () => {
    const [site] = siteViews(planWith('Docs').organizations[0] as OrganizationPlan);
    expect(titles(site?.before)).toEqual([
      ['Docs', [], [['Docs', [], []]]],
      ['Docs', ['gone'], []],
      ['Docs', ['moved'], []],
    ]);
    expect(titles(site?.after)).toEqual([
      ['Docs', ['moved'], []],
      ['Docs', [], [['Docs', [], []]]],
      ['Docs', ['new'], []],
    ]);
    expect(site?.before?.children[1]?.address).toBe('sites/hub/sections/id=sec_old');
  });

  test('are closed if there are many, so that the changes are on the first screen', () => {
    const sites = (count: number) =>
      htmlOf(
        planOf({
          navigation: Array.from({ length: count }, (_, at) => ({
            ...{ address: `sites/s${at}`, kinds: [], titles: {} },
            parts: { title: ['title'], path: [], first: [], internal: [] },
            entries: [
              { kind: 'site', noun: 'site', id: `s${at}`, fields: { title: 'S', hidden: false, more: {} } },
            ],
          })),
        }),
      );
    expect(sites(4)).toContain('<details><summary>sites/s0, sites/s1, sites/s2 and 1 more</summary>');
    expect(sites(3)).not.toContain('<summary>sites/s0');
    // Values that say nothing are left out.
    expect(sites(1)).not.toContain('class="tag"');
  });

  test('are absent in plans that change no site', () => {
    expect(siteViews(organizationOf({}))).toEqual([]);
  });

  test('are uncertain if a site gets its first section', () => {
    const entry = { kind: 'siteSpace', noun: 'site-space', parent: 'site_1', fields: {} };
    const [site] = siteViews(
      organizationOf({
        steps: ['sites/hub/sections/a', 'sites/hub/sections/a/spaces/b'].map((address) =>
          step({
            address,
            kind: address.endsWith('b') ? 'siteSpace' : 'section',
            action: 'create',
            phase: 'create',
          }),
        ),
        navigation: [
          {
            address: 'sites/hub',
            kinds: ['section', 'siteSpace'],
            titles: {},
            parts: { title: ['title'], path: ['path', 'basename'], first: ['default'], internal: ['type'] },
            entries: [
              { kind: 'site', noun: 'site', id: 'site_1', address: 'sites/hub', fields: {} },
              { ...entry, id: 'one' },
            ],
          },
        ],
      }),
    );
    expect(site?.isUncertain).toBe(true);
  });
});

test('is the same from plan and show', async () => {
  const service = await startService({
    data: ':memory:',
    seed: { organizations: [{ id: 'org_acme', title: 'Acme', spaces: [{ id: 'sp_a', title: 'A' }] }] },
  });
  onTestFinished(() => service.close());
  const env = { OCTAVO_BASE_URL: service.url, OCTAVO_TOKEN: service.token };
  const sections = '{ guides: { title: Guides, path: guides, spaces: { main: { space: a } } } }';
  const cwd = folder({
    'acme.yaml': `octavo: 1\norganization: { id: org_acme }\nspaces: { a: { id: sp_a, title: A } }\nsites: { hub: { title: Hub, visibility: public, sections: ${sections} } }\n`,
  });
  mkdirSync(join(cwd, 'out'));
  const read = (name: string) => readFileSync(join(cwd, name), 'utf8');
  const plan = ['plan', '--out', 'plan.json', '--format', 'html=out/plan.html'];
  expect(await octavo(plan, { cwd, env })).toMatchObject({ code: 0, stderr: expect.any(String) });
  expect(await octavo(['show', 'plan.json', '--format', 'html=out/show.html'], { cwd, env })).toMatchObject({
    code: 0,
  });
  expect(read('out/show.html').replace(/<dl[\s\S]*?<\/dl>/, '')).toBe(
    read('out/plan.html').replace(/<dl[\s\S]*?<\/dl>/, ''),
  );
  const after = read('out/plan.html').split('<h4>After</h4>')[1] ?? '';
  expect(textOf(after)).toMatch(/^ *Hub site .* Guides section .* A site-space/);
  expect(await octavo(['apply', '--auto-approve'], { cwd, env })).toMatchObject({ code: 0 });
  const again = JSON.parse((await octavo(['plan', '--format', 'json'], { cwd, env })).stdout);
  expect(again.organizations[0].review?.navigation).toBeUndefined();
  expect(again.empty).toBe(true);
});
