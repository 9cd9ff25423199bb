/** `octavo graph`: manifests without a service, saved plans without manifests, new plans; and what is refused. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, manifest, octavo, root } from './octavo.ts';
import { applied, local, save } from './plans.ts';

interface GraphDocument {
  readonly nodes: readonly { readonly id: string; readonly address: string; readonly title?: string }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly type: string;
    readonly label?: string;
  }[];
  readonly notes: readonly string[];
}

const graphOf = async (args: readonly string[], cwd: string, env = {}): Promise<GraphDocument> => {
  const ran = await octavo(['graph', '--format', 'json', ...args], { cwd, env });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return JSON.parse(ran.stdout) as GraphDocument;
};

test('the manifests, without a service: objects, parents and references', async () => {
  const acme = join(root, 'examples/acme');
  const { nodes, edges } = await graphOf([], acme);
  expect(nodes).toHaveLength(38);
  expect(edges.filter(({ type }) => type === 'parent')).toHaveLength(37);
  const { stdout } = await octavo(['graph'], { cwd: acme });
  await expect(stdout).toMatchFileSnapshot('../report/golden/graph-acme.mmd');
  expect(edges).toContainEqual({
    from: 'org_acme sites/developer-hub',
    to: 'org_acme sites/developer-hub/sections/guides',
    type: 'reference',
    label: 'default',
  });
  const target = await graphOf(['--target', 'teams/writers'], acme);
  expect(target.nodes.map(({ address }) => address)).toEqual([
    'organization',
    'members/bob@acme.example',
    'members/cleo@acme.example',
    'members/dan@acme.example',
    'teams/writers',
  ]);
  expect(target.notes).toEqual(['Left out by --target and --exclude: 33 objects.']);
  const part = await graphOf(['--target', 'sites/status/**', '--exclude', 'sites/*/spaces/*'], acme);
  expect(part.nodes.map(({ address }) => address)).toEqual([
    'organization',
    'sites/status',
    'spaces/status-page',
  ]);
});

test('Mermaid unless another format is asked for; several go to files', async () => {
  const cwd = folder({ 'a.yaml': manifest });
  const { stdout } = await octavo(['graph'], { cwd });
  expect(stdout).toContain('flowchart LR\n  n1["organization<br/>');
  expect(stdout).toContain('n2["teams/platform<br/>team #34;Platform#34;"]');
  await octavo(['graph', '--format', 'json=a.json', '--format', 'dot=a.dot'], { cwd });
  expect(JSON.parse(readFileSync(join(cwd, 'a.json'), 'utf8'))).toMatchObject({ graph: 'workspace' });
  expect(readFileSync(join(cwd, 'a.dot'), 'utf8')).toMatch(/^digraph octavo \{/);
});

test('a plan, new or saved, whole or in part', async () => {
  const cwd = await applied();
  await save(cwd, manifest.replace('Writers', 'Authors').replace('Platform', 'Base'));
  const saved = await graphOf(['plan.json'], cwd);
  expect(saved.nodes.map(({ address }) => address)).toEqual(['teams/platform', 'teams/writers']);
  expect(await graphOf(['--plan'], cwd, local)).toEqual(saved);
  const part = await graphOf(['plan.json', '--target', 'teams/w*'], cwd);
  expect(part.nodes.map(({ address }) => address)).toEqual(['teams/writers']);
  expect(part.notes).toEqual(['Left out by --target and --exclude: 1 step.']);
});

test.each([
  [['--target', 'teams/writer'], 'no-such-address', 'did you mean teams/writers?'],
  [['--base', 'main'], 'usage', 'add --plan, or leave it out'],
  [['missing.json'], 'plan-file', 'cannot read the plan missing.json'],
  [['plan.json', '-f', '.'], 'plan-file', 'draw a new plan with --plan'],
  [['--format', 'text'], 'usage', 'use one of mermaid, dot, json'],
  [['-f', 'broken.yaml'], 'unknown-reference', 'broken.yaml'],
])('what is wrong is said: %j', async (args, code, help) => {
  const broken =
    'octavo: 1\norganization: { id: o }\nsites: { a: { title: A, spaces: { m: { space: nowhere } } } }\n';
  const cwd = folder({ 'a.yaml': manifest, 'broken.yaml': broken });
  const files = args.includes('-f') || args.includes('missing.json') ? [] : ['-f', 'a.yaml'];
  const ran = await octavo(['graph', ...args, ...files], { cwd });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain(`error[${code}]`);
  expect(ran.stderr).toContain(help);
});
