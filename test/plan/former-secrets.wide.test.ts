/** Once a secret, always hidden: a secret of the base appears neither in plans nor in undo data. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { planViews } from '../../src/cli/show/views.ts';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import { digestsOf } from '../../src/run/approval/digest.ts';
import { saveTree } from '../../src/run/plan-file/saved-tree.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { asPlan, loadTexts, onlyTree } from '../support/harness.ts';
import { sharedHarness } from '../support/shared-harness.ts';
import { type AppliedRun, applyTree } from '../support/undo.ts';

const harness = await sharedHarness();

type Data = { [key: string]: Data | string | number | boolean | null | readonly string[] };

const provider = { label: 'Okta', entityID: 'urn:okta', ssoURL: 'https://okta.example/sso' };
const manifest = (): Data => ({
  octavo: 1,
  organization: { id: 'org_acme' },
  settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } },
  customFields: { owner: { type: 'text', title: 'Owner', description: 'Who', placeholder: 'Name' } },
  teams: { docs: { title: 'Docs' } },
  samlProviders: { okta: { ...provider, certificate: 'MIIC' } },
  collections: {
    book: {
      title: 'Book',
      description: 'All',
      spaces: { faq: { id: 'sp_faq', title: 'FAQ', customFields: { owner: 'people' } } },
    },
  },
  openapi: { api: { source: { url: 'https://api.example/openapi.json' } } },
  translations: { fr: { title: 'French' } },
  sites: {
    hub: {
      title: 'Hub',
      basename: 'hub',
      sections: {
        guides: {
          title: 'Guides',
          path: 'guides',
          description: 'How',
          spaces: { main: { space: 'faq', path: 'main' } },
        },
        beta: {
          title: 'Beta',
          condition: 'visitor.claims.unsigned.beta',
          spaces: { main: { space: 'faq', path: 'beta' } },
        },
      },
      shareLinks: { partners: { name: 'Partners' } },
    },
  },
});

/** Path of the object, field, and the secret value with the later one. */
const words = ['hushword', 'plainword'] as const;
const urls = ['https://a.example/hushword', 'https://a.example/plainword'] as const;
const claims = ['visitor.claims.unsigned.hushword', 'visitor.claims.unsigned.plainword'] as const;
const fields: readonly (readonly [string, string, readonly [string, string]])[] = [
  ['customFields/owner', 'title', words],
  ['customFields/owner', 'description', words],
  ['customFields/owner', 'placeholder', words],
  ['teams/docs', 'title', words],
  ['samlProviders/okta', 'label', words],
  ['samlProviders/okta', 'entityID', words],
  ['samlProviders/okta', 'ssoURL', urls],
  ['samlProviders/okta', 'certificate', words],
  ['collections/book', 'title', words],
  ['collections/book', 'description', words],
  ['collections/book/spaces/faq', 'title', words],
  ['collections/book/spaces/faq', 'customFields/owner', words],
  ['openapi/api', 'source/url', urls],
  ['translations/fr', 'title', words],
  ['sites/hub', 'title', words],
  ['sites/hub', 'basename', words],
  ['sites/hub/sections/guides', 'title', words],
  ['sites/hub/sections/guides', 'path', words],
  ['sites/hub/sections/guides', 'description', words],
  ['sites/hub/sections/beta', 'condition', claims],
  ['sites/hub/sections/guides/spaces/main', 'path', words],
  ['sites/hub/shareLinks/partners', 'name', words],
];

function holder(data: Data, path: string): readonly [Data, string] {
  const keys = path.split('/');
  const key = keys.pop() ?? '';
  return [keys.reduce((inner, one) => inner[one] as Data, data), key];
}

function set(inner: Data, key: string, value: string | null): void {
  inner[key] = value;
}

function remove(inner: Data, key: string): void {
  delete inner[key];
}

function edited(path: string, edit: (holder: Data, key: string) => void): string {
  const data = manifest();
  edit(...holder(data, path));
  return stringify(data);
}

const load = async (text: string, env: Readonly<Record<string, string>> = {}) =>
  onlyTree(await loadTexts({ 'a.yaml': text }, registry, env));

async function asBase(text: string, env: Readonly<Record<string, string>>): Promise<DesiredTree> {
  const bytes = Buffer.from(text);
  const files = {
    type: async (file: string) => (file === '/w' ? ('folder' as const) : ('file' as const)),
    list: async () => [{ name: 'a.yaml', type: 'file' as const }],
    size: async () => bytes.length,
    read: async () => bytes,
    real: async (file: string) => file,
  };
  const loaded = await loadWorkspace({
    paths: [],
    overlays: [],
    env,
    cwd: '/w',
    registry,
    files,
    purpose: 'base',
  });
  expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return onlyTree(loaded);
}

async function shown(plan: OrganizationPlan): Promise<string> {
  const digested = { plan: asPlan(plan), digests: { ...digestsOf(asPlan(plan)), version: '1' } };
  const texts: string[] = [];
  for (const load of Object.values(planViews)) {
    const view = await load();
    texts.push([...view(digested, { color: false, width: 100, showUnmanaged: true })].join(''));
  }
  return texts.join('\n');
}

const ways = ['literal', 'env', 'same variable', 'null', 'absent', 'object', 'key', 'overlay'] as const;

/** `npm test` runs every fourth case. */
const step = Math.ceil(1 / Math.min(1, Number(process.env.OCTAVO_TEST_SCALE ?? 1)));

describe.each(fields.filter((_one, at) => at % step === 0))(
  'a former secret in %s %s',
  (address, field, [secret, plain]) => {
    const at = `${address}/${field}`;
    const before = edited(at, (inner, key) => {
      inner[key] = '${secret:S}';
    });
    const after: Readonly<Record<(typeof ways)[number], () => string>> = {
      literal: () => edited(at, (inner, key) => set(inner, key, plain)),
      env: () => edited(at, (inner, key) => set(inner, key, '${env:E}')),
      'same variable': () => edited(at, (inner, key) => set(inner, key, '${env:S}x')),
      null: () => edited(at, (inner, key) => set(inner, key, null)),
      absent: () => edited(at, remove),
      object: () => edited(address, remove),
      key: () =>
        edited(address, (inner, key) => {
          const own = { ...(inner[key] as Data), was: key };
          delete inner[key];
          inner[`${key}-2`] = own;
          const [renamed, name] = holder(inner, `${key}-2/${field}`);
          renamed[name] = plain;
        }),
      overlay: () => edited(at, (inner, key) => set(inner, key, '${secret:T}')),
    };

    test('is hidden in the plan and the undo data for any later value in the manifests', {
      timeout: 60_000,
    }, async () => {
      for (const isSet of [true, false]) {
        for (const way of ways) {
          if (!isSet && way !== 'literal' && way !== 'object') continue;
          harness.reset();
          const former = await load(before, { S: secret });
          await applyTree(harness, former);
          const ids = (await harness.plan(former)).ids;
          const env = { E: plain, T: plain, ...(isSet ? { S: secret } : {}) };
          const wanted = await load(after[way](), env).catch((error: unknown) => error);
          // Some fields cannot be cleared or omitted, and some keys cannot be renamed.
          if (wanted instanceof DiagnosticError) continue;
          const tree = wanted as DesiredTree;
          const base = await asBase(before, env);
          const run = await harness.plan(tree, { base, recorded: ids }).catch((error: unknown) => error);
          if (run instanceof DiagnosticError) {
            expect(run.message).not.toContain('hushword');
            continue;
          }
          const plan = run as OrganizationPlan;
          const where = `${way}, ${isSet ? 'set' : 'unset'}`;
          expect(await shown(plan), where).not.toContain('hushword');
          const own = plan.steps.filter((step) => step.address.startsWith(address));
          const causes = own.flatMap(({ cause, fields: all }) => [cause, ...all.map((one) => one.cause)]);
          expect(causes, where).not.toContain('drift');
          expect(causes, where).not.toContain('conflict');
          if (plan.refusals.length > 0) continue;
          const applied = await applyTree(harness, tree, { base }).catch((error: unknown) => error);
          // Only the recorded id identifies the object.
          if (applied instanceof DiagnosticError) continue;
          for (const one of (applied as AppliedRun).trees)
            expect(JSON.stringify([saveTree(one.before), saveTree(one.after)]), where).not.toContain(
              'hushword',
            );
        }
      }
    });
  },
);
