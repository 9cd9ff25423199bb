/** `octavo explain`: everything that has a name is explained, from what validation and plans use themselves. */
import { describe, expect, test } from 'vitest';
import { findTopic, topicNames } from '../../src/cli/explain/find-topic.ts';
import { kinds, registry } from '../../src/kinds/index.ts';
import { sampleKeyOf } from '../../src/kinds/sample-key.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { diagnosticCodes } from '../../src/util/diagnostic-codes.ts';
import { folder, octavo } from './octavo.ts';

const source = { registry, isRecursive: false };
const explain = (topic: string) => findTopic(source, topic);
const factOf = (topic: string, label: string) =>
  explain(topic).facts.find((one) => one.label === label)?.texts ?? [];

describe('every topic', () => {
  const names = topicNames(registry);

  test('is explained, by the name that the explanation has too', () => {
    for (const name of names) {
      const { topic, description, reference } = explain(name);
      expect(description, name).toMatch(/\S/);
      expect(reference, name).toMatch(/^docs\/reference\//);
      expect(explain(topic).topic, name).toBe(topic);
    }
  });

  test('of the manifests has an example that is valid', async () => {
    const files: Record<string, string> = {};
    for (const [at, name] of names.entries()) {
      const { example, what } = explain(name);
      if (example === undefined || /^(key|rule)/.test(what)) continue;
      const head = example.includes('organization:') ? '' : 'organization: org_1\n';
      const id = example.replace(/^organization:\n/, 'organization:\n  id: org_1\n');
      files[`m${at}.yaml`] = `octavo: 1\n${head}${id}`;
    }
    const cwd = folder(files);
    expect(Object.keys(files).length).toBeGreaterThan(80);
    for (const file of Object.keys(files)) {
      const options = { paths: [file], overlays: [], env: {}, cwd, registry, purpose: 'check' } as const;
      const { diagnostics } = await loadWorkspace(options);
      // An example shows one line; what it refers to is elsewhere.
      const wrong = diagnostics.filter(({ code }) => !['unknown-reference', 'missing-file'].includes(code));
      expect(wrong, files[file]).toEqual([]);
    }
  });
});

test('guards are explained by the names that plans show', () => {
  const guards = Object.keys(diagnosticCodes.Planning).flatMap(
    (code) => /^refused-(.*)$/.exec(code)?.[1] ?? [],
  );
  expect(guards).toContain('lockout');
  for (const name of guards) {
    expect(explain(name).reference, name).toBe(`docs/reference/guards.md#${name}`);
    expect(explain(`guard: ${name}`)).toEqual(explain(name));
    expect(topicNames(registry)).toContain(name);
  }
});

test('samples are accepted by the schemas that they are samples of', () => {
  for (const kind of kinds) {
    const keys = kind.manifest.keySchema?.();
    if (keys !== undefined) expect(keys.safeParse(sampleKeyOf(kind)).success, kind.name).toBe(true);
    for (const [name, field] of Object.entries(kind.fields)) {
      const sample = field.example;
      expect(field.schema().safeParse(sample).success, `${kind.name}.${name}`).toBe(true);
      if (typeof sample === 'string') expect(field.remark?.(sample), `${kind.name}.${name}`).toBeUndefined();
    }
  }
});

test('every field says which operations set it, unless it is a key that the API never sets', () => {
  const silent = kinds.flatMap((kind) =>
    Object.keys(kind.fields)
      .filter((name) => kind.manifest.whole !== name)
      .filter((name) => factOf(`${kind.name}.${name}`, 'Set by').length === 0)
      .map((name) => `${kind.name}.${name}`),
  );
  expect(silent).toEqual(['member.email']);
});

test('a field: value, null, change, operations and risks are those of the kind', () => {
  expect(factOf('sites.sections.condition', 'Value')).toEqual(['string (at most 1024 characters)']);
  expect(factOf('sites.sections.condition', 'null')).toEqual(['clears it']);
  expect(factOf('sites.title', 'null')[0]).toMatch(/^not allowed/);
  expect(factOf('organization.defaultRole', 'null')).toEqual(['a value of its own: a guest']);
  expect(factOf('customFields.type', 'Change')[0]).toMatch(/^forces replacement/);
  expect(factOf('sites.sections.title', 'Set by').map((line) => line.split(':')[0])).toEqual([
    'sections.create',
    'sections.update',
  ]);
  expect(factOf('teams.members', 'Read by')[0]).toMatch(/^teams\.listMembers: /);
  expect(factOf('sites.visibility', 'Risks')).toContain('public: opens the site to everyone');
  expect(factOf('sites.sections.spaces.space', 'Required')).toEqual(['for new objects']);
  expect(factOf('sites.sections.path', 'Unique')).toEqual(['inside its site']);
  expect(factOf('members.sso', 'Change')).toContain('it can be switched on, not off');
});

test.each([
  ['sites/hub/sections/api', 'section group or link or section'],
  ['sites/hub/sections/api/condition', 'field of section'],
  ['sites.hub.sections.api.condition', 'field of section'],
  ['site-space', 'kind: site-space'],
  ['siteSpace.condition', 'field of site-space'],
  ['OpenAPI-Spec', 'kind: OpenAPI spec'],
  ['sites.adaptiveContent.enabled', 'part of sites.adaptiveContent'],
  ['sites.sections.lifecycle.ignore', 'setting of lifecycle'],
  ['settings.limits.deletes', 'setting of settings.limits'],
  ['config.baseUrl', 'setting of config'],
  ['octavo.config.yaml', 'setting'],
  ['error[unknown-key]:', 'diagnostic about manifests'],
  ['sites.update', 'operation of the API: Sites'],
  ['3', 'exit code'],
  ['${env:NAME}', 'in any string of a manifest, but in no key'],
  ['condition', 'field of several kinds'],
  ['entityID', 'field of SAML provider'],
  ['id', 'key of any object that has an id'],
])('%s: %s', (topic, what) => {
  expect(explain(topic).what).toBe(what);
});

test('a word with several meanings: that of the manifests first, with how to ask for the others', () => {
  const { what, also } = explain('overlay');
  expect(what).toBe('key of a document');
  expect(also).toEqual(["'error[overlay]'"]);
  expect(explain('error[overlay]').what).toBe('diagnostic about manifests');
});

test.each([
  ['sites.visibilty', 'did you mean sites.visibility?'],
  ['sites.sections.conditon', 'did you mean sites.sections.condition?'],
  ['settings.limits.delete', 'did you mean settings.limits.deletes?'],
  ['sites.adaptiveContent.enable', 'did you mean sites.adaptiveContent.enabled?'],
  ['unknown-kee', 'did you mean unknown-key?'],
  ['plan', 'octavo plan --help explains the command'],
  ['site.update', 'did you mean sites.update?'],
  ['sections', 'did you mean section?'],
  ['xyzzyxyzzy', 'octavo explain lists the topics'],
])('%s: %s', async (topic, help) => {
  const { code, stdout, stderr } = await octavo(['explain', topic]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`help: ${help}`);
});

test('without a topic: the keys of a manifest, or the whole tree', async () => {
  const { code, stdout } = await octavo(['explain']);
  expect(code).toBe(0);
  for (const key of registry.collectionsOf(registry.root.name)) expect(stdout).toContain(`  ${key} `);
  const { stdout: tree } = await octavo(['explain', '--recursive']);
  for (const kind of kinds)
    for (const name of Object.keys(kind.fields))
      if (kind.manifest.whole !== name) expect(tree).toContain(name);
  const widest = Math.max(...tree.split('\n').map((line) => line.length));
  expect(widest).toBeLessThanOrEqual(110);
});

test('as JSON, for editors and scripts', async () => {
  const { code, stdout } = await octavo(['explain', 'teams', '--format', 'json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    format: 1,
    topic: 'teams',
    parts: { rows: [{ name: 'title', required: true, depth: 0 }, { name: 'members' }] },
  });
});

test('every code of a diagnostic has a meaning, an example and a way out', () => {
  for (const codes of Object.values(diagnosticCodes)) {
    for (const [code, texts] of Object.entries(codes)) {
      expect(texts.length, code).toBe(3);
      for (const text of texts) expect(text, code).toMatch(/^\S.*[^.\s]$/s);
      const { description, facts } = explain(`error[${code}]`);
      expect(description, code).toBe(`${texts[0].replaceAll('`', '')}.`);
      expect(facts.map(({ label }) => label).slice(0, 2)).toEqual(['Example', 'Way out']);
    }
  }
});
