/** `{ add: … }` in manifests: permitted places, mistakes, and merging by overlays and templates. */
import { describe, expect, test } from 'vitest';
import { kinds, registry } from '../../src/kinds/index.ts';
import { isExactList } from '../../src/kinds/parts/field.ts';
import { formatText } from '../../src/manifest/format/format-text.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { loadTexts, onlyTree } from '../support/harness.ts';

const head = 'octavo: 1\norganization: org_acme\n';

async function nodeOf(
  address: string,
  texts: Readonly<Record<string, string>>,
  overlays: readonly string[] = [],
) {
  const node = onlyTree(await loadTexts(texts, registry, {}, overlays)).get(address);
  return { fields: node?.fields, additive: node?.additive, fieldAt: node?.fieldAt };
}

async function problemsOf(texts: Readonly<Record<string, string>>, overlays: readonly string[] = []) {
  try {
    await loadTexts(texts, registry, {}, overlays);
    return [];
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return error.diagnostics.map(
      ({ at, address, message, suggestion }) =>
        `${at?.file}:${at?.line}:${at?.column} ${address}: ${message} → ${suggestion}`,
    );
  }
}

test('allows add in exactly the lists that are otherwise exact', () => {
  const names = kinds.flatMap(({ name, fields }) =>
    Object.entries(fields).flatMap(([field, rule]) => (isExactList(rule) ? [`${name}.${field}`] : [])),
  );
  expect(names).toEqual([
    'organization.emailDomains',
    'organization.mergeReviewers',
    'team.members',
    'customField.options',
    'collection.access.teams',
    'collection.access.members',
    'space.mergeReviewers',
    'space.access.teams',
    'space.access.members',
    'site.access.teams',
    'site.access.members',
    'customization.header.links',
    'customization.footer.groups',
    'customization.pageActions.items',
    'customization.ai.suggestions',
    'customization.socialAccounts',
    'section.localizedTitle',
    'section.localizedDescription',
    'sectionGroup.localizedTitle',
    'link.localizedTitle',
    'link.localizedDescription',
  ]);
});

describe('an additive list', () => {
  test('keeps the normalized entries with their places', async () => {
    const text = `${head}teams:\n  a:\n    title: A\n    members:\n      add:\n        Ada@acme.dev: owner\n`;
    const { fields, additive, fieldAt } = await nodeOf('teams/a', { 'a.yaml': text });
    expect(fields?.members).toEqual({ 'ada@acme.dev': 'owner' });
    expect(additive).toEqual(['members']);
    expect(fieldAt?.['members.ada@acme.dev']).toMatchObject({ line: 8, column: 9 });
  });

  test('may be empty even if the exact list may not', async () => {
    const field = (options: string) => ({
      'a.yaml': `${head}customFields: { level: { type: "select:single", options: ${options} } }\n`,
    });
    expect(await problemsOf(field('[]'))).toHaveLength(1);
    expect((await nodeOf('customFields/level', field('{ add: [] }'))).fields?.options).toEqual([]);
  });

  test('is not assumed for an entry with the key add', async () => {
    const text = `${head}teams: { add: { title: Add } }\nspaces: { g: { id: sp_g, access: { teams: { add: read } } } }\n`;
    const { fields, additive } = await nodeOf('spaces/g', { 'a.yaml': text });
    expect(fields?.['access.teams']).toEqual({ add: 'read' });
    expect(additive).toBeUndefined();
  });

  test('accepts references to undeclared values', async () => {
    const of = (options: string) => ({
      'a.yaml': `${head}customFields: { level: { type: "select:single", options: ${options} } }\nspaces: { g: { id: sp_g, customFields: { level: other } } }\n`,
    });
    expect(await problemsOf(of('[low]'))).toHaveLength(1);
    expect(await problemsOf(of('{ add: [low] }'))).toEqual([]);
  });

  test('is formatted as any other text', () => {
    const text = `${head}teams:\n  a: {members: {add: {ada@acme.dev: owner}}, title: A}\n`;
    expect(formatText(text, { registry })).toHaveProperty(
      'text',

      `${head}\nteams:\n  a: { title: A, members: { add: { ada@acme.dev: owner } } }\n`,
    );
  });
});

test('reports mistakes in additive lists at their places', async () => {
  const at = (members: string, domains = '[acme.dev]') => ({
    'a.yaml': `octavo: 1\norganization: { id: org_acme, emailDomains: ${domains} }\nteams: { a: { title: A, members: ${members} } }\n`,
  });
  const all = [
    await problemsOf(at('{ add: { ada@acme.dev: owner }, bob@acme.dev: member }')),
    await problemsOf(at('{ add: null }')),
    await problemsOf(at('{ add: [ada@acme.dev] }')),
    await problemsOf(at('{ add: { ada@acme.dev: boss } }')),
    await problemsOf(at('{ add: { add: { ada@acme.dev: owner } } }')),
    await problemsOf(at('{ remove: { ada@acme.dev: owner } }')),
    await problemsOf(at('{}', '{ add: acme.dev }')),
    await problemsOf(at('{}', '{ remove: [acme.dev] }')),
  ];
  expect(all.flat().join('\n')).toMatchInlineSnapshot(`
    "a.yaml:3:66 teams/a: members has both add and "bob@acme.dev" → write it below add as well, or remove add: then the list is exact
    a.yaml:3:41 teams/a: members.add cannot be null → for example add: { ada@acme.dev: owner }
    a.yaml:3:41 teams/a: members.add must be a mapping, is a list → for example add: { ada@acme.dev: owner }
    a.yaml:3:57 teams/a: unknown value "boss" of "ada@acme.dev" in members.add → use one of owner, member
    a.yaml:3:48 teams/a: members.add.add must be text, is a mapping → use one of owner, member
    a.yaml:3:44 teams/a: members.remove must be text, is a mapping → use one of owner, member
    a.yaml:2:45 organization: emailDomains must be a list, is a mapping → for example emailDomains: [acme.dev]
    a.yaml:2:45 organization: emailDomains must be a list, is a mapping → for example emailDomains: [acme.dev]"
  `);
});

describe('an overlay of an additive list', () => {
  const base = `${head}teams: { a: { title: A, members: { add: { ada@acme.dev: owner } } } }\n`;
  const over = (members: string, more = '') => ({
    'a.yaml': base,
    'b.yaml': `octavo: 1\noverlay: prod\n${more}teams: { a: { members: ${members} } }\n`,
  });
  const laid = async (members: string) => nodeOf('teams/a', over(members), ['prod']);

  test('merges entries, removes entries and replaces lists', async () => {
    const { fields, additive } = await laid('{ add: { bob@acme.dev: member } }');
    expect(fields?.members).toEqual({ 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' });
    expect(additive).toEqual(['members']);
    const fewer = await laid('{ add: { ada@acme.dev: null } }');
    expect([fewer.fields?.members, fewer.additive]).toEqual([{}, ['members']]);
    const domains = {
      'a.yaml': 'octavo: 1\norganization: { id: org_acme, emailDomains: { add: [a.dev] } }\n',
      'b.yaml': 'octavo: 1\noverlay: prod\norganization: { id: org_acme, emailDomains: { add: [b.dev] } }\n',
    };
    expect((await nodeOf('organization', domains, ['prod'])).fields?.emailDomains).toEqual(['b.dev']);
  });

  test('leaves the list unmanaged with null, never exact and empty', async () => {
    for (const members of ['{ add: null }', 'null']) {
      const { fields, additive } = await laid(members);
      expect([fields?.members, additive]).toEqual([undefined, undefined]);
    }
  });

  test('rejects a mix of both forms', async () => {
    expect(await problemsOf(over('{ bob@acme.dev: member }'), ['prod'])).toEqual([
      'b.yaml:3:26 teams/a: members has both add and "bob@acme.dev" → write it below add as well, or remove add: then the list is exact',
    ]);
  });
});

test('merges the overrides next to a use with the template', async () => {
  const text = `${head}templates:
  crew:
    team: { title: Crew, members: { add: { ada@acme.dev: owner } } }
teams:
  a: { use: crew, members: { add: { bob@acme.dev: member } } }
`;
  const { fields, additive } = await nodeOf('teams/a', { 'a.yaml': text });
  expect(fields?.members).toEqual({ 'ada@acme.dev': 'owner', 'bob@acme.dev': 'member' });
  expect(additive).toEqual(['members']);
});
