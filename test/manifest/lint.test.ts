/** Lint rules for valid manifests: findings and exceptions of each, and disabling by comments and settings. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { attributesIn, isNeverTrue } from '../../src/manifest/lint/conditions.ts';
import { lintWorkspace } from '../../src/manifest/lint/lint.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { lintRuleIds } from '../../src/util/diagnostic-codes.ts';
import { folder, octavo, root } from '../cli/octavo.ts';

const head = 'octavo: 1\norganization: org_1\n';
const schema = `
      type: object
      properties:
        unsigned: { type: object, properties: { beta: { type: boolean } }, additionalProperties: false }
        plan: { type: string }
        open: { type: object, additionalProperties: true, properties: {} }
      additionalProperties: false`;
/** A site with these sections. */
const site = (sections: string, more = '') =>
  `${head}spaces: { a: { id: sp_a, title: Aa }, b: { id: sp_b, title: Bb } }
sites:
  hub:
    title: Hub
${more}    sections:
${sections}`;

async function lint(files: Readonly<Record<string, string>>, options: object = {}) {
  const cwd = folder(files);
  const base = { paths: [], overlays: [], env: {}, cwd, registry, purpose: 'check' } as const;
  const workspace = await loadWorkspace(base);
  expect(workspace.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const found = await lintWorkspace(workspace, { registry, cwd, ...options });
  return found.map(({ severity, code, message, at }) => ({
    severity,
    code,
    message,
    at: `${at?.file}:${at?.line}:${at?.column}`,
  }));
}

const rulesOf = async (text: string) => (await lint({ 'a.yaml': text })).map(({ code }) => code);

describe('conditions', () => {
  test.each([
    ['visitor.claims.unsigned.beta', [['unsigned', 'beta']]],
    ['visitor.claims["unsigned"]["a-b"] == "visitor.claims.x"', [['unsigned', 'a-b']]],
    ['visitor.claims?.plan.startsWith("pro") && visitor.claims.beta', [['plan'], ['beta']]],
    ['my.visitor.claims.x || visitor.claimsx.y', []],
    ['true', []],
  ])('finds the attributes in %s', (text, paths) => {
    expect(attributesIn(text, 'visitor.claims').map(({ path }) => path)).toEqual(paths);
  });

  test.each([
    'false',
    ' ( false ) ',
    '!true',
    'visitor.claims.a && !visitor.claims.a',
    'visitor.claims.a && false',
  ])('detects as never true: %s', (text) => expect(isNeverTrue(text)).toBe(true));

  test.each([
    'true',
    'visitor.claims.a',
    'visitor.claims.a || false',
    '!visitor.claims.a',
    'visitor.claims.a == "false"',
    'visitor.claims.a ? false : true',
    '(visitor.claims.a && false) || visitor.claims.b',
    'visitor.claims.a && !visitor.claims.b',
    'visitor.claims.a == "x && false"',
  ])('does not detect as never true: %s', (text) => expect(isNeverTrue(text)).toBe(false));
});

describe('duplicate-section-title', () => {
  const two = (one: string, other: string) =>
    site(
      `      x: { title: Guides, path: x, spaces: { a: { space: a } }${one} }\n      y: { title: guides, path: y, spaces: { b: { space: b } }${other} }\n`,
    );

  test('reports two siblings with the same title that one visitor can see', async () => {
    expect(await lint({ 'a.yaml': two('', '') })).toEqual([
      {
        severity: 'warning',
        code: 'duplicate-section-title',
        message: 'sites/hub/sections/x has the title "guides" too, and visitors see both',
        at: 'a.yaml:9:19',
      },
    ]);
    expect(await rulesOf(two(', condition: visitor.claims.a', ''))).toEqual(['duplicate-section-title']);
  });

  test('accepts equal titles for different visitors or in different groups', async () => {
    expect(await rulesOf(two(', condition: visitor.claims.a', ', condition: "!visitor.claims.a"'))).toEqual(
      [],
    );
    const groups = ['x', 'y'].map(
      (key) =>
        `      ${key}: { title: Group ${key}, sections: { o: { title: Overview, path: ${key}o, spaces: { a: { space: a } } } } }\n`,
    );
    expect(await rulesOf(site(groups.join('')))).toEqual([]);
  });
});

describe('unknown-condition-attribute', () => {
  const withCondition = (condition: string) =>
    site(
      `      x:\n        { title: Xx, path: x, spaces: { a: { space: a, condition: ${JSON.stringify(condition)} } } }\n`,
      `    adaptiveSchema:${schema}\n`,
    );

  test.each([
    ['visitor.claims.unsigned.betta', 'visitor.claims.unsigned.betta'],
    ['visitor.claims.bata', 'visitor.claims.bata'],
  ])('reports %s', async (condition, named) => {
    const [finding, ...more] = await lint({ 'a.yaml': withCondition(condition) });
    expect(finding).toMatchObject({
      code: 'unknown-condition-attribute',
      message: `sites/hub/adaptiveSchema has no attribute ${named}`,
    });
    expect(more).toEqual([]);
  });

  test.each([
    'visitor.claims.unsigned.beta',
    'visitor.claims.plan.length > 3',
    'visitor.claims.open.whatever',
    'visitor.language == "de"',
  ])('accepts %s', async (condition) => {
    expect(await rulesOf(withCondition(condition))).toEqual([]);
  });

  test('accepts any attribute without a declared schema', async () => {
    const text = site(
      '      x: { title: Xx, path: x, condition: visitor.claims.nothing, spaces: { a: { space: a } } }\n',
    );
    expect(await rulesOf(text)).toEqual([]);
  });

  test('reads a schema from an included file', async () => {
    const text = site(
      '      x: { title: Xx, path: x, condition: visitor.claims.nothing, spaces: { a: { space: a } } }\n',
      '    adaptiveSchema: ${json:visitor.schema.json}\n',
    );
    const json = JSON.stringify({ type: 'object', properties: { beta: {} }, additionalProperties: false });
    const found = await lint({ 'a.yaml': text, 'visitor.schema.json': json });
    expect(found.map(({ code }) => code)).toEqual(['unknown-condition-attribute']);
  });
});

describe('unreachable-section', () => {
  const messages = async (sections: string) =>
    (await lint({ 'a.yaml': site(sections) })).map(({ code, message }) => `${code}: ${message}`);

  test('reports the cause of an unreachable entry once at its place', async () => {
    expect(
      await messages(
        '      x: { title: Xx, path: x, condition: "false", spaces: { a: { space: a, condition: "false" } } }\n',
      ),
    ).toEqual(['unreachable-section: no visitor can reach the section: its condition "false" is never true']);
    expect(
      await messages('      x: { title: Xx, path: x, spaces: { a: { space: a, condition: "false" } } }\n'),
    ).toEqual([
      'unreachable-section: no visitor can reach the site-space: its condition "false" is never true',
    ]);
    expect(await messages('      x: { title: Xx, path: x, spaces: {} }\n')).toEqual([
      'unreachable-section: no visitor can reach the section: it has no spaces',
    ]);
    expect(await messages('      g: { title: Gg, sections: {} }\n')).toEqual([
      'unreachable-section: no visitor can reach the section group: it has no sections',
    ]);
  });

  test('accepts a section whose contents are not declared', async () => {
    expect(await messages('      x: { title: Xx, path: x, id: sec_1 }\n')).toEqual([]);
  });
});

describe('visibility-wider-than-space', () => {
  const text = (visibility: string, level: string, around = '') =>
    `${head}collections: { c: { title: Cc${around}, spaces: { a: { id: sp_a, title: Aa${level} } } } }
sites: { hub: { title: Hub, visibility: ${visibility}, spaces: { a: { space: a } } } }\n`;

  test.each([
    ['public', ', defaultLevel: null', ''],
    ['share-link', ', defaultLevel: null', ''],
    ['unlisted', ', defaultLevel: inherit', ', defaultLevel: null'],
  ])('reports %s%s%s', async (visibility, level, around) => {
    expect(await rulesOf(text(visibility, level, around))).toEqual(['visibility-wider-than-space']);
  });

  test.each([
    ['visitor-auth', ', defaultLevel: null', ''],
    ['public', ', defaultLevel: read', ''],
    ['public', '', ', defaultLevel: null'],
    ['public', ', defaultLevel: read', ', defaultLevel: null'],
  ])('accepts %s%s%s', async (visibility, level, around) => {
    expect(await rulesOf(text(visibility, level, around))).toEqual([]);
  });
});

describe('unused-file', () => {
  const saml = (file: string) =>
    `${head}samlProviders: { okta: { label: Okta, certificate: "\${file:${file}}" } }\n`;

  test('reports an unused file among included ones, also next to manifests if only Octavo uses its extension', async () => {
    expect(
      await lint({ 'a.yaml': saml('certs/okta.pem'), 'certs/okta.pem': 'x', 'certs/old.pem': 'x' }),
    ).toEqual([
      {
        severity: 'warning',
        code: 'unused-file',
        message: 'certs/old.pem is not included anywhere, unlike okta.pem next to it',
        at: 'a.yaml:3:53',
      },
    ]);
    const beside = await lint({ 'a.yaml': saml('okta.pem'), 'okta.pem': 'x', 'old.pem': 'x' });
    expect(beside.map(({ code }) => code)).toEqual(['unused-file']);
  });

  test.each([
    ['PRIVATE KEY', 'certs/old.pem', ''],
    ['RSA PRIVATE KEY', 'certs/okta-copy.pem', 'Bag Attributes\n'],
    ['ENCRYPTED PRIVATE KEY', 'certs/1.pem', '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n'],
    ['OPENSSH PRIVATE KEY', 'k.pem', ''],
    ['PRIVATE KEY', 'certs/new.CRT.txt', ''],
  ])('reports a private key (%s, in %s) without suggesting to include it', async (kind, name, before) => {
    const key = `${before}-----BEGIN ${kind}-----\nMIIEvQIBADANBgkqhkiG\n-----END ${kind}-----\n`;
    const files = { [name.replace(/[^/]*\.(?=pem|CRT)/, 'okta.')]: 'x', [name]: key };
    const cwd = folder({ 'a.yaml': saml(Object.keys(files)[0] ?? ''), ...files });
    const { stderr } = await octavo(['validate'], { cwd });
    expect(stderr).toContain(
      `warning[unused-file]: ${name} contains a private key and is not included anywhere`,
    );
    expect(stderr).toContain('help: remove the file: a private key does not belong in a checkout');
    expect(stderr).not.toContain('include it');
    expect(stderr).not.toContain('MIIE');
  });

  test('ignores files of other tools and files included by an overlay', async () => {
    const overlay = `octavo: 1\noverlay: production\nsamlProviders: { okta: { certificate: "\${file:certs/new.pem}" } }\n`;
    expect(
      await lint({
        'a.yaml': saml('certs/okta.pem'),
        'overlay.yaml': overlay,
        'certs/okta.pem': 'x',
        'certs/new.pem': 'x',
        'certs/README.md': 'x',
        'certs/.hidden.pem': 'x',
        'other/loose.pem': 'x',
      }),
    ).toEqual([]);
    const json = `${head}sites: { hub: { title: Hub, adaptiveSchema: "\${json:visitor.json}" } }\n`;
    expect(await lint({ 'a.yaml': json, 'visitor.json': '{}', 'package.json': '{}' })).toEqual([]);
  });
});

describe('an octavo-disable comment', () => {
  const bad = 'x: { title: Xx, path: x, spaces: {} }';
  const rule = 'unreachable-section';

  test.each([
    ['at the end of the line', `      ${bad} # octavo-disable ${rule}\n`],
    [
      'on the line before',
      `      # octavo-disable-next-line ${rule} -- it is filled in the app\n\n      ${bad}\n`,
    ],
    [
      'above the object',
      `      # octavo-disable duplicate-section-title, ${rule}\n      ${bad}\n      y: { title: Xx, path: y, spaces: { a: { space: a } } }\n`,
    ],
  ])('applies %s', async (name, sections) => {
    const found = await lint({ 'a.yaml': site(sections) });
    // The second section is outside of the commented object.
    expect(found.map(({ code }) => code)).toEqual(
      name === 'above the object' ? ['unused-disable', 'duplicate-section-title'] : [],
    );
  });

  test('applies to the object below, or to the whole file at its top, but not to another file', async () => {
    const inside = `      # octavo-disable ${rule}\n      g:\n        title: Gg\n        sections:\n          ${bad}\n`;
    expect(await lint({ 'a.yaml': site(inside) })).toEqual([]);
    expect(await lint({ 'a.yaml': `# octavo-disable ${rule}\n${site(`      ${bad}\n`)}` })).toEqual([]);
    const other = `# octavo-disable ${rule}\n${head}`;
    const found = await lint({ 'a.yaml': site(`      ${bad}\n`), 'b.yaml': other });
    expect(found.map(({ code, at }) => `${code} ${at}`)).toEqual([
      `${rule} a.yaml:8:7`,
      'unused-disable b.yaml:1:1',
    ]);
  });

  test.each([
    ['# octavo-disable', 'the comment disables no rule'],
    ['# octavo-disable unreachable-sections', 'there is no rule "unreachable-sections"'],
    [`# octavo-disable ${rule}`, `${rule} finds nothing here`],
  ])('is reported if it disables no finding: %s', async (comment, message) => {
    expect(await lint({ 'a.yaml': `${head}${comment}\n` })).toEqual([
      { severity: 'warning', code: 'unused-disable', message, at: 'a.yaml:3:1' },
    ]);
  });

  test('is not recognized inside of text', async () => {
    const text = `${head}teams:\n  a: { title: "# octavo-disable x" }\n  b:\n    title: |\n      # octavo-disable y\n`;
    expect(await lint({ 'a.yaml': text })).toEqual([]);
  });
});

describe('levels', () => {
  const files = { 'a.yaml': site('      x: { title: Xx, path: x, spaces: {} }\n') };

  test('apply to all rules or to a single one', async () => {
    const severities = async (options: object) =>
      (await lint(files, options)).map(({ severity }) => severity);
    expect(await severities({})).toEqual(['warning']);
    expect(await severities({ level: 'error' })).toEqual(['error']);
    expect(await severities({ level: 'off' })).toEqual([]);
    expect(await severities({ levels: { 'unreachable-section': 'error' } })).toEqual(['error']);
    expect(await severities({ level: 'warn', levels: { 'unreachable-section': 'error' } })).toEqual([
      'warning',
    ]);
    expect(await severities({ level: 'error', levels: { 'unreachable-section': 'off' } })).toEqual([]);
  });

  test('make validate fail for errors but not for warnings, in every format', async () => {
    const cwd = folder({ ...files, 'octavo.config.yaml': 'lint: { duplicate-section-title: off }\n' });
    const plain = await octavo(['validate'], { cwd });
    expect(plain.code).toBe(0);
    expect(plain.stderr).toContain('warning[unreachable-section]: no visitor can reach the section');
    expect(plain.stdout).toMatch(/^Valid: /);
    const strict = await octavo(['validate', '--lint', 'error', '--format', 'json'], { cwd });
    expect(strict.code).toBe(1);
    expect(JSON.parse(strict.stdout)).toMatchObject({
      valid: false,
      diagnostics: [{ code: 'unreachable-section', severity: 'error', address: 'sites/hub/sections/x' }],
    });
    const sarif = await octavo(['validate', '--format', 'sarif'], { cwd });
    expect(JSON.parse(sarif.stdout).runs[0]).toMatchObject({
      tool: { driver: { rules: [{ id: 'unreachable-section' }] } },
      results: [{ ruleId: 'unreachable-section', level: 'warning' }],
    });
    const github = await octavo(['validate', '--format', 'github'], { cwd });
    expect(github.stdout).toContain('::warning ');
    expect(github.stdout).toContain('title=octavo%3A unreachable-section');
    const junit = await octavo(['validate', '--format', 'junit', '--lint', 'error'], { cwd });
    expect(junit.stdout).toContain('<failure type="unreachable-section"');
    expect((await octavo(['validate', '--lint', 'off'], { cwd })).stderr).toBe('');
  });

  test('are rejected for an unknown rule in octavo.config.yaml', async () => {
    const cwd = folder({ ...files, 'octavo.config.yaml': 'lint: { unreachable: off }\n' });
    const { code, stderr } = await octavo(['validate'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/octavo\.config\.yaml:1:9/);
    expect(stderr).toContain('unknown rule "unreachable"');
  });

  test('do not matter while the manifests have errors', async () => {
    const cwd = folder({ 'a.yaml': `${files['a.yaml']}teams: { a: { titel: A } }\n` });
    const { stderr } = await octavo(['validate'], { cwd });
    expect(stderr).toContain('unknown-key');
    expect(stderr).not.toContain('unreachable-section');
  });
});

test.each(['acme', 'minimal', 'multi', 'fleet'])('finds no problem in the example %s', async (name) => {
  const { code, stderr } = await octavo(['validate', '--lint', 'error'], {
    cwd: join(root, 'examples', name),
  });
  expect(stderr).not.toMatch(new RegExp(`\\[(${lintRuleIds.join('|')})\\]`));
  expect(code).toBe(0);
});
