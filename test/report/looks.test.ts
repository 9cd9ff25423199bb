/** What a reviewer sees of real plans in the first ten seconds, in each format: the order of the parts, and each fact once. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { planViews } from '../../src/cli/show/views.ts';
import type { Form } from '../../src/contract/form.ts';
import { registry } from '../../src/kinds/index.ts';
import type { ReviewedPlan } from '../../src/review/reviewed-plan.ts';
import { digestsOf } from '../../src/run/approval/digest.ts';
import { planAll } from '../../src/run/planning.ts';
import { certificate, otherCertificate } from '../support/certificate.ts';
import { asPlan, type Harness, startHarness, treeOf } from '../support/harness.ts';
import { reviewSeed } from '../support/review-seed.ts';

let harness: Harness;
afterEach(() => harness.close());
const start = async (form: Form = 'document', seed = reviewSeed) => {
  harness = await startHarness(seed, registry, form);
};

const settings = { protect: [], limits: { deletes: null, deletePercent: null } };
const manifest = (more: object, organization = 'org_acme') =>
  treeOf({ octavo: 1, organization, settings, ...more });

type Shown = Readonly<Record<'text' | 'markdown' | 'html', string>>;

/** The plan of a commit in each format; of the page, the texts that people see. */
async function shownBy(plan: ReviewedPlan): Promise<Shown> {
  const digested = { plan, digests: digestsOf(plan) };
  const context = { head: '9be01d7aaaa', time: '2026-03-01 14:02 UTC' };
  const show = async (format: keyof Shown) =>
    [...(await planViews[format]())(digested, { color: false, width: 80, context })].join('');
  const html = await show('html');
  const [, body = ''] = html.split('<main>');
  const page = body
    .replace(/<script>[\s\S]*/, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#34;', '"')
    .replace(/\s+/g, ' ');
  return { text: await show('text'), markdown: await show('markdown'), html: page };
}

type Meddle = (ids: Readonly<Record<string, string>>) => Promise<unknown>;

async function planOf(before: object, after: object, meddle?: Meddle): Promise<ReviewedPlan> {
  const base = await manifest(before);
  await harness.apply(base, await harness.plan(base));
  const { ids } = await harness.plan(base);
  await meddle?.(ids);
  const plan = asPlan(await harness.plan(await manifest(after), { base, recorded: ids }));
  return {
    ...plan,
    organizations: plan.organizations.map((one) => ({ ...one, base: { name: 'main', commit: '4f1c2aa00' } })),
  };
}

const shown = async (...given: Parameters<typeof planOf>) => shownBy(await planOf(...given));

/** Each of these in the text, after the one before it. */
function expectInOrder(text: string, parts: readonly string[]): void {
  let from = 0;
  for (const part of parts) {
    expect(text.slice(from)).toContain(part);
    from = text.indexOf(part, from) + part.length;
  }
}

const both = { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' };
const teams = {
  platform: { title: 'Platform', members: both },
  writers: { title: 'Writers', members: both },
};
const site = (visibility: string) => ({
  spaces: { guides: { id: 'sp_guides', title: 'Guides' } },
  sites: { hub: { title: 'Hub', type: 'ultimate', visibility, spaces: { main: { space: 'guides' } } } },
});

describe('a plan with something of each', () => {
  const before = { ...site('unlisted'), teams };
  const after = {
    ...site('public'),
    teams: {
      platform: { title: 'Platform', members: { 'ada@acme.dev': 'owner' } },
      support: { title: 'Help' },
    },
  };
  const drift: Meddle = async (ids) => {
    const params = { organizationId: 'org_acme' };
    const siteId = ids['sites/hub'] ?? '';
    await harness.api.send('sites.update', { params: { ...params, siteId }, body: { title: 'Hub!' } });
    await harness.api.send('teams.create', { params, body: { title: 'From the app' } });
  };

  test('has first what changes, then who is affected and what is lost, and last the counts', async () => {
    await start();
    const { text, markdown, html } = await shown(before, after, drift);
    const order = ['Access', 'Danger', 'writers', 'Changes from this commit', 'Drift: changed outside git'];
    const unmanaged = '1 unmanaged team';
    expectInOrder(text, ['Acme (org_acme)   base main@4f1c2aa   4 changes   1 drift\n', ...order]);
    expectInOrder(text, ['Drift: ', 'Plan: 1 to create, 2 to update, ', 'Digest: ', unmanaged]);
    expectInOrder(html, order);
    expectInOrder(markdown, [
      '### octavo plan · Acme \\(org\\_acme\\) · 4 changes · 1 drift · ⚠ 1 delete, 1 other risk\n',
      ...['> **Access**', '> ⚠ **Deletes** `teams/writers`', '> ⚠ **Risks** `sites/hub`', unmanaged],
      ...['| − | `teams/writers`', '| ~ | `sites/hub`', '| + | `teams/support`', '**Drift: changed'],
      ...['Plan: 1 to create, 2 to update, ', '<sub>'],
    ]);
    expect(markdown).toMatch(
      /\n<sub>head `9be01d7` · base `main@4f1c2aa` · \d+ requests · digest `[0-9a-f]{16}` · updated [^\n]*<\/sub>\n$/,
    );
  });

  test('shows each sign with its word', async () => {
    await start();
    const { text, markdown } = await shown(before, after, drift);
    expect(text.split('\n')[1]).toBe('  + 1 create  ~ 2 update  - 1 delete');
    expect(text).toMatch(/- teams\/writers\n +team "Writers"; its members lose/);
    expect(markdown).toContain('| − | `teams/writers` | team "Writers", no longer in the manifests<br>');
  });
});

test('says that access through teams was not read, once', async () => {
  await start();
  const fewer = { platform: { title: 'Platform', members: { 'ada@acme.dev': 'owner' } } };
  for (const text of Object.values(await shown({ teams }, { teams: fewer })))
    expect(text.split('through teams/platform, teams/writers, only declared access was read')).toHaveLength(
      2,
    );
  const roles = { ...teams, writers: { ...teams.writers, members: { ...both, 'bob@acme.dev': 'owner' } } };
  for (const text of Object.values(await shown({ teams }, { teams: roles })))
    expect(text).not.toContain('only declared access');
});

test('marks a site that visitors lose, without calling it dangerous', async () => {
  await start();
  const { text, markdown, html } = await shown(site('public'), site('share-link'));
  expect(text).toContain('  Access  ! visitors lose sites/hub: no longer open to everyone\n');
  expect(markdown).toContain('> **Access** ⚠ visitors lose sites/hub: no longer open to everyone\n');
  expect(html).toContain('! visitors lose sites/hub: no longer open to everyone');
  expect(text + markdown + html).not.toMatch(/Dangerous|Risks|known risk/);
});

test('shows a certificate by what can be checked, and never its text', async () => {
  await start('2026');
  const provider = (text: string) => ({
    samlProviders: {
      okta: {
        label: 'Okta',
        entityID: 'http://okta.example',
        ssoURL: 'https://okta.example',
        certificate: text,
      },
    },
  });
  const { text, markdown, html } = await shown(provider(certificate), provider(otherCertificate));
  const [from, to] = ['CN=acme, SHA-256 ', 'CN=other, O=Acme, SHA-256 '];
  for (const all of [text, markdown, html]) {
    expect(all).not.toMatch(/BEGIN CERTIFICATE|MII/);
    const line = all.replace(/\s+/g, ' ');
    expectInOrder(line, [from, 'until 2120-01-01', to, 'until 2126-11-05']);
    expect(line.match(/SHA-256 (?:[0-9A-F]{2}:){7}[0-9A-F]{2}…/g)?.length).toBeGreaterThanOrEqual(2);
  }
});

test('shows both ends of a transfer, and each names the other', async () => {
  const organizations = ['acme', 'globex'].map((name) => ({
    ...{ id: `org_${name}`, title: name, hostname: name },
    members: [{ id: 'user_ada', email: 'ada@acme.dev', displayName: 'Ada', role: 'admin' as const }],
    spaces: name === 'acme' ? [{ id: 'sp_guide', title: 'Guide' }] : [],
  }));
  await start('document', { ...reviewSeed, organizations });
  const guide = (key: string) => ({ spaces: { [key]: { title: 'Guide' } } });
  const pairs = [
    [await manifest(guide('ours')), await manifest({ spaces: {} }, 'org_globex')],
    [await manifest({ spaces: {} }), await manifest(guide('theirs'), 'org_globex')],
  ] as const;
  const [bases, trees] = pairs;
  const pasts = new Map(bases.map((tree) => [tree.label, { tree }]));
  const { plan } = await planAll(
    { api: harness.api, registry, sleep: harness.sleep },
    { trees, pasts, choices: {} },
  );
  for (const all of Object.values(await shownBy(plan))) {
    const text = all.replace(/\s+/g, ' ').replaceAll('\\', '');
    expectInOrder(text, [
      'spaces/ours',
      'is declared in org_globex now (spaces/theirs)',
      'spaces/theirs',
      'is still in org_acme (spaces/ours)',
    ]);
  }
});

test('shows the values of a conflict once in a comment', async () => {
  await start();
  const titles = ['platform', 'writers'] as const;
  const after = Object.fromEntries(titles.map((key) => [key, { ...teams[key], title: `New ${key}` }]));
  const { markdown } = await shown({ teams }, { teams: after }, async (ids) => {
    for (const key of titles)
      await harness.api.send('teams.update', {
        params: { organizationId: 'org_acme', teamId: ids[`teams/${key}`] ?? '' },
        body: { title: `Live ${key}` },
      });
  });
  for (const key of titles) expect(markdown.split(`"Live ${key}"`)).toHaveLength(2);
  expect(markdown).toContain('| ~ | `teams/platform` | conflict in title |');
});

test('leaves out of a comment the details that say no more than the row', async () => {
  await start();
  const many = {
    'ada@acme.dev': 'member',
    'bob@acme.dev': 'owner',
    'cyd@acme.dev': 'member',
    'kai@acme.dev': 'owner',
  };
  const after = {
    platform: { ...teams.platform, title: 'Base' },
    writers: { ...teams.writers, members: many },
  };
  const { markdown } = await shown({ teams }, { teams: after });
  const [, details = ''] = markdown.split('1 change in full');
  expect(details).toContain('! bob@acme.dev: member → owner');
  expect(details).not.toContain('teams/platform');
});

test('folds equal changes to one line, after the odd one, in each format', async () => {
  await start();
  const fields = (type: string, odd = type) =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `f${at + 10}`,
        { type: 'text', title: `Field ${at}`, description: at === 17 ? odd : type },
      ]),
    );
  const all = await shown({ customFields: fields('old') }, { customFields: fields('new', 'FREE MONEY') });
  for (const text of Object.values(all)) {
    const [first = '', rest = ''] = text.split(/\d+ more custom fields alike/);
    expect(first).toContain('FREE MONEY');
    expect([rest === '', text.split('more custom fields alike').length]).toEqual([false, 2]);
  }
});

test('lists what is managed from now on with what is released', async () => {
  await start();
  const kept = { ...teams.writers, lifecycle: { release: true } };
  const before = { teams };
  const after = { teams: { platform: teams.platform, writers: kept, found: { title: 'Found' } } };
  const all = await shown(before, after, () =>
    harness.api.send('teams.create', { params: { organizationId: 'org_acme' }, body: { title: 'Found' } }),
  );
  for (const text of Object.values(all))
    for (const what of ['now managed: teams/found', 'no longer managed: teams/writers'])
      expectInOrder(text, ['Management changes (no requests)', what]);
});

test('has a column of fixed width for addresses on the page', () => {
  const css = readFileSync(new URL('../../src/report/page/page.css', import.meta.url), 'utf8');
  expect(css).toMatch(/@media \(min-width: 40rem\) \{[\s\S]*?\n {2}td:first-child \{\n {4}width: 24rem;/);
});
