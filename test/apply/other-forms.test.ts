/**
 * Services that store a text in another form than the one sent: the value counts as equal, or the run reports both forms once and
 * the next run sends nothing. Dependents of the object are applied in either case.
 */
import { describe, expect, test } from 'vitest';
import { isComplete } from '../../src/apply/events.ts';
import type { Api, ApiInput } from '../../src/contract/api.ts';
import { pendingAfter } from '../../src/past/pending.ts';
import type { PendingChange } from '../../src/plan/past.ts';
import { renderApplyResult } from '../../src/report/apply/text.ts';
import { lettersOf } from '../../src/tree/difference.ts';
import { Secret } from '../../src/util/secret.ts';
import { certificate } from '../support/certificate.ts';
import { treeOf } from '../support/harness.ts';
import { some } from '../support/runs.ts';
import { sharedHarness } from '../support/shared-harness.ts';

const harness = await sharedHarness();

type Rewrite = (text: string, key: string) => string;
const paths = /^(?:path|basename|slug)$/;
const texts = /^(?:title|name|label|description|placeholder|options|value)$/;
const only =
  (keys: RegExp, rewrite: (text: string) => string): Rewrite =>
  (text, key) =>
    keys.test(key) ? rewrite(text) : text;

/** Changes that services are known or likely to make to stored values. */
const forms: Readonly<Record<string, Rewrite>> = {
  trims: (text) => text.trim(),
  'composes letters': (text) => text.normalize('NFC'),
  'decomposes letters': (text, key) => (key === 'emailDomains' ? text : text.normalize('NFD')),
  'folds compatible letters': (text) => text.normalize('NFKC'),
  'collapses blanks': (text) => text.replace(/ +/g, ' '),
  'joins lines': only(texts, (text) => text.replace(/\n/g, ' ')),
  'escapes markup': only(texts, (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')),
  'strips markup': only(texts, (text) => text.replace(/<[^>]*>/g, '')),
  'cuts at 14': only(texts, (text) => text.slice(0, 14)),
  'lower-cases paths': only(paths, (text) => text.toLowerCase()),
  'encodes paths': only(paths, encodeURIComponent),
  'adds a slash to paths': only(paths, (text) => `/${text}`),
  'lower-cases proxies': only(/^proxy$/, (text) => text.toLowerCase()),
  'lower-cases icons': only(/^icon$/, (text) => text.toLowerCase()),
  'lower-cases entity ids': only(/^entityID$/, (text) => text.toLowerCase()),
  'normalises URLs': only(/url$|^logo$/i, (text) => (URL.canParse(text) ? new URL(text).href : text)),
  'drops the slash of a URL': only(/url$|^logo$/i, (text) => text.replace(/\/$/, '')),
  'takes the armor off certificates': only(/^certificate$/, (text) =>
    text.replace(/-----[^-]+-----|\s/g, ''),
  ),
  'has certificates with CRLF': only(/^certificate$/, (text) => text.replace(/\n/g, '\r\n')),
  'has domains as punycode': (text, key) =>
    key === 'emailDomains' && URL.canParse(`http://${text}`) ? new URL(`http://${text}`).hostname : text,
  'makes slugs of paths': only(paths, (text) => text.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '')),
  'appends to paths': only(paths, (text) => `${text}-1`),
  'lower-cases options': only(/^options$/, (text) => text.toLowerCase()),
  'lower-cases domains': (text, key) => (key === 'emailDomains' ? text.toLowerCase() : text),
};

function rewritten(value: unknown, rewrite: Rewrite, key = ''): unknown {
  if (typeof value === 'string') return rewrite(value, key);
  if (Array.isArray(value)) return value.map((one) => rewritten(one, rewrite, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, rewritten(one, rewrite, name)]),
  );
}

/** Makes the service change the values that it stores. */
function storing(rewrite: (input: ApiInput) => unknown): (api: Api) => Api {
  return (api) => ({
    ...api,
    send: (operation, input) =>
      api.send(
        operation,
        input.body === undefined ? input : ({ ...input, body: rewrite(input) } as typeof input),
      ),
  });
}

const odd = 'Zeta  &  <b>Cafe\u0301</b> Team';
const hub = {
  title: odd,
  proxy: 'Docs.Acme.test/Docs',
  visibility: 'share-link',
  shareLinks: { vip: { name: odd, active: false } },
  sections: {
    a: {
      title: odd,
      description: odd,
      path: 'Guides-Aé',
      icon: 'Book',
      condition: 'visitor.claims.a  &&  visitor.claims.b',
      spaces: { main: { space: 'guide', path: 'Main-A' } },
    },
  },
};
const document = {
  octavo: 1,
  organization: { id: 'org_acme', title: odd, emailDomains: ['Zeta.test', 'alpha.test', 'bücher1.test'] },
  customFields: {
    owner: { type: 'select:single', title: odd, description: `${odd}\nline`, options: ['b', 'a'] },
    stage: { options: { add: [odd, 'Zeta <i>two</i>  &  three'] } },
    note: { type: 'text' },
  },
  teams: { zeta: { title: odd, members: { 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' } } },
  samlProviders: {
    okta: {
      label: 'A  & B',
      entityID: 'http://Okta.example.test/Exk',
      ssoURL: 'https://Okta.example.test',
      certificate,
    },
  },
  translations: { fr: { title: odd } },
  collections: { books: { title: odd, description: `${odd}\nline` } },
  spaces: {
    guide: { id: 'sp_guide', title: odd, customFields: { owner: 'a', note: odd } },
    faq: { id: 'sp_faq' },
  },
  sites: { hub },
};

const params = { organizationId: 'org_acme' };

/** Values of other people, in a list that only adds and in a mapping. */
async function addOthers(): Promise<void> {
  const { api } = harness;
  const field = { name: 'stage', type: 'select:single', title: 'Stage', options: ['stable'] };
  await api.send('customFields.create', { params, body: field });
  const where = { params: { spaceId: 'sp_guide' } };
  await api.send('spaces.updateCustomFields', { ...where, body: { values: { stage: { value: 'stable' } } } });
}

describe.each(some(Object.entries(forms)))('a service that %s', (_what, rewrite) => {
  test.each(['quick', 'slow'])(
    'converges, or the stored value is reported once, in a %s run',
    async (pace) => {
      await addOthers();
      harness.sent.length = 0;
      harness.through = storing(({ body }) => {
        // The live state is read again before each step.
        if (pace === 'slow') void harness.sleep(60_000);
        return rewritten(body, rewrite);
      });
      const tree = await treeOf(document);
      const first = await harness.plan(tree);
      const result = await harness.apply(tree, first);
      const text = renderApplyResult(result, { color: false, width: 200 });
      const open = result.organizations
        .flatMap(({ outcomes }) => outcomes)
        .filter(({ type }) => type !== 'done');
      expect(
        open.map(({ step, type }) => `${step.id} ${type}`),
        text,
      ).toEqual([]);
      expect(isComplete(result), text).toBe(true);
      const pending = pendingAfter([first], result, { run: 'r-1', time: '2026-01-01T00:00:00Z' });
      const recorded = { ...first.ids, ...Object.fromEntries(result.organizations[0]?.made ?? []) };
      const known: readonly PendingChange[] = pending.get(first.label) ?? [];
      harness.sent.length = 0;
      const second = await harness.plan(tree, { pending: known, recorded });
      expect(second.steps.map(({ id, fields }) => [id, fields])).toEqual([]);
      const reported = result.organizations[0]?.stored ?? [];
      const kept = new Set(second.pending?.map(({ address, field }) => `${address} ${field}`));
      expect(kept.size, 'told once, and kept').toBe(reported.length);
      for (const { step, field } of reported) expect(text).toContain(`${step.address}  ${field}: sent `);
      // An element that is no longer declared is removed in its stored form, and a change by others is still seen.
      const stage = async () =>
        (await harness.api.send('customFields.get', { params: { ...params, fieldName: 'stage' } })) as {
          options: readonly string[];
        };
      const before = (await stage()).options;
      const fewer = { ...document.customFields, stage: { options: { add: [odd] } } };
      const remembered = { base: tree, pending: known, recorded };
      const less = await harness.plan(await treeOf({ ...document, customFields: fewer }), remembered);
      const changes = less.steps.flatMap(({ address, fields }) => fields.map((one) => ({ address, ...one })));
      expect(changes).toMatchObject([{ address: 'customFields/stage', after: before.slice(0, 2) }]);
      const setStage = (options: readonly string[]) =>
        harness.api.send('customFields.update', {
          params: { ...params, fieldName: 'stage' },
          body: { options },
        });
      await setStage(before.slice(0, 1));
      const drift = (await harness.plan(tree, remembered)).steps.flatMap(({ fields }) => fields);
      expect(drift).toMatchObject([{ field: 'options', cause: 'drift' }]);
      await setStage(before);
      // Without a record, nothing is created a second time unless the letters differ, too.
      const made = recorded['sites/hub'] ?? '';
      const elsewhere = await harness.plan(
        await treeOf({ ...document, sites: { hub: { ...hub, id: made } } }),
      );
      const refused = new Set(elsewhere.refusals.flatMap(({ steps }) => steps));
      const again = elsewhere.steps.filter(({ phase, id }) => phase === 'create' && !refused.has(id));
      if (lettersOf(rewrite(odd, 'title')) === lettersOf(odd)) expect(again.map(({ id }) => id)).toEqual([]);
      // Nor is an element added twice if the run ended before its record. One that others removed is added again.
      const options = document.customFields.stage.options.add;
      const isAlike = options.every((one) => lettersOf(rewrite(one, 'options')) === lettersOf(one));
      const { customFields: _fields, ...former } = document;
      for (const past of isAlike ? [{}, { recorded }, { recorded, base: await treeOf(former) }] : []) {
        const stages = async () =>
          (await harness.plan(tree, past)).steps.filter(({ address }) => address === 'customFields/stage');
        expect(await stages()).toEqual([]);
        await setStage(before.slice(0, -1));
        expect(await stages()).toMatchObject([{ fields: [{ after: before.with(-1, options[1] ?? '') }] }]);
        await setStage(before);
      }
      // If the manifest has the stored form, no form has to be remembered.
      const agreed = await treeOf(document);
      for (const { step, field, stored } of reported) {
        const node = agreed.get(step.address);
        if (node !== undefined) Object.assign(node.fields, { [field]: stored });
      }
      expect((await harness.plan(agreed, { pending: known, recorded })).steps.map(({ id }) => id)).toEqual(
        [],
      );
    },
  );
});

test('fails the step without showing either value if a secret is stored in another form', async () => {
  harness.through = storing(({ body }) => rewritten(body, (text) => text.replace('hush', 'HUSH')));
  const tree = await treeOf({
    octavo: 1,
    organization: { id: 'org_acme' },
    customFields: { owner: { type: 'select:single', options: ['a'] } },
  });
  const options = [new Secret('${secret:OPTION}', 'hush-hush-1234')];
  Object.assign(tree.get('customFields/owner')?.fields ?? {}, { options });
  const result = await harness.apply(tree, await harness.plan(tree));
  const text = renderApplyResult(result, { color: false, width: 200 });
  expect(text).toContain('the service did not store options');
  const { stored, outcomes } = result.organizations[0] ?? {};
  expect(stored).toEqual([]);
  expect(`${text}${JSON.stringify(outcomes)}`.toLowerCase()).not.toContain('hush-hush');
});
