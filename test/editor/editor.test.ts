/** Diagnostics, completions and hovers in editors that use the YAML language server. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LanguageServer } from './language-server.ts';

const root = path.join(import.meta.dirname, '..', '..');
const folder = path.join(root, 'examples');
let server: LanguageServer;

beforeAll(async () => {
  server = await LanguageServer.start(folder, {
    '../schemas/manifest.schema.json': ['*.octavo.yaml'],
    '../schemas/config.schema.json': 'octavo.config.yaml',
  });
});

afterAll(() => server.stop());

const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.yaml') && !name.startsWith('ci/'),
);

test('accepts the examples', async () => {
  expect(examples.length).toBeGreaterThan(8);
  for (const name of examples) {
    const file = path.join(folder, name);
    expect({ name, found: await server.open(file, readFileSync(file, 'utf8')) }).toEqual({ name, found: [] });
  }
});

test('shows errors of a broken manifest, recognized by its name', async () => {
  const text = `octavo: 1
organization: org_acme
sites:
  hub:
    titel: Hub
    visibility: everyone
    sections:
      guides:
        icn: book
        spaces: { main: { space: api } }
      reference:
        sections:
          api: { path: 3 }
teams:
  a: { title: ${'x'.repeat(65)} }
overlays: {}
samlProviders:
  okta: { label: Okta, ssoURL: acme.okta.com/saml, defaultTeam: 3 }
  entra: Entra
spaces: []
`;
  const found = await server.open(path.join(folder, 'broken.octavo.yaml'), text);
  expect(found).toEqual([
    { line: 5, message: 'Property titel is not allowed.' },
    {
      line: 6,
      message: 'Value is not accepted. Valid values: "public", "unlisted", "share-link", "visitor-auth".',
    },
    { line: 9, message: 'Property icn is not allowed.' },
    { line: 13, message: 'Incorrect type. Expected "string".' },
    { line: 15, message: 'String is longer than the maximum length of 64.' },
    { line: 16, message: 'Property overlays is not allowed.' },
    { line: 18, message: 'Not a URL with a scheme, such as https://…' },
    { line: 18, message: 'Incorrect type. Expected "string | { id } | { title }".' },
    { line: 19, message: 'Incorrect type. Expected "SAML provider".' },
    { line: 20, message: 'Incorrect type. Expected "Spaces | string".' },
  ]);
});

test('shows on "spaces" that sections and spaces of a site exclude each other', async () => {
  const text = `octavo: 1
organization: org_acme
sites:
  hub:
    sections: { guides: { spaces: { main: { space: api } } } }
    spaces: { main: { space: api } }
`;
  expect(await server.open(path.join(folder, 'both.octavo.yaml'), text)).toEqual([
    { line: 6, message: 'spaces and sections of one site exclude each other' },
  ]);
});

test('shows errors of an overlay and a configuration', async () => {
  const overlay = 'octavo: 1\noverlay: production\nsites: { hub: { titel: x, shareLinks: null } }\n';
  expect(await server.open(path.join(folder, 'production.octavo.yaml'), overlay)).toEqual([
    { line: 3, message: 'Property titel is not allowed.' },
  ]);
  expect(await server.open(path.join(folder, 'octavo.config.yaml'), 'maxRps: many\n')).toEqual([
    { line: 1, message: 'Incorrect type. Expected "integer".' },
  ]);
});

test('completes keys and values, and describes fields', async () => {
  const file = path.join(folder, 'half.octavo.yaml');
  const text = `octavo: 1
organization: org_acme
sites:
  hub:
    visibility: public
    sections:
      guides:
        title: Guides
        p
      new:
        
`;
  await server.open(file, text);
  const fields = await server.complete(file, { line: 8, character: 9 });
  expect(fields).toEqual(
    expect.arrayContaining(['path', 'icon', 'description', 'condition', 'default', 'spaces']),
  );
  expect(fields).not.toContain('title');
  expect(fields).not.toContain('visibility');
  expect(await server.complete(file, { line: 10, character: 8 })).toEqual(
    expect.arrayContaining(['sections', 'spaces', 'path', 'lifecycle', 'was']),
  );
  expect(await server.complete(file, { line: 4, character: 16 })).toEqual(
    expect.arrayContaining(['public', 'unlisted', 'share-link', 'visitor-auth']),
  );
  const hover = await server.hover(file, { line: 4, character: 6 });
  expect(hover).toContain('Who can see the published site.');
  expect(hover).toContain('Example:');
  expect(hover).toContain('`share-link`');
});
