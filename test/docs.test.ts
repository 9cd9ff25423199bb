/** Documentation and Dockerfile: links exist, examples are valid, and the image is safe to run. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { registry } from '../src/kinds/index.ts';
import { loadWorkspace } from '../src/manifest/load-workspace.ts';
import { faultsFile } from '../src/server/faults.ts';
import { readSeed } from '../src/server/seed/seed-file.ts';
import { diagnosticCodes } from '../src/util/diagnostic-codes.ts';
import { memoryFiles } from './support/memory-files.ts';

const root = path.join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
const blocks = (page: string) =>
  [...read(page).matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => text ?? '');

const pages = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
  .sort();

test.each(pages.filter((page) => !/internals|README/.test(page)))('the overview links to %s', (page) => {
  expect(read('docs/README.md')).toContain(`(${page.replace('docs/', '')})`);
});

test('no page has more than 1,200 words, apart from reference', () => {
  // Counted like wc -w, including code.
  const words = (page: string) => read(page).split(/\s+/).filter(Boolean).length;
  const written = pages.filter((page) => /^docs\/[^/]+$/.test(page));
  const long = ['README.md', 'CONTRIBUTING.md', ...written].flatMap((page) =>
    words(page) > 1200 ? [`${page}: ${words(page)}`] : [],
  );
  expect(long).toEqual([]);
});

test('no page has a conflict that a merge left', () => {
  expect(pages.filter((page) => /^(?:<{7}|>{7}) /m.test(read(page)))).toEqual([]);
});

test('docs/ has at most 28 guides and 8 pages of reference', () => {
  const guides = pages.filter((page) => /^docs\/(?!README)[^/]+$/.test(page));
  const reference = pages.filter((page) => page.startsWith('docs/reference/'));
  expect({ guides: guides.length, reference: reference.length }).toEqual({ guides: 28, reference: 8 });
});

const examples = readdirSync(path.join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `examples/${name}`);
const edges = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'RELEASING.md'];

test.each([...edges, ...pages, ...examples])(
  'all links of %s point to existing files and headings',
  (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)/g)].map(([, link]) => link ?? '');
    const missing = links.filter((link) => {
      const [file = '', heading] = link.split('#');
      const target = file === '' ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(root, target))) return true;
      return heading !== undefined && target.endsWith('.md') && !headingsOf(target).includes(heading);
    });
    expect(missing).toEqual([]);
  },
);

test('each link of a page in the package points to a file in it', () => {
  const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] };
  // npm always packs these.
  const own = [...files, 'README.md', 'LICENSE', 'package.json'];
  const isPacked = (file: string) =>
    own.some(
      (one) =>
        file === one || file.startsWith(`${one}/`) || (one === 'docs/*.md' && /^docs\/[^/]+\.md$/.test(file)),
    );
  const packed = [...edges, ...pages, ...examples].filter(isPacked);
  const dead = packed.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)\s#]+)/g)].flatMap(([, link = '']) => {
      const target = path.join(path.dirname(page), link);
      return isPacked(target) ? [] : [`${page}: ${target}`];
    }),
  );
  expect(packed.length).toBeGreaterThan(30);
  expect(dead).toEqual([]);
});

/** The anchors that headings of a page get. */
function headingsOf(page: string): readonly string[] {
  const text = read(page).replace(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

const decisions = pages.filter((page) => /decisions\/\d/.test(page)).map((page) => path.basename(page));

test('each decision has a number of its own', () => {
  const numbers = decisions.map((name) => name.slice(0, 3));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('the index of decisions has one line for each, with its number and title', () => {
  const links = decisions.map((name) => {
    const page = read(`docs/internals/decisions/${name}`);
    const [, title] = new RegExp(`^# ${name.slice(0, 3)}: (.+)\\n`).exec(page) ?? [];
    expect(page).toMatch(/^Date: [\d-]{10}\. Status: (?:proposed|accepted)\.$/m);
    return `[${name.slice(0, 3)} ${title}](${name})`;
  });
  const lines = read('docs/internals/decisions/README.md').matchAll(/^- (?:\*\*)?(\[.*?\)).*?: \S.*$/gm);
  expect([...lines].map(([, link]) => link).sort()).toEqual(links);
});

test('links to decisions show their numbers and titles', () => {
  const wrong = ['README.md', 'CONTRIBUTING.md', 'RELEASING.md', ...pages].flatMap((page) =>
    [...read(page).matchAll(/\[([^\]]*)\]\(\S*?((\d{3})-[\w-]+\.md)\)/g)].flatMap(
      ([link, text = '', name = '', number = '']) => {
        const [, title] = /^# \d{3}: (.+)\n/.exec(read(`docs/internals/decisions/${name}`)) ?? [];
        const [, shown = number, words = title] = /^(?:[Dd]ecision\s)?(\d{3})(?: (.+))?$/.exec(text) ?? [];
        return shown === number && words === title ? [] : [`${page}: ${link}`];
      },
    ),
  );
  expect(wrong).toEqual([]);
});

test('the page of guards lists each guard', () => {
  const guards = diagnosticCodes.flatMap((code) => /^refused-(.*)$/.exec(code)?.[1] ?? []);
  expect(headingsOf('docs/reference/guards.md').slice(1)).toEqual(guards.sort());
});

const printed = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => read(`src/${name}`));

test('the pages of troubleshooting and of failed applies quote only existing messages', () => {
  const table = ['troubleshooting', 'failed-runs'].flatMap((page) => [
    ...read(`docs/${page}.md`).matchAll(/^\| (.*?) \| /gm),
  ]);
  const texts = table.flatMap(([, cell = '']) => [...cell.matchAll(/"([^"]+)"/g)].map(([, text]) => text));
  // Numbers, names and kinds are placeholders.
  const parts = texts.flatMap((text = '') =>
    text
      .replace(/main|\d+ commit|^space|invitation of members\/|octavo\.config\.yaml/g, '…')
      .split(/:? ?… ?|…/),
  );
  expect(parts.filter((part) => !printed.some((text) => text.includes(part)))).toEqual([]);
  expect(texts.length).toBeGreaterThan(8);
});

test('the page of failed applies quotes only existing codes and messages', () => {
  const table = read('docs/failed-runs.md').matchAll(/^\| (.*?) \| /gm);
  const quoted = [...table].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)]);
  const [codes, texts] = [
    quoted.filter(([, text = '']) => /^[a-z]+(?:-[a-z]+)*$/.test(text)),
    quoted.filter(([, text = '']) => /[ …]|^[A-Z]/.test(text)),
  ];
  for (const [, code] of codes) expect(diagnosticCodes).toContain(code);
  // Statuses of responses and names of guards are placeholders.
  const parts = texts.flatMap(([, text = '']) => text.replace(/\d+|guard: \w+/, '…').split(/:? ?…/));
  expect(parts.filter((part) => !printed.some((text) => text.includes(part.trim())))).toEqual([]);
  expect([codes.length > 10, parts.length > 30]).toEqual([true, true]);
});

test('the page of faults lists each key, and its example is valid', () => {
  const page = read('docs/reference/embedded-service.md');
  const [, example] = blocks('docs/reference/embedded-service.md');
  expect(faultsFile.safeParse(JSON.parse(example ?? '')).success).toBe(true);
  const { element } = faultsFile.shape.faults;
  for (const key of Object.keys(element.shape)) expect(page).toContain(`| \`${key}\``);
  for (const type of element.shape.type.options) expect(page).toContain(`\`${type}\``);
});

test('the example on the page of seeds is valid', () => {
  const [example] = blocks('docs/reference/embedded-service.md');
  expect(() => readSeed(JSON.parse(example ?? ''))).not.toThrow();
});

describe('the Dockerfile', () => {
  const lines = read('Dockerfile')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  const instructions = lines.join('\n');

  test('pins version and digest of its base images', () => {
    const images = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(/\s+/)[1] ?? '');
    expect(images.length).toBeGreaterThan(0);
    for (const image of images) expect(image).toMatch(/:\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/);
    expect(new Set(images).size).toBe(1);
  });

  test('runs as an unprivileged user, and says what it is', () => {
    const user = instructions.match(/^USER (.*)$/gm)?.at(-1);
    expect(user).toBe('USER node');
    expect(instructions.lastIndexOf('\nUSER ')).toBeLessThan(instructions.indexOf('\nENTRYPOINT '));
    // A command that ends is never healthy.
    expect(instructions).not.toMatch(/^HEALTHCHECK /m);
    for (const label of ['title', 'description', 'licenses', 'version', 'revision'])
      expect(instructions).toContain(` org.opencontainers.image.${label}="`);
  });

  test('fills the compile cache during the build, which users cannot change', () => {
    const [, folder = ''] = /^ENV NODE_COMPILE_CACHE=(.*)$/m.exec(instructions) ?? [];
    expect(folder).toMatch(/^\/opt\/octavo\/\w+$/);
    const filled = instructions.indexOf(' octavo apply ');
    expect(filled).toBeGreaterThan(instructions.indexOf(`ENV NODE_COMPILE_CACHE=${folder}`));
    expect(filled).toBeLessThan(instructions.indexOf('\nUSER '));
    expect(instructions).not.toMatch(/chmod [^\n]*[0-7]*[2367]\b|chown|a\+\w*w/);
  });

  test('contains no secret, and ignores secret files of the folder', () => {
    expect(instructions).not.toMatch(/^(?:ARG|ENV) .*(?:TOKEN|SECRET|PASSWORD|KEY)/im);
    const ignored = read('.dockerignore').split('\n');
    for (const name of ['.git', '.env', '.env.*', '.octavo', 'node_modules', '*.db'])
      expect(ignored).toContain(name);
  });
});

test.each(['README.md', ...pages])('the manifests in %s are valid', async (page) => {
  const texts = [...read(page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text ?? '');
  for (const text of texts.filter((one) => /^octavo: 1$/m.test(one))) {
    const isOverlay = /^overlay:/m.test(text);
    const files = memoryFiles({ '/w/base.yaml': 'octavo: 1\norganization: org_acme\n', '/w/one.yaml': text });
    const { diagnostics } = await loadWorkspace({
      paths: isOverlay ? ['.'] : ['one.yaml'],
      overlays: [],
      env: {},
      cwd: '/w',
      registry,
      files,
      purpose: 'check',
    });
    // Examples may refer to objects and files that they do not include.
    const wrong = diagnostics.filter(
      ({ code }) => code !== 'overlay' && code !== 'unknown-reference' && code !== 'missing-file',
    );
    expect(wrong).toEqual([]);
  }
});
