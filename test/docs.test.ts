/** Pages that people read hold what they promise: links lead somewhere, examples are accepted, images are safe to run. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultsFile } from '../src/server/faults.ts';
import { readSeed } from '../src/server/seed-file.ts';

const root = path.join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(path.join(root, name), 'utf8');
const pages = readdirSync(path.join(root, 'docs/reference')).sort();
const blocks = (page: string) =>
  [...read(page).matchAll(/```json\n([\s\S]*?)```/g)].map(([, text]) => text ?? '');

test.each(pages)('README links to docs/reference/%s', (page) => {
  expect(read('README.md')).toContain(`(docs/reference/${page})`);
});

test.each(['README.md', ...pages.map((page) => `docs/reference/${page}`)])(
  'all links of %s lead to files',
  (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link]) => link ?? '');
    const missing = links.filter((link) => !existsSync(path.resolve(root, path.dirname(page), link)));
    expect(missing).toEqual([]);
  },
);

test('the page of faults shows every key, in a file that is accepted', () => {
  const page = read('docs/reference/faults.md');
  const [example] = blocks('docs/reference/faults.md');
  expect(faultsFile.safeParse(JSON.parse(example ?? '')).success).toBe(true);
  const { element } = faultsFile.shape.faults;
  for (const key of Object.keys(element.shape)) expect(page).toContain(`| \`${key}\``);
  for (const type of element.shape.type.options) expect(page).toContain(`\`${type}\``);
});

test('the page of seeds shows a file that is accepted', () => {
  const [example] = blocks('docs/reference/seed.md');
  expect(() => readSeed(JSON.parse(example ?? ''))).not.toThrow();
});

describe('the Dockerfile', () => {
  const lines = read('Dockerfile')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  const instructions = lines.join('\n');

  test('names the exact version of its base images', () => {
    const images = lines.filter((line) => line.startsWith('FROM ')).map((line) => line.split(/\s+/)[1] ?? '');
    expect(images.length).toBeGreaterThan(0);
    for (const image of images) expect(image).toMatch(/:\d+\.\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?$/);
  });

  test('runs as a user without rights, with a health check', () => {
    const user = instructions.match(/^USER (.*)$/gm)?.at(-1);
    expect(user).toBe('USER node');
    expect(instructions.lastIndexOf('\nUSER ')).toBeLessThan(instructions.indexOf('\nENTRYPOINT '));
    expect(instructions).toMatch(/^HEALTHCHECK /m);
  });

  test('holds no secret, and takes none from the folder', () => {
    expect(instructions).not.toMatch(/^(?:ARG|ENV) .*(?:TOKEN|SECRET|PASSWORD|KEY)/im);
    const ignored = read('.dockerignore').split('\n');
    for (const name of ['.git', '.env', '.env.*', '.octavo', 'node_modules', '*.db'])
      expect(ignored).toContain(name);
  });
});
