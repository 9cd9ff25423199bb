/** `octavo explain`: explains each kind, field and setting from the definitions that validation and plans use, and each word of a plan. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import concepts from '../../src/cli/explain/concepts.json' with { type: 'json' };
import { explanationOf, topicNames } from '../../src/cli/explain/topics.ts';
import { kinds, registry } from '../../src/kinds/index.ts';
import { sampleKeyOf } from '../../src/kinds/parts/probe.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { actionSchema } from '../../src/plan/plan.ts';
import { diagnosticCodes } from '../../src/util/diagnostic-codes.ts';
import { folder, octavo, root } from './octavo.ts';

const explain = (topic: string) => explanationOf(registry, topic);
const factOf = (topic: string, label: string) =>
  explain(topic).facts.find((one) => one.label === label)?.texts ?? [];

describe('every topic', () => {
  const names = topicNames(registry);

  test('is explained under its name', () => {
    for (const name of names) {
      const { topic, description, reference } = explain(name);
      expect(description, name).toMatch(/\S/);
      expect(reference, name).toMatch(/^docs\//);
      expect(topic).toBe(name);
    }
    expect([...new Set(names)]).toEqual(names);
  });

  test('of a kind has a valid example', async () => {
    const files: Record<string, string> = {};
    for (const [at, name] of names.entries()) {
      const { example } = explain(name);
      if (example === undefined) continue;
      const head = example.includes('organization:') ? '' : 'organization: org_1\n';
      const id = example.replace(/^organization:\n/, 'organization:\n  id: org_1\n');
      files[`m${at}.yaml`] = `octavo: 1\n${head}${id}`;
    }
    const cwd = folder(files);
    expect(Object.keys(files).length).toBeGreaterThan(80);
    for (const file of Object.keys(files)) {
      const options = { paths: [file], overlays: [], env: {}, cwd, registry, purpose: 'check' } as const;
      const { diagnostics } = await loadWorkspace(options);
      // An example does not include the objects and files that it refers to.
      const wrong = diagnostics.filter(({ code }) => !['unknown-reference', 'missing-file'].includes(code));
      expect(wrong, files[file]).toEqual([]);
    }
  });
});

test('samples match the schemas of their fields and keys', () => {
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

test('states value, null and change of a field from its kind', () => {
  expect(factOf('section.condition', 'Value')).toEqual(['string (1 to 1024 characters)']);
  expect(factOf('section.condition', 'null')).toEqual(['clears it']);
  expect(factOf('site.title', 'null')[0]).toMatch(/^not allowed/);
  expect(factOf('organization.defaultRole', 'null')).toEqual(['is a value of its own']);
  expect(factOf('custom-field.type', 'Change')).toEqual(['makes a new object']);
  expect(factOf('site-space.space', 'Value')).toEqual([
    'key of a space, its address, { id: … } or { title: … }',
  ]);
  expect(factOf('site-space.space', 'Required')).toEqual(['for new objects']);
});

test.each([
  ['siteSpace.condition', 'site-space.condition', 'field of site-space'],
  ['sites.sections.condition', 'section.condition', 'field of section'],
  ['OpenAPI-Spec', 'openapi-spec', 'kind of objects'],
  ['teams', 'team', 'kind of objects'],
  ['customization.styling', 'customization.styling', 'kind of objects'],
  ['settings.limits.deletes', 'settings.limits.deletes', 'setting'],
  ['config.lock', 'config.lock', 'setting'],
])('%s is %s: %s', (written, topic, what) => {
  expect(explain(written)).toMatchObject({ topic, what });
});

test.each([
  ['site.visibilty', 'did you mean site.visibility?'],
  ['sites.sections.conditon', 'did you mean sites.sections.condition?'],
  ['settings.limits.delete', 'did you mean settings.limits.deletes?'],
  ['settings.limits.deletes.x', 'octavo explain settings.limits.deletes lists what there is'],
  ['sectoin', 'did you mean section?'],
  ['digset', 'did you mean digest?'],
  ['export', 'octavo export --help explains the command'],
  ['xyzzyxyzzy', 'octavo explain lists the kinds, settings and concepts'],
])('rejects %s: %s', async (topic, help) => {
  const { code, stdout, stderr } = await octavo(['explain', topic]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`help: ${help}`);
});

/** Words in the head of an organization, before a colon, at the start of a block, in counts, and after a field. */
function wordsPrintedIn(plan: string): readonly string[] {
  return plan.split('\n').flatMap((line) => {
    const [, facts] = /^[^+~]*?(?:\(org_\w+\)|^org_\w+)(?: {3}|: )(.*)/.exec(line) ?? [];
    if (facts !== undefined)
      return facts.split(/ {3}|, /).flatMap((fact) => /^(?:\d+ )?([a-z]+(?: over)?)/.exec(fact)?.[1] ?? []);
    return [
      ...(/^(?: {2})?([A-Z][a-z]+(?: out| over)?)\b/.exec(line)?.slice(1) ?? []),
      ...[...line.matchAll(/\b\d+ to ([a-z]+)| {2}guard: ([\w-]+)$| {2}\(([a-z]+)\)/g)].flatMap(
        ([, action, guard, mark]) => action ?? guard ?? mark ?? [],
      ),
    ];
  });
}

describe('the words of plans', () => {
  const names = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  const plans = names.filter((name) => /(?:^|\/)(?:plan|causes)[\w-]*\.txt$/.test(name));
  const printed = plans.flatMap((name) => wordsPrintedIn(readFileSync(join(root, 'test', name), 'utf8')));
  const plain = ['No', 'no', 'At', 'This', 'none'];
  const guards = diagnosticCodes.flatMap((code) => /^refused-(.*)$/.exec(code)?.[1] ?? []);
  // Words for states that no plan in the folder has, and words of other sentences.
  const more = 'address|approval|base|input|manifest|prune|record|run|journal|key|lock|unmanaged|Unchanged';
  const states = 'left over|pending|rehearsed|released|managed|protection|additive|exact|ignored|undo';
  const parts = 'Partial|shard|overlay|service|folded|shortened|merged|ancestor|ahead|difference|lifted|warn';
  const words = [...printed, ...guards, ...actionSchema.options, ...`${more}|${states}|${parts}`.split('|')];

  test.each([...new Set(words)].filter((word) => !plain.includes(word)))('explain %s', (word) => {
    expect(explain(word).description).toMatch(/\S/);
  });

  test('include the most important ones in the plans of the tests', () => {
    for (const word of ['Dangerous', 'Refused', 'Left out', 'Drift', 'conflict', 'restore', 'rename'])
      expect(printed).toContain(word);
  });

  test.each([
    ['Conflicts', 'conflict', 'word of plans'],
    ['left-over', 'left over', 'word of plans'],
    ['Drift', 'drift', 'concept'],
    ['own-member', 'own-member', 'guard'],
    ['Organization', 'organization', 'kind of objects'],
  ])('%s is %s: %s', (written, topic, what) => {
    expect(explain(written)).toMatchObject({ topic, what });
  });

  test('of concepts have at most three sentences', () => {
    const long = concepts.filter(
      ({ what, text }) => what === 'concept' && text.split(/\.(?: |$)/).length > 4,
    );
    expect(long).toEqual([]);
  });
});

test('lists kinds, settings and concepts without a topic', async () => {
  const { code, stdout } = await octavo(['explain']);
  expect(code).toBe(0);
  const words = concepts.flatMap((one) => (one.what === 'concept' ? [] : one.words));
  for (const name of topicNames(registry).filter((one) => !one.includes('.') && !words.includes(one)))
    expect(stdout).toContain(`  ${name} `);
});

test('prints JSON for editors and scripts', async () => {
  const { code, stdout } = await octavo(['explain', 'team', '--format', 'json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    format: 1,
    topic: 'team',
    parts: [{ title: 'Fields', rows: [{ name: 'title' }, { name: 'members' }] }],
  });
});
