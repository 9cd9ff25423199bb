/** No file installs, fetches or runs code by a name that someone else could own. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../cli/octavo.ts';

/** Files that explain the names, or contain the patterns. */
const exempt = ['RELEASING.md', 'test/docs/install-names.wide.test.ts'];

const patterns = [
  // npx octavo, npm exec -- octavo@0.1.0, pnpm dlx octavo
  /\b(?:npx|bunx|pnpx|(?:npm|pnpm|yarn|bun) (?:exec|x|dlx))\s+(?:-\S+\s+)*["']?octavo\b/,
  // npm install --global octavo@0.1.0; not ./octavo-0.1.0.tgz
  /\b(?:npm|pnpm|yarn|bun)\s+(?:install|i|add)\b[^\n|&;]*?\s["']?octavo(?:@[^\s"'`]*)?["'`]?(?:\s|$)/m,
  // A dependency in a package.json
  /"octavo":\s*"(?:[\^~]\d|\d+\.\d+\.\d|latest|\*)/,
  /(?:unpkg\.com|jsdelivr\.net\/npm|esm\.sh|skypack\.dev|npmjs\.(?:org|com\/package))\/octavo\b/,
  // An action, a repository or an image of an account named octavo
  /\buses:\s*["']?octavo\//,
  /\b(?:github|gitlab|ghcr|docker)\.(?:com|io)\/octavo\b/,
  /^\s*image:\s*["']?octavo\b/m,
];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: root,
})
  .toString()
  .split('\0')
  .filter((name) => name !== '' && !exempt.includes(name));

test('no file installs a package, an action or an image named octavo from a public registry', () => {
  expect(files).toContain('README.md');
  const found = files.flatMap((name) => {
    const text = readText(name);
    return patterns.flatMap((pattern) => {
      const match = pattern.exec(text);
      return match === null ? [] : [`${name}: ${match[0].trim()}`];
    });
  });
  expect(found).toEqual([]);
});

test.each([
  'npx octavo plan',
  'npx --yes octavo@0.1.0 validate',
  'npm install --global octavo',
  'run: npm i -g octavo@0.1.0 && octavo plan',
  'https://unpkg.com/octavo/schemas/manifest.schema.json',
  'https://cdn.jsdelivr.net/npm/octavo/schemas/manifest.schema.json',
  '- uses: octavo/octavo@v0',
  '  image: octavo:latest',
])('the patterns find %s', (text) => {
  expect(patterns.some((pattern) => pattern.test(text))).toBe(true);
});

test.each([
  'npm install --global ./octavo-*.tgz',
  'npm run setup  # octavo',
  'npm uninstall --global octavo',
])('the patterns ignore %s', (text) => {
  expect(patterns.some((pattern) => pattern.test(text))).toBe(false);
});

test('the package is private, so it cannot be published by mistake', () => {
  expect(JSON.parse(readText('package.json'))).toMatchObject({ private: true });
});

test('the image adds no safe directory, and installs from the lock file', () => {
  const text = readText('Dockerfile');
  // Other users may read compiled code, but not write it.
  expect(text).not.toMatch(/safe\.directory|npm install|chmod (?!-R a\+rX)|--unsafe/);
  expect(text).toMatch(/^USER node$/m);
  expect(text).toMatch(/^RUN npm ci --ignore-scripts/m);
  for (const page of ['Dockerfile', 'docs/configuration.md'])
    expect(readText(page)).toContain('docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/workspace"');
});

/** The text of a file; empty if its deletion is not committed yet. */
function readText(name: string): string {
  try {
    return readFileSync(join(root, name), 'utf8');
  } catch {
    return '';
  }
}
