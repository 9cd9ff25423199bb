/**
 * Typos, one at a time in an otherwise valid manifest: some are found by editors with the schema, others only by `octavo validate`,
 * which compares several places. The line is the line of the typo, or of the object that contains it.
 */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { certificate } from '../support/certificate.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { LanguageServer } from './language-server.ts';

/** `both`: found by editor and command; `validate`: only by the command; `service`: by neither. */
type Slip = readonly [finder: 'both' | 'validate' | 'service', from: string, to: string, line?: number];

const manifest = `octavo: 1
organization:
  id: org_acme
  defaultRole: read
  sso: true
settings:
  prune: removed
  limits: { deletes: 10 }
members:
  ada@acme.example: { role: admin }
teams:
  platform:
    title: Platform
    members: { ada@acme.example: owner }
customFields:
  audience: { type: "select:single", options: [internal, partners] }
samlProviders:
  okta:
    label: Okta
    entityID: http://www.okta.com/exk1
    ssoURL: https://acme.okta.com/app/sso/saml
    certificate: \${file:okta.crt}
    defaultTeam: platform
spaces:
  guide: { title: Guide, customFields: { audience: internal } }
  next: { title: Next, duplicateOf: guide, emoji: "👋" }
  faq: { title: FAQ, id: sp_faq }
sites:
  hub:
    title: Hub
    visibility: public
    default: guides
    sections:
      guides:
        title: Guides
        path: guides
        spaces:
          en: { space: guide, path: en }
          next: { space: next, path: next }
      reference:
        title: Reference
        sections:
          api: { title: API, path: api, spaces: { main: { space: faq } } }
    shareLinks:
      partners: { name: "Partners \${env:TAG}", active: true }
`;

const slips: readonly Slip[] = [
  // keys
  ['both', 'defaultRole:', 'defaultrole:', 4],
  ['both', 'settings:', 'setting:', 6],
  ['both', '{ deletes: 10 }', '{ delete: 10 }', 8],
  ['both', '{ role: admin }', '{ roll: admin }', 10],
  ['both', 'teams:', 'team:', 11],
  ['both', 'label: Okta', 'lable: Okta', 19],
  ['both', '  audience:', '  Audience Field:', 16],
  ['both', 'shareLinks:', 'sharelinks:', 44],
  // values
  ['both', 'octavo: 1', 'octavo: 2', 1],
  ['both', 'defaultRole: read', 'defaultRole: reader', 4],
  ['both', 'sso: true', 'sso: "true"', 5],
  ['both', 'prune: removed', 'prune: remove', 7],
  ['both', 'deletes: 10', 'deletes: ten', 8],
  ['both', '{ role: admin }', 'admin', 10],
  ['both', '[internal, partners]', 'internal', 16],
  ['both', 'visibility: public', 'visibility: hidden', 31],
  ['both', 'active: true', 'active: "yes"', 45],
  ['both', 'title: Hub', 'title: 42', 30],
  // syntax
  ['both', '    label: Okta', '   label: Okta', 20],
  ['both', 'title: Platform', 'title: "Platform', 13],
  ['both', 'title: Guides', 'title: Guides: all', 35],
  ['both', '    title: Platform', '\ttitle: Platform', 13],
  // rules of the schema for several keys, and for formats
  ['both', '    default: guides', '    spaces: { a: { space: faq } }', 32],
  ['both', 'https://acme.okta.com', 'acme.okta.com', 21],
  // references
  ['validate', 'defaultTeam: platform', 'defaultTeam: platfrom', 23],
  ['validate', 'duplicateOf: guide', 'duplicateOf: gide', 26],
  ['validate', 'default: guides', 'default: guide', 32],
  ['validate', '{ space: guide,', '{ space: giude,', 38],
  // custom fields, whose types are declared elsewhere
  ['validate', 'audience: internal', 'audience: intern', 25],
  ['validate', 'audience: internal', 'audience: 3', 25],
  // other files, the environment
  ['validate', '${file:okta.crt}', '${file:okta.cert}', 22],
  ['validate', '${env:TAG}', '${TAG}', 45],
  // values that must be unique
  ['validate', 'path: next', 'path: en', 39],
  // errors that only the service can find
  ['service', 'id: sp_faq', 'id: sp_fqa'],
  ['service', 'audience: internal', 'audiense: internal'],
];

const folder = path.join(import.meta.dirname, '..', '..', 'schemas');
let server: LanguageServer;

beforeAll(async () => {
  server = await LanguageServer.start(folder, { 'manifest.schema.json': ['*.octavo.yaml'] });
});

afterAll(() => server.stop());

async function linesOfCommand(text: string): Promise<readonly (number | undefined)[]> {
  const files = memoryFiles({ '/w/octavo.yaml': text, '/w/okta.crt': certificate });
  const { diagnostics } = await loadWorkspace({
    paths: ['octavo.yaml'],
    overlays: [],
    env: { TAG: '2026' },
    cwd: '/w',
    registry,
    files,
    purpose: 'check',
  });
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ at }) => at?.line);
}

let opened = 0;

async function linesOfEditor(text: string): Promise<readonly number[]> {
  opened += 1;
  const found = await server.open(path.join(folder, `${opened}.octavo.yaml`), text);
  return found.map(({ line }) => line);
}

test('the manifest is valid', async () => {
  expect(await linesOfCommand(manifest)).toEqual([]);
  expect(await linesOfEditor(manifest)).toEqual([]);
});

test('an editor finds 24 of 35 typos, and the command 33', () => {
  const by = (...finders: string[]) => slips.filter(([finder]) => finders.includes(finder)).length;
  expect([slips.length, by('both'), by('both', 'validate')]).toEqual([35, 24, 33]);
});

test.each(slips.map((slip) => [slip] as const))('finds %j', async ([finder, from, to, line]) => {
  expect(manifest.split(from), from).toHaveLength(2);
  const text = manifest.replace(from, () => to);
  const command = await linesOfCommand(text);
  const editor = await linesOfEditor(text);
  expect(command.length > 0, 'the command').toBe(finder !== 'service');
  if (line !== undefined) expect(command).toContain(line);
  expect(editor.length > 0, 'the editor').toBe(finder === 'both');
  if (finder === 'both') expect(editor).toContain(line);
});
