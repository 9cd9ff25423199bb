/** Completions in editors: snippets of valid objects, and no names that do not exist. */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { kinds, registry } from '../../src/kinds/index.ts';
import type { Kind, Place } from '../../src/kinds/kind.ts';
import { referenceOf } from '../../src/kinds/parts/field.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { isRecord } from '../../src/util/json.ts';
import { nested } from '../../src/util/nested.ts';
import { memoryFiles } from '../support/memory-files.ts';
import { type EditorOffer, LanguageServer, type Position } from './language-server.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'schemas');
let server: LanguageServer;
let opened = 0;

beforeAll(async () => {
  server = await LanguageServer.start(folder, { 'manifest.schema.json': ['*.octavo.yaml'] });
  // The server reads its settings before it reports on a first document.
  await server.open(path.join(folder, 'first.octavo.yaml'), 'octavo: 1\n');
});

afterAll(() => server.stop());

const cursor = 'CURSOR';

/** The text of a document without the cursors in its values and keys, and their positions. */
function withCursors(document: object): { readonly text: string; readonly cursors: readonly Position[] } {
  const lines = stringify(document, { lineWidth: 0 }).split('\n');
  const cursors = lines.flatMap((line, index) =>
    line.includes(cursor) ? [{ line: index, character: line.indexOf(cursor) }] : [],
  );
  return { text: lines.map((line) => line.replace(/CURSOR(: null)?$/, '')).join('\n'), cursors };
}

async function offersAt(text: string, cursors: readonly Position[]): Promise<readonly EditorOffer[][]> {
  opened += 1;
  const file = path.join(folder, `${opened}.octavo.yaml`);
  await server.show(file, text);
  const all: EditorOffer[][] = [];
  for (const position of cursors) all.push([...(await server.items(file, position))]);
  return all;
}

/** A document with the part at a place. Snippets may refer to objects named `existing`. */
function documentWith(place: Pick<Place, 'parent' | 'key'>, part: object): Record<string, unknown> {
  const { parent, key } = place;
  const space = { 'existing-space': { id: 'sp_1' }, other: { id: 'sp_2' } };
  const siteSpace = { 'existing-site-space': { space: 'other' } };
  const existing =
    parent === 'organization' ? { spaces: space } : key === 'sections' ? {} : { spaces: siteSpace };
  const mapping = parent === 'site' || parent === 'organization' ? existing : {};
  const own = { ...mapping, [key]: { ...(mapping as Record<string, object>)[key], ...part } };
  if (parent === 'organization') return { octavo: 1, organization: 'org_acme', ...own };
  const [above] = registry.byName(parent).manifest.places;
  if (above === undefined) throw new Error(`${parent} has no place`);
  const document = documentWith(above, { outer: { title: 'Outer', ...own } });
  return { ...document, spaces: { ...space, ...Object(document.spaces) } };
}

const places = kinds.flatMap((kind) =>
  kind.manifest.places.flatMap((place) => (place.shape === 'single' ? [] : [[kind, place] as const])),
);

/** Places of objects that can be created: the key of other objects is an id. */
const made = places.filter(([{ manifest }]) => manifest.key?.is !== 'id');

test('only link invites, which must exist, have no snippet', () => {
  const rest = places.filter((one) => !made.includes(one)).map(([kind]) => kind.name);
  expect(rest).toEqual(['linkInvite']);
});

test.each(made.map((one) => [`${one[0].noun} in ${one[1].parent}.${one[1].key}`, ...one] as const))(
  'offers a snippet of a whole %s that is valid',
  async (_what, kind, place) => {
    const { text, cursors } = withCursors(documentWith(place, { [cursor]: null }));
    const [offers = []] = await offersAt(text, cursors);
    expect(offers.filter(({ label }) => !label.startsWith('new '))).toEqual([]);
    const offer = offers.find(({ label }) => label === `new ${kind.noun}`);
    expect(offer).toBeDefined();
    const filled = (offer?.text ?? '').replace(/\$\{\d+:([^}]*)\}/g, '$1');
    expect(filled).not.toContain('$');
    const lines = text.split('\n');
    const { line = 0, character = 0 } = cursors[0] ?? {};
    lines[line] = filled
      .split('\n')
      .map((one) => `${' '.repeat(character)}${one}`)
      .join('\n');
    expect(await problemsOf(lines.join('\n'))).toEqual([]);
  },
);

async function problemsOf(text: string): Promise<readonly string[]> {
  const files = memoryFiles({ '/w/octavo.yaml': text });
  const source = { paths: ['octavo.yaml'], overlays: [], env: {}, cwd: '/w', registry, files };
  const { diagnostics } = await loadWorkspace({ ...source, purpose: 'check' });
  return diagnostics.map(({ severity, message }) => `${severity}: ${message}`);
}

/** An object with a cursor at each field that refers to other objects, and at its own names. */
function namesOf(kind: Kind): Record<string, unknown> {
  const fields = Object.entries(kind.fields).flatMap(([name, field]) => {
    if (referenceOf(field) === undefined) return [];
    const example = field.example;
    const isKeyed = isRecord(example) && field.type !== 'reference';
    const value = isKeyed
      ? { [cursor]: null }
      : isRecord(example)
        ? nested(Object.keys(example).map((key) => [key, cursor]))
        : cursor;
    return [[name, value] as const];
  });
  return { id: cursor, ...(kind === registry.root ? {} : { was: cursor, use: cursor }), ...nested(fields) };
}

test.each(['a manifest', 'an overlay'])(
  'offers no names of objects that do not exist in %s',
  async (what) => {
    const objects = places.map(([kind, place]) => documentWith(place, { one: namesOf(kind) }));
    const documents = [{ octavo: 1, organization: namesOf(registry.root), teams: {} }, ...objects];
    let looked = 0;
    for (const document of documents) {
      const { octavo, ...rest } = document;
      const head = what === 'an overlay' ? { octavo, overlay: 'production' } : { octavo };
      const { text, cursors } = withCursors({ ...head, ...rest });
      const offers = (await offersAt(text, cursors)).flat().map(({ label }) => label);
      looked += cursors.length;
      // `null` deletes in overlays, and clears some fields in manifests.
      expect({ text, offers: offers.filter((label) => label !== 'null') }).toEqual({ text, offers: [] });
    }
    expect(looked).toBeGreaterThan(80);
  },
);
