/** Valid workspaces: the tree has the content of the files, from any source. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace, type Workspace } from '../../src/manifest/load-workspace.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { fillSecrets, Secret } from '../../src/util/secret.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'octavo-workspace-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
  writeFileSync(path.join(cwd, name), text);
}

interface Given {
  readonly paths?: readonly string[];
  readonly overlays?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function load(given: Given = {}): Promise<Workspace> {
  return loadWorkspace({
    paths: given.paths ?? [],
    overlays: given.overlays ?? [],
    env: given.env ?? {},
    cwd,
    registry,
  });
}

async function onlyTree(given: Given = {}): Promise<DesiredTree> {
  const { trees, diagnostics } = await load(given);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(trees).toHaveLength(1);
  const [tree] = trees;
  if (tree === undefined) throw new Error('no tree');
  return tree;
}

const head = 'octavo: 1\norganization: org_acme\n';

test('keeps odd titles and keys', async () => {
  const titles = [
    'yes',
    '0x10',
    '~',
    '👩‍💻',
    'a: b # c',
    '  blanks',
    'שלום',
    'null',
    '1e3',
    "it's",
    '"q"',
    '$${x}',
  ];
  const quoted = titles.map((title, index) => `  k${index}: { title: ${JSON.stringify(title)} }`);
  write(
    'a.yaml',
    `${head}teams:\n${quoted.join('\n')}\n  yes: { title: no }\n  0x10: { title: on }\n  "👋": { title: off }\n`,
  );
  const tree = await onlyTree();
  const arrived = titles.map((_title, index) => tree.nodes.get(`teams/k${index}`)?.fields.title);
  expect(arrived).toEqual([...titles.slice(0, -1), '${x}']);
  expect(['teams/yes', 'teams/0x10', 'teams/👋'].map((key) => tree.nodes.get(key)?.fields.title)).toEqual([
    'no',
    'on',
    'off',
  ]);
});

test('merges files and folders, and skips hidden folders, node_modules and other files', async () => {
  write('a.yaml', `${head}teams: { a: { title: A } }\n`);
  write('more/b.yml', `${head}teams: { b: { title: B } }\n---\n${head}sites: { hub: { title: Hub } }\n`);
  write('.hidden/c.yaml', `${head}teams: { c: { title: C } }\n`);
  write('node_modules/x/d.yaml', `${head}teams: { d: { title: D } }\n`);
  write('octavo.config.yaml', 'baseUrl: local\n');
  write('notes.txt', 'nothing');
  symlinkSync(cwd, path.join(cwd, 'more', 'loop'));
  expect([...(await onlyTree()).nodes.keys()]).toEqual(['organization', 'teams/a', 'teams/b', 'sites/hub']);
});

test('merges several files that match the organization in the same way', async () => {
  const match = 'octavo: 1\norganization: { match: { hostname: acme, title: Acme } }\n';
  write('a.yaml', `${match}x-note: 1\nteams: { a: { title: A } }\n`);
  write('b.yaml', `${match}x-note: 2\nteams: { b: { title: B } }\n`);
  expect([...(await onlyTree()).nodes.keys()]).toEqual(['organization', 'teams/a', 'teams/b']);
});

test('reads several organizations', async () => {
  write('a.yaml', `${head}teams: { a: { title: A } }\n`);
  write('b.yaml', 'octavo: 1\norganization: { match: { hostname: other } }\nteams: { a: { title: B } }\n');
  const { trees, diagnostics } = await load();
  expect(diagnostics).toEqual([]);
  expect(trees.map(({ label, id, match }) => ({ label, id, match }))).toEqual([
    { label: 'hostname=other', id: undefined, match: { hostname: 'other' } },
    { label: 'org_acme', id: 'org_acme', match: undefined },
  ]);
});

test('merges overlays by key, removes keys with null, replaces lists and keeps places in the overlay', async () => {
  write(
    'a.yaml',
    `${head.replace('org_acme', '{ id: org_acme, emailDomains: [a.dev, b.dev] }')}teams:\n  a: { title: A }\n  b: { title: B }\n`,
  );
  write(
    'over/1.yaml',
    'octavo: 1\noverlay: one\norganization: { id: org_acme, emailDomains: [c.dev] }\nteams: { a: { title: A1 }, b: null, c: { new: true, title: C } }\n',
  );
  write('over/2.yaml', 'octavo: 1\noverlay: two\nteams: { a: { title: A2 } }\n');
  const tree = await onlyTree({ paths: ['a.yaml'], overlays: ['over/1.yaml', 'over/2.yaml'] });
  expect([...tree.nodes.keys()]).toEqual(['organization', 'teams/a', 'teams/c']);
  expect(tree.nodes.get('organization')?.fields.emailDomains).toEqual(['c.dev']);
  expect(tree.nodes.get('teams/a')?.fields.title).toBe('A2');
  expect(tree.nodes.get('teams/a')?.fieldAt.title).toMatchObject({
    file: 'over/2.yaml',
    line: 3,
    column: 22,
  });
});

test('fills in variables, files and structures with their types', async () => {
  write(
    'a.yaml',
    [
      'octavo: 1',
      'organization: { id: "${env:ORG}", sso: "${env:SSO}", title: "${env:NAME:-Fallback} & ${env:ORG}" }',
      'samlProviders: { okta: { label: Okta, certificate: "${file:keys/okta.pem}" } }',
      'sites: { hub: { title: Hub, adaptiveSchema: "${json:schema.json}", adaptiveContent: { enabled: "${env:SSO}" } } }',
      'teams: "${yaml:parts/teams.yml}"',
      'settings: { limits: { deletes: "${env:LIMIT}" } }',
      '',
    ].join('\n'),
  );
  write('keys/okta.pem', 'PEM\n');
  write('schema.json', '{"type":"object","properties":{}}');
  write('parts/teams.yml', 'a: { title: "${env:NAME:-A}" }\n');
  const tree = await onlyTree({ env: { ORG: 'org_acme', SSO: 'true', LIMIT: '7' } });
  expect(tree.nodes.get('organization')?.fields).toEqual({ title: 'Fallback & org_acme', sso: true });
  expect(tree.nodes.get('samlProviders/okta')?.fields.certificate).toBe('PEM');
  expect(tree.nodes.get('sites/hub/adaptiveSchema')?.fields.jsonSchema).toEqual({
    type: 'object',
    properties: {},
  });
  expect(tree.nodes.get('sites/hub')?.fields.adaptiveContent).toEqual({ enabled: true });
  expect(tree.nodes.get('teams/a')?.fields.title).toBe('A');
  expect(tree.settings.limits).toEqual({ deletes: 7, deletePercent: 25, changes: null });
});

test('compares and sends secrets without showing them', async () => {
  write(
    'a.yaml',
    `${head}samlProviders: { okta: { label: Okta, certificate: "begin \${secret:PEM} end" } }\n`,
  );
  const tree = await onlyTree({ env: { PEM: 'hush-hush' } });
  const value = tree.nodes.get('samlProviders/okta')?.fields.certificate;
  expect(value).toBeInstanceOf(Secret);
  expect((value as Secret).reveal()).toBe('begin hush-hush end');
  expect(JSON.stringify([...tree.nodes.values()])).not.toContain('hush');
  expect(`${String(value)}`).not.toContain('hush');
});

test('reads settings, lifecycle, former names, references and declared collections', async () => {
  write(
    'a.yaml',
    [
      'octavo: 1',
      'organization: { id: org_acme, defaultContent: { site: hub } }',
      'settings: { prune: never, pruneKinds: { team: unlisted }, limits: { deletes: 3, deletePercent: 10 }, protect: ["sites/**"] }',
      'teams: {}',
      'spaces: { guide: { id: sp_1, was: [old, older], lifecycle: { protect: false, ignore: [emoji] } } }',
      'sites: { hub: { title: Hub, spaces: { a: { space: guide }, b: { space: spaces/guide }, c: { space: { id: sp_9 } } } } }',
      '',
    ].join('\n'),
  );
  const tree = await onlyTree();
  expect(tree.settings).toEqual({
    prune: 'never',
    pruneKinds: { team: 'unlisted' },
    limits: { deletes: 3, deletePercent: 10, changes: null },
    protect: ['sites/**'],
  });
  expect(tree.nodes.get('organization')?.declares).toEqual(['teams', 'spaces', 'sites']);
  expect(tree.nodes.get('organization')?.fields.defaultContent).toBe('hub');
  expect(tree.nodes.get('spaces/guide')).toMatchObject({
    id: 'sp_1',
    was: ['old', 'older'],
    lifecycle: { protect: false, ignore: ['emoji'] },
  });
});

test('reads CRLF, a byte-order mark, anchors and merge keys', async () => {
  write(
    'a.yaml',
    `\uFEFF${head}x-common: &common { description: D }\ncollections:\n  a: { <<: *common, title: A }\n  b: { title: B, <<: *common, description: E }\n`.replaceAll(
      '\n',
      '\r\n',
    ),
  );
  const tree = await onlyTree();
  expect(tree.nodes.get('collections/a')?.fields).toEqual({ title: 'A', description: 'D' });
  expect(tree.nodes.get('collections/b')?.fields).toEqual({ title: 'B', description: 'E' });
});

test('reads yes as text even in a file of YAML 1.1, and aliases as keys', async () => {
  write('a.yaml', `%YAML 1.1\n---\n${head}x-key: &key team\nteams: { *key : { title: yes } }\n`);
  expect((await onlyTree()).nodes.get('teams/team')?.fields.title).toBe('yes');
});

test('reads 5,000 objects in 200 files', async () => {
  for (let file = 0; file < 200; file += 1) {
    const entries = Array.from(
      { length: 25 },
      (_none, index) => `  t${file}-${index}: { title: Team ${file}-${index} }`,
    );
    write(`teams/${file}.yaml`, `${head}teams:\n${entries.join('\n')}\n`);
  }
  expect((await onlyTree()).nodes.size).toBe(5001);
});

test('applies default limits, removes one with null, and reads was: [] as new', async () => {
  write(
    'acme.yaml',
    'octavo: 1\norganization: org_acme\nteams: { a: { title: A, was: [] }, b: { title: B, was: Old }, c: { title: C } }\n',
  );
  const plain = await onlyTree();
  expect(plain.settings.limits).toEqual({ deletes: 10, deletePercent: 25, changes: null });
  const declared = ['a', 'b', 'c'].map((key) => plain.nodes.get(`teams/${key}`));
  expect(declared.map((node) => [node?.was, node?.isNew])).toEqual([
    [[], true],
    [['Old'], undefined],
    [[], undefined],
  ]);
  write(
    'acme.yaml',
    'octavo: 1\norganization: org_acme\nsettings: { limits: { deletes: null, changes: 3 } }\n',
  );
  expect((await onlyTree()).settings.limits).toEqual({ deletes: null, deletePercent: 25, changes: 3 });
});

test('fills in text next to a secret without reading another secret from it', async () => {
  const manifest = (text: string) =>
    `${head}samlProviders: { okta: { label: Okta, certificate: ${JSON.stringify(text)} } }\n`;
  write('a.yaml', manifest(`\${env:A}-\${secret:B}`));
  const env = { A: `x\${secret:OTHER}y`, B: 'hush', OTHER: 'private' };
  const value = (await onlyTree({ env })).nodes.get('samlProviders/okta')?.fields.certificate as Secret;
  expect(value.reveal()).toBe(`x\${secret:OTHER}y-hush`);
  expect(fillSecrets(value.template, (name) => env[name as keyof typeof env])?.text).toBe(value.reveal());
  write('a.yaml', manifest(`\${env:A}{secret:OTHER}-\${secret:B}`));
  const { diagnostics } = await load({ env: { ...env, A: 'x$' } });
  expect(diagnostics.map(({ message }) => message)).toContain('ambiguous text next to a secret');
});

test('outlines the trees of every example and scenario with their addresses', async () => {
  const root = path.join(import.meta.dirname, '../..');
  const within = (folder: string) =>
    readdirSync(path.join(root, folder)).map((name) => path.join(folder, name));
  const isFolder = (place: string) => statSync(path.join(root, place)).isDirectory();
  const scenarios = within('test/scenarios').filter(isFolder).flatMap(within);
  const manifests = scenarios.map((place) => path.join(place, 'manifest.yaml'));
  const places = [...within('examples'), ...manifests.filter((file) => existsSync(path.join(root, file)))];
  let compared = 0;
  for (const place of places) {
    const options = { paths: [place], overlays: [], env: {}, cwd: root, registry } as const;
    const { trees, diagnostics } = await loadWorkspace({ ...options, purpose: 'check' });
    if (diagnostics.some(({ severity }) => severity === 'error') || trees.length === 0) continue;
    const expected = trees.map(({ label, nodes }) => [label, [...nodes.keys()].sort()]);
    const { outlines, trees: chosen } = await loadWorkspace({ ...options, choose: () => [] });
    expect(chosen).toEqual([]);
    expect(
      outlines?.map(({ label, nodes }) => [label, [...nodes.keys()].sort()]),
      place,
    ).toEqual(expected);
    compared += 1;
  }
  expect(compared).toBeGreaterThan(100);
});
