/** The help of each code of manifests, followed: then the manifests are valid. A code without a row fails. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { type DiagnosticCode, diagnosticCodes } from '../../src/util/diagnostic-codes.ts';
import { memoryFiles } from '../support/memory-files.ts';

type Texts = Readonly<Record<string, string>>;

interface Row {
  readonly wrong: Texts;
  /** A part of the help. */
  readonly help: string;
  /** What the help says to change. */
  readonly right: Texts;
  readonly env?: Readonly<Record<string, string>>;
  readonly rightEnv?: Readonly<Record<string, string>>;
  readonly paths?: readonly string[];
  readonly rightPaths?: readonly string[];
  readonly overlays?: readonly string[];
}

const head = 'octavo: 1\norganization: org_acme\n';
const main = (text: string): Texts => ({ 'm.yaml': `${head}${text}` });
const crew = (text: string) => main(`teams:\n  crew: { title: ${text} }\n`);
const pages = '{ main: { space: { id: sp_x } } }';
const hub = (text: string) => main(`sites:\n  hub:\n    title: Hub\n${text}`);
const section = `{ start: { title: Start, path: start, spaces: ${pages} } }`;
const group = (key: string, inside: string) => `{ ${key}: { title: Group ${key}, sections: ${inside} } }`;
const deep = `teams: ${'['.repeat(210)}${']'.repeat(210)}\n`;

const rows: Partial<Record<DiagnosticCode, Row>> = {
  yaml: { wrong: crew('"Crew'), help: 'quote', right: crew('"Crew"') },
  'duplicate-key': {
    wrong: main('teams:\n  crew: { title: Crew }\n  crew: { title: Other }\n'),
    help: 'keep one of the two',
    right: crew('Crew'),
  },
  'merge-key': {
    wrong: main('teams:\n  crew: { <<: [1], title: Crew }\n'),
    help: '',
    right: main('teams:\n  other: &a { title: Other }\n  crew: { <<: *a, title: Crew }\n'),
  },
  alias: { wrong: crew('*crew'), help: 'quote the text', right: crew('"*crew"') },
  key: {
    wrong: main('customFields:\n  A b: { type: text }\n'),
    help: 'a-b',
    right: main('customFields:\n  a-b: { type: text }\n'),
  },
  'not-a-value': {
    wrong: main('customFields:\n  a: { type: text, title: .inf }\n'),
    help: 'quote',
    right: main('customFields:\n  a: { type: text, title: ".inf" }\n'),
  },
  'nested-too-deep': { wrong: main(deep), help: 'manifest', right: main('teams: {}\n') },
  'not-json': {
    wrong: { ...hub('    adaptiveSchema: "${json:x.json}"\n'), 'x.json': '{ "type": }' },
    help: 'expected a value',
    right: { 'x.json': '{ "type": "object" }' },
  },
  version: { wrong: { 'm.yaml': 'octavo: 2\norganization: org_acme\n' }, help: 'octavo: 1', right: main('') },
  'not-a-manifest': {
    wrong: { 'm.yaml': '- a\n' },
    help: 'octavo: 1',
    right: main(''),
  },
  'no-manifests': { wrong: { 'notes.txt': 'x' }, help: 'starts with octavo: 1', right: main('') },
  'not-found': {
    wrong: main(''),
    paths: ['docs'],
    help: 'check the path',
    right: {},
    rightPaths: ['m.yaml'],
  },
  'not-text': { wrong: { 'm.yaml': 'octavo: 1\0\n' }, help: '', right: main('') },
  organization: {
    wrong: { 'm.yaml': 'octavo: 1\norganization: { hostname: acme }\n' },
    help: 'match: { hostname: … }',
    right: { 'm.yaml': 'octavo: 1\norganization: { match: { hostname: acme } }\n' },
  },
  'declared-twice': {
    wrong: { ...crew('Crew'), 'n.yaml': `${head}teams: { crew: { title: Other } }\n` },
    help: 'keep one of the two',
    right: { 'n.yaml': head },
  },
  overlay: {
    wrong: { ...crew('Crew'), 'prod.yaml': 'octavo: 1\noverlay: prod\nteams: { crw: { title: Other } }\n' },
    overlays: ['prod.yaml'],
    help: 'crew',
    right: { 'prod.yaml': 'octavo: 1\noverlay: prod\nteams: { crew: { title: Other } }\n' },
  },
  template: {
    wrong: main('templates: { crew: { team: { title: Crew } } }\nteams: { a: { use: crw } }\n'),
    help: 'crew',
    right: main('templates: { crew: { team: { title: Crew } } }\nteams: { a: { use: crew } }\n'),
  },
  levels: {
    wrong: hub(`    sections: ${group('a', group('b', group('c', section)))}\n`),
    help: 'move it out of b',
    right: hub(`    sections: ${group('a', group('b', section))}\n`),
  },
  'exclusive-keys': {
    wrong: hub(`    spaces: ${pages}\n    sections: { a: { title: Abc, path: a, spaces: ${pages} } }\n`),
    help: 'section',
    right: hub(`    sections: { a: { title: Abc, path: a, spaces: ${pages} } }\n`),
  },
  'unusual-value': {
    wrong: crew('$CREW'),
    help: '"${env:CREW}"',
    right: crew('"${env:CREW}"'),
    env: { CREW: 'Crew' },
  },
  'unknown-key': { wrong: main('teams:\n  crew: { titel: Crew }\n'), help: 'title', right: crew('Crew') },
  value: { wrong: crew('42'), help: 'quote', right: crew('"42"') },
  null: { wrong: main('teams:\n  crew:\n'), help: 'remove', right: main('teams: {}\n') },
  'unknown-value': {
    wrong: main('customFields:\n  a: { type: selct:single, options: [a] }\n'),
    help: 'select:single',
    right: main('customFields:\n  a: { type: "select:single", options: [a] }\n'),
  },
  'unknown-reference': {
    wrong: main(
      'teams:\n  crew: { title: Crew }\nsamlProviders:\n  okta: { label: Okta, defaultTeam: crw }\n',
    ),
    help: 'crew',
    right: main(
      'teams:\n  crew: { title: Crew }\nsamlProviders:\n  okta: { label: Okta, defaultTeam: crew }\n',
    ),
  },
  'ambiguous-reference': {
    wrong: main(
      'spaces:\n  b: { title: Bcd, duplicateOf: a }\n  a: { title: Abc }\ncollections: { c: { title: Cde, spaces: { a: { title: Other } } } }\n',
    ),
    help: 'spaces/a',
    right: main(
      'spaces:\n  b: { title: Bcd, duplicateOf: spaces/a }\n  a: { title: Abc }\ncollections: { c: { title: Cde, spaces: { a: { title: Other } } } }\n',
    ),
  },
  'cyclic-reference': {
    wrong: main('spaces:\n  a: { title: Abc, duplicateOf: b }\n  b: { title: Bcd, duplicateOf: a }\n'),
    help: '',
    right: main('spaces:\n  a: { title: Abc }\n  b: { title: Bcd, duplicateOf: a }\n'),
  },
  interpolation: {
    wrong: crew('"${CREW}"'),
    help: '${env:CREW}',
    right: crew('"${env:CREW}"'),
    env: { CREW: 'Crew' },
  },
  'missing-variable': {
    wrong: crew('"${env:CREW}"'),
    help: 'set it, or write a default',
    right: {},
    rightEnv: { CREW: 'Crew' },
  },
  'missing-file': {
    wrong: crew('"${file:crew.txt}"'),
    help: '',
    right: { 'crew.txt': 'Crew' },
  },
  'missing-secret': { wrong: crew('"${secret:CREW}"'), help: 'CREW', right: crew('Crew') },
  'match-invalidated': {
    wrong: { 'm.yaml': 'octavo: 1\norganization: { match: { title: Acme }, title: Acme Docs }\n' },
    help: 'organization: { id: org_… }',
    right: { 'm.yaml': 'octavo: 1\norganization: { id: org_acme, title: Acme Docs }\n' },
  },
  'cyclic-interpolation': {
    wrong: { ...main('teams: "${yaml:t.yaml}"\n'), 't.yaml': 'crew: "${yaml:t.yaml}"\n' },
    help: '',
    right: { 't.yaml': 'crew: { title: Crew }\n' },
  },
  'path-outside': {
    wrong: { ...crew('"${file:../crew.txt}"'), 'crew.txt': 'Crew' },
    help: '',
    right: crew('"${file:crew.txt}"'),
  },
};

async function check(
  texts: Texts,
  { paths = [], overlays = [], env = {} }: Pick<Row, 'paths' | 'overlays' | 'env'>,
) {
  const files = memoryFiles(
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [`/w/${name}`, text])),
  );
  const where = { paths, overlays, env, cwd: '/w', registry, files } as const;
  return (await loadWorkspace(where)).diagnostics;
}

test.each(Object.entries(rows))('the help of %s leads to valid manifests', async (code, row) => {
  const { wrong, help, right, env = {}, rightEnv = env, paths = [], rightPaths = paths, overlays = [] } = row;
  const found = await check(wrong, { paths, overlays, env });
  expect(found.map((one) => one.code)).toContain(code);
  const told = found.find((one) => one.code === code);
  expect(`${told?.message} → ${told?.suggestion ?? ''}`).toContain(help);
  const after = await check({ ...wrong, ...right }, { paths: rightPaths, overlays, env: rightEnv });
  expect(after.map(({ message }) => message)).toEqual([]);
});

/** Codes that only files of a disk have, texts of megabytes, or files of rules; tested where those are made. */
const elsewhere = new Set<DiagnosticCode>([
  ...([
    'repository-in-manifests',
    'link-outside',
    'unreadable',
    'file-too-large',
    'not-utf8',
    'config',
  ] as const),
  ...(['too-many-values', 'too-many-inclusions', 'too-many-folders', 'rules'] as const),
]);

test('follows the help of every code of manifests', () => {
  const codes = diagnosticCodes.slice(0, diagnosticCodes.indexOf('unused-file'));
  expect(codes.filter((code) => !(code in rows) && !elsewhere.has(code))).toEqual([]);
});
