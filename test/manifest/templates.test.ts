/** Templates: their objects and places, and their use with variables, secrets, overlays and other documents. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { renderedText } from '../../src/manifest/emit/render.ts';
import { loadWorkspace, type WorkspaceOptions } from '../../src/manifest/load-workspace.ts';
import { lineText, placeText } from '../../src/util/places.ts';
import { Secret } from '../../src/util/secret.ts';
import { memoryFiles } from '../support/memory-files.ts';

const head = 'octavo: 1\norganization: org_acme\n';

function load(texts: Readonly<Record<string, string>>, given: Partial<WorkspaceOptions> = {}) {
  const files = memoryFiles(
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [`/w/${name}`, text])),
  );
  return loadWorkspace({ paths: ['.'], overlays: [], env: {}, cwd: '/w', registry, files, ...given });
}

type Loaded = Awaited<ReturnType<typeof load>>;

const messages = ({ diagnostics }: Loaded) => diagnostics.map(({ message }) => message);

function fieldsOf({ trees }: Loaded): Readonly<Record<string, unknown>> {
  const nodes = trees.flatMap(({ label, nodes: all }) =>
    [...all.values()].map(({ address, fields }) => [`${label}/${address}`, fields] as const),
  );
  return Object.fromEntries(nodes.filter(([, fields]) => Object.keys(fields).length > 0));
}

const site = `templates:
  product:
    inputs:
      title: { type: string }
      public: { type: string, default: public }
    site:
      title: \${input:title}
      visibility: \${input:public}
      shareLinks: { reviewers: { name: "For \${input:title} (\${input:key})" } }
`;

test('declares one object, one per record and one per record of a file, in the order of entries', async () => {
  const text = `${head}${site}sites:
  z: { title: Zed }
  hub: { use: product, with: { title: Hub } }
  more: { use: product, each: "\${yaml:list.txt}" }
  a: { title: Ahh }
`;
  const workspace = await load({
    'a.yaml': text,
    'list.txt': '- { key: one, title: One, public: unlisted }\n- { key: two, title: Two, was: second }\n',
  });
  expect(messages(workspace)).toEqual([]);
  expect(fieldsOf(workspace)).toEqual({
    'org_acme/sites/z': { title: 'Zed' },
    'org_acme/sites/hub': { title: 'Hub', visibility: 'public' },
    'org_acme/sites/hub/shareLinks/reviewers': { name: 'For Hub (hub)' },
    'org_acme/sites/one': { title: 'One', visibility: 'unlisted' },
    'org_acme/sites/one/shareLinks/reviewers': { name: 'For One (one)' },
    'org_acme/sites/two': { title: 'Two', visibility: 'public' },
    'org_acme/sites/two/shareLinks/reviewers': { name: 'For Two (two)' },
    'org_acme/sites/a': { title: 'Ahh' },
  });
  const [tree] = workspace.trees;
  expect(tree?.childrenOf('organization', 'sites').map(({ key }) => key)).toEqual([
    'z',
    'hub',
    'one',
    'two',
    'a',
  ]);
  expect(tree?.get('sites/two')?.was).toEqual(['second']);
  const two = tree?.get('sites/two');
  expect(two && lineText(two.at)).toBe('list.txt:2, for a.yaml:4');
  // The title is also in the name of the link: a new title would change both.
  expect(two?.fieldAt.title).toMatchObject({
    file: 'list.txt',
    line: 2,
    template: { line: 9 },
    usedAt: { file: 'list.txt' },
  });
  expect(two?.fieldAt.visibility && placeText(two.fieldAt.visibility)).toBe('a.yaml:7:40, for a.yaml:10');
  const link = tree?.get('sites/two/shareLinks/reviewers');
  expect(link && placeText(link.at)).toBe('a.yaml:11:21, used in list.txt:2');
});

test('keeps the type of an input, also from the environment', async () => {
  const text = `${head}templates:
  t:
    inputs:
      on: { type: boolean }
      fields: { type: mapping }
      domains: { type: list }
    document:
      organization: { sso: "\${input:on}", emailDomains: "\${input:domains}" }
      settings: { limits: { deletes: "\${env:DELETES}" } }
      customFields: \${input:fields}
use: t
with: { on: "\${env:ON}", fields: { a: { type: text, title: "$\${x}" } }, domains: [acme.dev] }
`;
  const workspace = await load({ 'a.yaml': text }, { env: { ON: 'true', DELETES: '4' } });
  expect(messages(workspace)).toEqual([]);
  const [tree] = workspace.trees;
  expect(tree?.root?.fields).toEqual({ sso: true, emailDomains: ['acme.dev'] });
  expect(tree?.root?.inputs).toEqual({ sso: '${env:ON}' });
  expect(tree?.settings.limits.deletes).toBe(4);
  expect(tree?.get('customFields/a')?.fields).toEqual({ type: 'text', title: '${x}', name: 'a' });
  const rendered = renderedText(workspace, registry);
  expect(rendered).toContain('sso: true');
  expect(rendered).toContain('deletes: 4');
  expect(rendered).toContain('title: "$${x}"');
  expect(fieldsOf(await load({ 'a.yaml': rendered }))).toEqual(fieldsOf(workspace));
});

test('fills in an input once and keeps a secret a secret, alone and inside of a text', async () => {
  const text = `${head}templates:
  t: { inputs: { token: { type: string }, odd: { type: string } }, samlProvider: { label: "\${input:odd}", entityID: "urn:\${input:token}:x", certificate: "\${input:token}" } }
samlProviders:
  okta: { use: t, with: { token: "\${secret:TOKEN}", odd: "\${env:ODD} \${file:odd.txt}" } }
`;
  const env = { TOKEN: 'very-secret-text', ODD: '${input:token}' };
  const workspace = await load({ 'a.yaml': text, 'odd.txt': '${secret:TOKEN}' }, { env });
  const fields = workspace.trees[0]?.get('samlProviders/okta')?.fields ?? {};
  expect(fields.label).toBe('${input:token} ${secret:TOKEN}');
  expect(fields.entityID).toBeInstanceOf(Secret);
  expect(fields.certificate).toBeInstanceOf(Secret);
  const rendered = renderedText(workspace, registry);
  expect(rendered).toContain('entityID: "urn:${secret:TOKEN}:x"');
  expect(rendered).toContain('certificate: "${secret:TOKEN}"');
  expect(rendered).not.toContain('very-secret-text');
  expect(fieldsOf(await load({ 'a.yaml': rendered }, { env }))).toMatchObject({
    'org_acme/samlProviders/okta': { label: '${input:token} ${secret:TOKEN}' },
  });
});

test('renders unset variables as written and fills in inputs', async () => {
  const text = `${head}templates:\n  t: { inputs: { a: { type: string } }, team: { title: "\${input:a} \${env:UNSET}" } }\nteams: { x: { use: t, with: { a: "\${env:OTHER}!" } } }\n`;
  const workspace = await load({ 'a.yaml': text }, { purpose: 'check' });
  expect(renderedText(workspace, registry)).toContain('title: "${env:OTHER}! ${env:UNSET}"');
});

test('applies overlays to template objects, adds objects and reports unknown ones', async () => {
  const manifest = `${head}${site}sites:\n  hub: { use: product, with: { title: Hub } }\n`;
  const overlay = `octavo: 1
overlay: production
sites:
  hub: { visibility: unlisted, shareLinks: { reviewers: { name: Others } } }
  events: { new: true, use: product, with: { title: Events } }
`;
  const workspace = await load({ 'a.yaml': manifest, 'p.yaml': overlay }, { overlays: ['production'] });
  expect(messages(workspace)).toEqual([]);
  expect(fieldsOf(workspace)).toEqual({
    'org_acme/sites/hub': { title: 'Hub', visibility: 'unlisted' },
    'org_acme/sites/hub/shareLinks/reviewers': { name: 'Others' },
    'org_acme/sites/events': { title: 'Events', visibility: 'public' },
    'org_acme/sites/events/shareLinks/reviewers': { name: 'For Events (events)' },
  });
  const wrong = await load(
    { 'a.yaml': manifest, 'p.yaml': `${overlay}  hubb: { visibility: public }\n` },
    { purpose: 'check' },
  );
  expect(messages(wrong)).toEqual(['site "hubb" is not in the manifests']);
});

test('clears a value with null in a template, also if an overlay or an override uses it', async () => {
  const text = `${head}templates:
  t: { site: { title: Site, proxy: null } }
  outer: { document: { sites: {} } }
use: outer
sites: { a: { new: true, use: t }, b: { new: true, title: Other, proxy: null } }
`;
  const workspace = await load({ 'a.yaml': text });
  expect(fieldsOf(workspace)).toEqual({
    'org_acme/sites/a': { title: 'Site', proxy: null },
    'org_acme/sites/b': { title: 'Other' },
  });
});

test('declares organizations from a list next to documents of the same ones', async () => {
  const text = `octavo: 1
templates:
  office: { inputs: { title: { type: string } }, document: { organization: { title: "\${input:title}" }, teams: { a: { title: "\${input:key} team" } } } }
  named: { inputs: { host: { type: string } }, document: { organization: { match: { hostname: "\${input:host}" } } } }
---
octavo: 1
use: office
each: [{ key: org_a, title: Alpha }, { key: org_b, title: Beta, override: { teams: { b: { new: true, title: Bees } } } }]
---
octavo: 1
organization: org_b
teams: { c: { title: Cees } }
---
octavo: 1
use: named
each: [{ key: x, host: acme }]
`;
  const workspace = await load({ 'a.yaml': text });
  expect(messages(workspace)).toEqual([]);
  expect(fieldsOf(workspace)).toEqual({
    'org_a/organization': { title: 'Alpha' },
    'org_a/teams/a': { title: 'org_a team' },
    'org_b/organization': { title: 'Beta' },
    'org_b/teams/a': { title: 'org_b team' },
    'org_b/teams/b': { title: 'Bees' },
    'org_b/teams/c': { title: 'Cees' },
  });
  expect(workspace.trees.map(({ label }) => label)).toEqual(['hostname=acme', 'org_a', 'org_b']);
});

test('rejects an object declared by a template and by hand', async () => {
  const workspace = await load({
    'a.yaml': `${head}${site}sites:\n  hub: { use: product, with: { title: Hub } }\n`,
    'b.yaml': `${head}sites:\n  hub: { title: Hub two }\n`,
  });
  expect(messages(workspace)).toEqual(['sites/hub/title is declared twice']);
});

test('resolves paths in a template from its file, and in an input from the file of the input', async () => {
  const workspace = await load({
    'templates/t.yaml':
      'octavo: 1\ntemplates:\n  t: { inputs: { more: { type: string } }, team: { title: "${file:own.txt} ${input:more}" } }\n',
    'templates/own.txt': 'own',
    'a.yaml': `${head}teams: { x: { use: t, with: { more: "\${file:more.txt}" } } }\n`,
    'more.txt': 'more',
  });
  expect(messages(workspace)).toEqual([]);
  expect(fieldsOf(workspace)).toEqual({ 'org_acme/teams/x': { title: 'own more' } });
});
