/** Comments, messages, pages and test names use plain words: those below have a better one, each in its row. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '..');

const words: readonly (readonly [found: RegExp, instead: string])[] = [
  [/\b[Nn]obody\b/, 'no one'],
  [/\bsomebody\b/i, 'someone'],
  [/\b(?:everybody|anybody)\b/i, 'everyone, anyone'],
  [/\bwhoever\b/i, 'anyone who'],
  [/\bbesides?\b/i, 'next to, in addition to, with'],
  [/\banew\b/i, 'again'],
  [/\ball the same\b/i, 'anyway'],
  [/\bonce more\b/i, 'again'],
  [/\bby then\b/i, 'until then'],
  [/\b(?:is|are) told\b/i, 'is reported, is shown'],
  [/\b(?:is|are) none of\b/i, 'is not one of'],
  [/\bcome(?:s)? upon\b/i, 'finds'],
  [/\bspeaks? of\b/i, 'applies to, names'],
  [/\btake(?:s|n)? back\b/i, 'reverts'],
];

const listed = ['src', 'docs', 'examples', 'scripts', 'bench', 'test', '*.md', 'schemas'];
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...listed], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(?:ts|mjs|md|json|yaml|yml|css|js)$/.test(file))
  .filter((file) => file !== 'test/voice.test.ts' && !/^test\/.*\.(?:md|json|yaml|yml)$/.test(file));

/** In tests, only comments and titles count: their data imitates the texts of users. */
function counts(file: string, line: string): boolean {
  return !file.startsWith('test/') || /^\s*(?:\/\*|\*|\/\/)|\b(?:test|describe)\(|^\s*\]?.*\)\('/.test(line);
}

test('uses plain words in code, pages and schemas', () => {
  const found = files.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        words.flatMap(([word, instead]) => {
          const [match] = counts(file, line) ? (word.exec(line) ?? []) : [];
          return match === undefined ? [] : [`${file}:${index + 1}: ${match} → ${instead}`];
        }),
      ),
  );
  expect(found).toEqual([]);
});

test('opens no comment of src with "What": a noun is shorter', () => {
  const found = files
    .filter((file) => /^src\/.*\.ts$/.test(file))
    .flatMap((file) =>
      readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          /^\s*(?:\/\*\*|\/\/|\*) What\b/.test(line) ? [`${file}:${index + 1}`] : [],
        ),
    );
  expect(found).toEqual([]);
});
