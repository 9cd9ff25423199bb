/** Included and skipped files: values keep their places, limits apply, and files of other tools are ignored. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { disk, type ManifestFiles } from '../../src/manifest/files/disk.ts';
import { Includes } from '../../src/manifest/fill/includes.ts';
import { loadWorkspace, type Workspace } from '../../src/manifest/load-workspace.ts';
import { parseJson } from '../../src/yaml/json-text.ts';
import { plainOf } from '../../src/yaml/located.ts';
import { Problems, startOf } from '../../src/yaml/problems.ts';
import { tries } from '../support/runs.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'octavo-inclusions-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const head = 'octavo: 1\norganization: org_acme\n';

function write(name: string, text: string | Uint8Array): void {
  mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
  writeFileSync(path.join(cwd, name), text);
}

interface Given {
  readonly paths?: readonly string[];
  readonly overlays?: readonly string[];
  readonly files?: ManifestFiles;
}

function load({ paths = [], overlays = [], files = disk }: Given = {}): Promise<Workspace> {
  return loadWorkspace({ paths, overlays, env: { NAME: 'Acme' }, cwd, registry, files });
}

const codes = ({ diagnostics }: Workspace) => diagnostics.map(({ code }) => code);

test('merges overlays from a folder in the given order', async () => {
  write('a.yaml', `${head}teams: { a: { title: A } }\n`);
  write('z/1.yaml', 'octavo: 1\noverlay: z\nteams: { a: { title: Z } }\n');
  write('b/1.yaml', 'octavo: 1\noverlay: b\nteams: { a: { title: B } }\n');
  const titleAfter = async (overlays: readonly string[]) => {
    const { trees, diagnostics } = await load({ paths: ['a.yaml'], overlays });
    expect(diagnostics).toEqual([]);
    return trees[0]?.nodes.get('teams/a')?.fields.title;
  };
  expect(await titleAfter(['z', './b/'])).toBe('B');
  expect(await titleAfter(['b/../b', 'z/1.yaml'])).toBe('Z');
});

test('does not read included files as manifests or hint at them', async () => {
  write('a.yaml', `${head}teams: "\${yaml:parts/teams.yaml}"\n`);
  write('parts/teams.yaml', 'a: "${yaml:team.yaml}"\n');
  write('parts/team.yaml', 'title: "${env:NAME}"\n');
  const { trees, diagnostics } = await load();
  expect(diagnostics).toEqual([]);
  const team = trees[0]?.nodes.get('teams/a');
  expect(team?.fields.title).toBe('Acme');
  expect(team?.fieldAt.title).toMatchObject({ file: 'parts/team.yaml', line: 1, column: 8 });
});

test('skips other YAML with one hint per file, even if it is broken', async () => {
  write('a.yaml', head);
  write('chart/service.yaml', '{{ if x }}\nkind: Service\n{{ end }}\n');
  write('compose.yaml', 'services: {}\n---\nservices: {}\n');
  const { diagnostics } = await load();
  expect(diagnostics.map(({ severity, at }) => [severity, at?.file])).toEqual([
    ['hint', 'chart/service.yaml'],
    ['hint', 'compose.yaml'],
  ]);
});

test('reports a broken file that was meant as a manifest', async () => {
  write('a.yaml', head);
  write('b.yaml', 'octavo: 1\norganization: org_acme\nteams: { a: \n');
  expect(codes(await load())).toEqual(['yaml']);
});

test('skips links to folders outside and follows links to folders inside once', async () => {
  const outside = mkdtempSync(path.join(tmpdir(), 'octavo-outside-'));
  writeFileSync(path.join(outside, 'b.yaml'), `${head}teams: { b: {} }\n`);
  write('in/a.yaml', `${head}teams: { a: {} }\n`);
  symlinkSync(outside, path.join(cwd, 'out'));
  symlinkSync(path.join(cwd, 'in'), path.join(cwd, 'again'));
  const workspace = await load();
  expect(codes(workspace)).toEqual(['link-outside']);
  expect([...(workspace.trees[0]?.nodes.keys() ?? [])]).toEqual(['organization', 'teams/a']);
  rmSync(outside, { recursive: true });
});

test('reports unreadable files and folders', async () => {
  write('a.yaml', head);
  write('b.yaml', head);
  write('sub/c.yaml', head);
  const refuse = (code: string) => Promise.reject(Object.assign(new Error('no'), { code }));
  const files: ManifestFiles = {
    ...disk,
    read: (file) => (file.endsWith('b.yaml') ? refuse('EACCES') : disk.read(file)),
    list: (folder) => (folder.endsWith('sub') ? refuse('EIO') : disk.list(folder)),
  };
  expect((await load({ files })).diagnostics.map(({ message }) => message)).toEqual([
    'sub cannot be read: EIO',
    'b.yaml cannot be read: permission denied',
  ]);
});

test('rejects files that each include the next one four times, 19 levels deep', async () => {
  write('a.yaml', `${head}x-a: "\${yaml:p0.yml}"\n`);
  for (let level = 0; level < 19; level += 1) {
    write(
      `p${level}.yml`,
      `[${Array(4)
        .fill(`"\${yaml:p${level + 1}.yml}"`)
        .join(', ')}]\n`,
    );
  }
  write('p19.yml', 'x\n');
  const found = codes(await load());
  expect(found.filter((code) => code !== 'too-many-inclusions' && code !== 'too-many-values')).toEqual([]);
  expect(found.length).toBeGreaterThan(0);
});

test('reads a file once even if thousands include it', async () => {
  write('key.pem', 'PEM');
  const providers = Array.from(
    { length: 2000 },
    (_none, index) => `  p${index}: { description: "\${file:key.pem}" }`,
  );
  write('a.yaml', `${head}customFields:\n${providers.join('\n')}\n`);
  let reads = 0;
  const files: ManifestFiles = {
    ...disk,
    read: (file) => {
      if (file.endsWith('.pem')) reads += 1;
      return disk.read(file);
    },
  };
  expect(codes(await load({ files }))).toEqual([]);
  expect(reads).toBe(1);
});

test.each(['json', 'yaml'] as const)(
  'shares the parsed value of a file of %s among all places that include it',
  async (form) => {
    write('all.json', '["one", "two"]');
    const includes = new Includes(disk, cwd, new Problems());
    const from = { name: 'a.yaml', path: path.join(cwd, 'a.yaml'), root: cwd, text: '' };
    const read = async (line: number) => {
      const at = { ...startOf('a.yaml'), line };
      const inclusion = { path: 'all.json', at, from, trail: [from.path] };
      const included = form === 'json' ? includes.json(inclusion) : includes.yaml(inclusion);
      return (await included)?.value;
    };
    const first = await read(1);
    expect(first).toMatchObject({ type: 'list' });
    expect(await read(2)).toBe(first);
  },
);

test('reads JSON as JSON.parse does, and rejects it if JSON.parse does', async () => {
  const source = fc.oneof(
    fc.json(),
    fc
      .tuple(fc.json(), fc.nat(50), fc.nat(3), fc.string({ maxLength: 3 }))
      .map(([text, at, cut, insert]) => text.slice(0, at) + insert + text.slice(at + cut)),
  );
  await fc.assert(
    fc.asyncProperty(source, async (text) => {
      const problems = new Problems();
      const read = await parseJson({ name: 'x.json', text, includedAt: startOf('a.yaml') }, problems);
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        expect(read).toBeUndefined();
        expect(problems.count).toBe(1);
        return;
      }
      // Unlike JSON.parse, it rejects duplicate keys and numbers out of range.
      if (problems.count > 0) return;
      expect(read === undefined ? undefined : plainOf(read)).toEqual(expected);
    }),
    { ...tries(1000) },
  );
});

test.each(['\n', '\r\n'])(
  'drops the last line end of an included text and normalizes the others: %j',
  async (eol) => {
    write('name.txt', `Docs${eol}`);
    write('two.txt', `one${eol}two${eol}${eol}`);
    const title = (written: string) => `  ${written.length}: { title: ${JSON.stringify(written)} }\n`;
    const texts = ['${file:name.txt}', 'The ${file:name.txt} team', '${file:two.txt}'];
    write('a.yaml', `${head}teams:\n${texts.map(title).join('')}`);
    const workspace = await load();
    expect(workspace.diagnostics).toEqual([]);
    const titles = [...(workspace.trees[0]?.ofKind('team') ?? [])].map(({ fields }) => fields.title);
    expect(titles).toEqual(['Docs', 'The Docs team', 'one\ntwo\n']);
  },
);

describe('a number', () => {
  const field = 'customFields: { n: { type: number } }\n';
  const odd = ['9007199254740993', '-9007199254740993', '1e400', `1${'0'.repeat(400)}`];
  test.each(odd)('is rejected in every place if it would lose precision: %s', async (number) => {
    const of = (value: string) =>
      `${head}${field}spaces: { g: { id: sp_g, customFields: { n: ${value} } } }\n`;
    write('schema.json', `{"type": "object", "maximum": ${number}}`);
    for (const text of [
      of(number),
      `${head}sites: { s: { title: Site, adaptiveSchema: "\${json:schema.json}" } }\n`,
    ]) {
      write('a.yaml', text);
      expect(codes(await load())).toEqual(['not-a-value']);
    }
    write('a.yaml', of('${env:NAME}'));
    const { diagnostics } = await loadWorkspace({
      paths: [],
      overlays: [],
      env: { NAME: number },
      cwd,
      registry,
    });
    expect(diagnostics.map(({ severity }) => severity)).toEqual(['error']);
  });

  test.each(['9007199254740992', '1.10', '1e20', '100000000000000000000000', '1154401148450576600', '-0'])(
    'is accepted if it keeps its value: %s',
    async (number) => {
      write('a.yaml', `${head}${field}spaces: { g: { id: sp_g, customFields: { n: ${number} } } }\n`);
      const { diagnostics, trees } = await load();
      expect(diagnostics).toEqual([]);
      expect(trees[0]?.get('spaces/g')?.fields.customFields).toEqual({ n: Number(number) });
    },
  );
});
