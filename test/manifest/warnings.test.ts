/** Warnings about valid manifests: the mistakes that each check reports, and what it accepts. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { attributesIn, isNeverTrue } from '../../src/manifest/warnings/conditions.ts';
import { workspaceWarnings } from '../../src/manifest/warnings/workspace-warnings.ts';
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

async function warnings(files: Readonly<Record<string, string>>) {
  const cwd = folder(files);
  const base = { paths: [], overlays: [], env: {}, cwd, registry, purpose: 'check' } as const;
  const workspace = await loadWorkspace(base);
  expect(workspace.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const found = await workspaceWarnings(workspace, { registry, cwd });
  return found.map(({ severity, code, message, at }) => ({
    severity,
    code,
    message,
    at: `${at?.file}:${at?.line}:${at?.column}`,
  }));
}

const codesOf = async (text: string) => (await warnings({ 'a.yaml': text })).map(({ code }) => code);

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
    const [finding, ...more] = await warnings({ 'a.yaml': withCondition(condition) });
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
    expect(await codesOf(withCondition(condition))).toEqual([]);
  });

  test('accepts any attribute without a declared schema', async () => {
    const text = site(
      '      x: { title: Xx, path: x, condition: visitor.claims.nothing, spaces: { a: { space: a } } }\n',
    );
    expect(await codesOf(text)).toEqual([]);
  });

  test('reads a schema from an included file', async () => {
    const text = site(
      '      x: { title: Xx, path: x, condition: visitor.claims.nothing, spaces: { a: { space: a } } }\n',
      '    adaptiveSchema: ${json:visitor.schema.json}\n',
    );
    const json = JSON.stringify({ type: 'object', properties: { beta: {} }, additionalProperties: false });
    const found = await warnings({ 'a.yaml': text, 'visitor.schema.json': json });
    expect(found.map(({ code }) => code)).toEqual(['unknown-condition-attribute']);
  });
});

describe('unreachable-section', () => {
  const messages = async (sections: string) =>
    (await warnings({ 'a.yaml': site(sections) })).map(({ code, message }) => `${code}: ${message}`);

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
  const text = (visibility: string, level: string, outer = '') =>
    `${head}collections: { c: { title: Cc${outer}, spaces: { a: { id: sp_a, title: Aa${level} } } } }
sites: { hub: { title: Hub, visibility: ${visibility}, spaces: { a: { space: a } } } }\n`;

  test.each([
    ['public', ', defaultLevel: null', ''],
    ['share-link', ', defaultLevel: null', ''],
    ['unlisted', ', defaultLevel: inherit', ', defaultLevel: null'],
  ])('reports %s%s%s', async (visibility, level, outer) => {
    expect(await codesOf(text(visibility, level, outer))).toEqual(['visibility-wider-than-space']);
  });

  test.each([
    ['visitor-auth', ', defaultLevel: null', ''],
    ['public', ', defaultLevel: read', ''],
    ['public', '', ', defaultLevel: null'],
    ['public', ', defaultLevel: read', ', defaultLevel: null'],
  ])('accepts %s%s%s', async (visibility, level, outer) => {
    expect(await codesOf(text(visibility, level, outer))).toEqual([]);
  });
});

describe('unused-file', () => {
  const saml = (file: string) =>
    `${head}samlProviders: { okta: { label: Okta, certificate: "\${file:${file}}" } }\n`;

  test('reports an unused file among included ones, also next to manifests if only Octavo uses its extension', async () => {
    expect(
      await warnings({ 'a.yaml': saml('certs/okta.pem'), 'certs/okta.pem': 'x', 'certs/old.pem': 'x' }),
    ).toEqual([
      {
        severity: 'warning',
        code: 'unused-file',
        message: 'certs/old.pem is not included anywhere, unlike okta.pem next to it',
        at: 'a.yaml:3:53',
      },
    ]);
    const siblings = await warnings({ 'a.yaml': saml('okta.pem'), 'okta.pem': 'x', 'old.pem': 'x' });
    expect(siblings.map(({ code }) => code)).toEqual(['unused-file']);
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
      await warnings({
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
    expect(await warnings({ 'a.yaml': json, 'visitor.json': '{}', 'package.json': '{}' })).toEqual([]);
  });
});

describe('warnings', () => {
  const files = { 'a.yaml': site('      x: { title: Xx, path: x, spaces: {} }\n') };

  test('leave the manifests valid, in every format', async () => {
    const cwd = folder(files);
    const plain = await octavo(['validate'], { cwd });
    expect(plain.code).toBe(0);
    expect(plain.stderr).toContain('warning[unreachable-section]: no visitor can reach the section');
    expect(plain.stdout).toMatch(/^Valid: /);
    const json = await octavo(['validate', '--format', 'json'], { cwd });
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({
      valid: true,
      diagnostics: [{ code: 'unreachable-section', severity: 'warning', address: 'sites/hub/sections/x' }],
    });
    const github = await octavo(['validate', '--format', 'github'], { cwd });
    expect(github.stdout).toContain('::warning ');
    expect(github.stdout).toContain('title=octavo%3A unreachable-section');
  });

  test('are not reported while the manifests have errors', async () => {
    const cwd = folder({ 'a.yaml': `${files['a.yaml']}teams: { a: { titel: A } }\n` });
    const { stderr } = await octavo(['validate'], { cwd });
    expect(stderr).toContain('unknown-key');
    expect(stderr).not.toContain('unreachable-section');
  });
});

test.each(['acme', 'minimal', 'multi', 'fleet'])('finds no mistake in the example %s', async (name) => {
  expect(await octavo(['validate'], { cwd: join(root, 'examples', name) })).toMatchObject({
    code: 0,
    stderr: '',
  });
});
