/** What the page of a plan holds, without a browser: one file, no secrets, nothing that ends its script, sites before and after. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { OrganizationPlan, Plan } from '../../../src/plan/plan.ts';
import type { PageData } from '../../../src/report/page/page-data.ts';
import { type SiteEntry, siteViews } from '../../../src/report/page/site-view.ts';
import { startService } from '../../../src/server/index.ts';
import { Secret } from '../../../src/util/secret.ts';
import { folder, octavo } from '../../cli/octavo.ts';
import { runs } from '../../support/runs.ts';
import { organizationOf, planOf, step } from '../plan-samples.ts';
import { htmlOf } from './browser.ts';
import { longPlan, planWith } from './samples.ts';

/** The parts of a page; throws where it has others. */
function partsOf(html: string) {
  const found =
    /^<!doctype html>[\s\S]*Content-Security-Policy" content="([^"]*)"[\s\S]*<style>([^<]*)<\/style>[\s\S]*<script type="application\/json" id="plan">([^<>&\u2028\u2029]*)<\/script>\n<script>([\s\S]*)<\/script>\n<\/body>\n<\/html>\n$/.exec(
      html,
    );
  const [, policy = '', style = '', data = '', script = ''] = found ?? [];
  expect(found).not.toBeNull();
  return { policy, style, data: JSON.parse(data) as PageData, script };
}

const dataOf = (plan: Plan) => partsOf(htmlOf(plan)).data;

describe('the file', () => {
  test('allows its own script and style by their hashes, and nothing else', () => {
    const { policy, style, script } = partsOf(htmlOf(planWith('</script><style>')));
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy).toBe(
      `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`,
    );
    expect(script).not.toMatch(/<\/script|<!--|innerHTML|outerHTML|insertAdjacent|document\.write|eval\(/i);
    expect(style).not.toMatch(/@import|url\(/);
  });

  test('holds no secret, in fields and in requests', () => {
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
    const { steps } = partsOf(html).data.organizations[0] ?? {};
    const [call] = steps?.[0]?.calls ?? [];
    expect(call?.path).toBe('/v1/orgs/org_acme/teams/{teams/new}');
    expect(call?.body.join('')).toContain('"title": "(secret)"');
  });

  test('links to a run over https only', () => {
    const factsWith = (run: string) => partsOf(htmlOf(planWith('x'), { context: { run } })).data.facts;
    expect(factsWith('https://ci.example/1')).toContainEqual({
      name: 'run',
      value: 'pipeline',
      link: 'https://ci.example/1',
    });
    expect(factsWith('javascript:alert(1)').some(({ name }) => name === 'run')).toBe(false);
  });

  test('shows terminal escapes and direction marks, and breaks at no line separator', () => {
    const { label } = planWith('a').organizations[0] ?? {};
    expect(label).toBe('a');
    expect(dataOf(planWith('\u001b[31m\u202e\u2028')).organizations[0]?.name).toBe(
      '\\u{1b}[31m\\u{202e}\\u{2028}',
    );
  });

  test('may be very long', () => {
    const { organizations, counts } = dataOf(longPlan(runs(2000)));
    expect(organizations[0]?.changes).toHaveLength(runs(2000));
    expect(organizations[0]?.steps).toHaveLength(runs(2000));
    expect(counts).toMatchObject({ create: 0, update: runs(1800), delete: runs(200) });
  });
});

describe('requests', () => {
  test('are numbered, and steps know what they wait for', () => {
    const call = { operation: 'teams.delete', params: { organizationId: 'o', teamId: 't' } } as const;
    const base = { action: 'update', phase: 'update' } as const;
    const { steps } =
      dataOf(
        planOf({
          steps: [
            step({ ...base, address: 'teams/a', calls: [call, call] }),
            step({ ...base, address: 'teams/b', calls: [call], needs: ['teams/a#update'] }),
            step({ ...base, address: 'teams/c', after: ['teams/b#update'], needs: ['teams/a#update'] }),
          ],
        }),
      ).organizations[0] ?? {};
    expect(steps?.map(({ wave, needs, after }) => [wave, needs, after])).toEqual([
      [0, [], []],
      [1, [0], []],
      [2, [0], [1]],
    ]);
    expect(steps?.flatMap(({ calls }) => calls.map(({ number }) => number))).toEqual([1, 2, 3]);
  });
});

describe('sites', () => {
  const titles = (entry: SiteEntry | undefined): readonly unknown[] =>
    (entry?.children ?? []).map((child) => [child.title, child.marks, titles(child)]);

  test('before and after, with what happens to each entry', () => {
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

  test('plans that change no site have none', () => {
    expect(siteViews(organizationOf({}))).toEqual([]);
  });

  test('what becomes of the spaces of a site that gets its first section is not said', () => {
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

test('plan and show write the same page; a plan without changes holds no navigation', async () => {
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
  const [made, shown] = ['out/plan.html', 'out/show.html'].map((name) => partsOf(read(name)).data);
  expect(shown?.organizations).toEqual(made?.organizations);
  expect(titlesOf(made)).toEqual([['Hub', ['Guides', ['A']]]]);
  expect(await octavo(['apply', '--auto-approve'], { cwd, env })).toMatchObject({ code: 0 });
  const again = JSON.parse((await octavo(['plan', '--format', 'json'], { cwd, env })).stdout);
  expect(again.organizations[0].navigation).toBeUndefined();
  expect(again.empty).toBe(true);
});

/** The titles of the sites after the plan: each with those of what is in it. */
function titlesOf(data: PageData | undefined): unknown {
  const titleOf = ({ title, children }: SiteEntry): readonly unknown[] => [title, ...children.map(titleOf)];
  return data?.organizations.flatMap(({ sites }) => sites.map(({ after }) => after && titleOf(after)));
}
