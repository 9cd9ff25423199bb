/** Snippets on the page about editors work on the output of `octavo validate`, and on the examples. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, octavo, root } from '../cli/octavo.ts';
import { codeBlocks } from '../docs/page.ts';
import { LanguageServer } from './language-server.ts';

const page = readFileSync(join(root, 'docs/editors.md'), 'utf8');
const block = (language: string, word: string) =>
  codeBlocks(page).find((one) => one.language === language && one.text.includes(word))?.text ?? '';

const problems = {
  'sites/a,b.yaml': `octavo: 1
organization: org_acme
sites:
  hub:
    titel: "50%: a, b"
    default: guide
    sections: { guides: { title: Guides, icon: 📘, spaces: { main: { space: { id: sp_1 } } } } }
    customization:
      3
`,
  'unused.yaml': '- 1\n',
};

interface Found {
  readonly severity: string | undefined;
  readonly place: string;
  readonly code: string | undefined;
  readonly message: string | undefined;
}

/** The matches of a pattern for each annotation; null for lines that it misses. */
async function matched(pattern: RegExp): Promise<readonly (RegExpExecArray | null)[]> {
  const runs = [
    problems,
    { 'a.yaml': problems['sites/a,b.yaml'].replace(/ {4}(?:titel|default|custom).*\n(?: {6}3\n)?/g, '') },
  ];
  const lines: string[] = [];
  for (const files of runs) {
    const { stdout } = await octavo(['validate', '--format', 'github'], { cwd: folder(files) });
    lines.push(...stdout.split('\n').filter((line) => /^::(?:error|warning|notice) /.test(line)));
    // The pattern must not match other lines.
    expect(stdout.split('\n').filter((line) => pattern.test(line) && !lines.includes(line))).toEqual([]);
  }
  expect(lines.length).toBeGreaterThan(4);
  return lines.map((line) => pattern.exec(line));
}

test('the problem matcher for VS Code parses each line completely', async () => {
  const task = JSON.parse(block('json', 'problemMatcher')).tasks[0];
  const { regexp, ...parts } = task.problemMatcher.pattern;
  expect(task.command).toBe('octavo validate --format github');
  const found: Found[] = [];
  for (const match of await matched(new RegExp(regexp))) {
    const at = (name: string) => match?.[parts[name]];
    const place = ['file', 'line', 'column', 'endLine', 'endColumn'].map(at).join(' ');
    found.push({ severity: at('severity'), place, code: at('code'), message: at('message') });
  }
  expect(found).toMatchInlineSnapshot(`
    [
      {
        "code": "unknown-key",
        "message": "unknown key "titel" in a site (sites/hub)",
        "place": "sites/a%2Cb.yaml 5 5 5 10",
        "severity": "error",
      },
      {
        "code": "unknown-reference",
        "message": "default: section or site-space "guide" not found (sites/hub)",
        "place": "sites/a%2Cb.yaml 6 14 6 19",
        "severity": "error",
      },
      {
        "code": "value",
        "message": "a customization must be a mapping, is a number (3) (sites/hub/customization)",
        "place": "sites/a%2Cb.yaml 9 7 9 8",
        "severity": "error",
      },
      {
        "code": "unusual-value",
        "message": "icon "📘": not the name of an icon such as book (sites/hub/sections/guides)",
        "place": "sites/a%2Cb.yaml 7 48 7 50",
        "severity": "warning",
      },
      {
        "code": "not-a-manifest",
        "message": "skipped: no "octavo:" key",
        "place": "unused.yaml 1 1 1 2",
        "severity": "notice",
      },
      {
        "code": "unusual-value",
        "message": "icon "📘": not the name of an icon such as book (sites/hub/sections/guides)",
        "place": "a.yaml 5 48 5 50",
        "severity": "warning",
      },
    ]
  `);
});

/** Converts the Lua patterns of the page to regular expressions. */
function fromLua(pattern: string): RegExp {
  const text = pattern
    .replace(/\.-/g, '.*?')
    .replace(/%%/g, '%')
    .replace(/%([ad])/g, (_, letter) => (letter === 'a' ? '[A-Za-z]' : '\\d'))
    .replace(/\[%w-\]/g, '[A-Za-z0-9-]');
  return new RegExp(text);
}

test('the pattern for nvim-lint parses each line completely', async () => {
  const lua = block('lua', 'from_pattern');
  const [, pattern = ''] = /from_pattern\(\s*"(.*)"/.exec(lua) ?? [];
  const groups = [...(/\{ ("severity".*) \}/.exec(lua)?.[1] ?? '').matchAll(/"(\w+)"/g)].map(
    ([, name]) => name,
  );
  expect(groups).toEqual(['severity', 'file', 'lnum', 'col', 'code', 'message']);
  const found = (await matched(fromLua(pattern))).map((match) => match?.slice(1, 6).join(' '));
  expect(found).toMatchInlineSnapshot(`
    [
      "error sites/a%2Cb.yaml 5 5 unknown-key",
      "error sites/a%2Cb.yaml 6 14 unknown-reference",
      "error sites/a%2Cb.yaml 9 7 value",
      "warning sites/a%2Cb.yaml 7 48 unusual-value",
      "notice unused.yaml 1 1 not-a-manifest",
      "warning a.yaml 5 48 unusual-value",
    ]
  `);
});

test('the output filter for JetBrains matches each error', async () => {
  const [, filter = ''] = /Output filters \| `(.*)`/.exec(page) ?? [];
  // As in the IDE: the variables are patterns, and a filter matches a whole line.
  const text = filter
    .replace('$FILE_PATH$', '(.+?)')
    .replace(/\$(?:LINE|COLUMN)\$/g, '(\\d+)')
    .replace('$MESSAGE$', '(.*)');
  const found = (await matched(new RegExp(`^${text}$`))).filter((match) => match !== null);
  expect(found.map((match) => match.slice(1, 4).join(' '))).toMatchInlineSnapshot(`
    [
      "sites/a%2Cb.yaml 5 5",
      "sites/a%2Cb.yaml 6 14",
      "sites/a%2Cb.yaml 9 7",
    ]
  `);
});

test('the file patterns for the schema report no error in lists of records', async () => {
  const schemas = JSON.parse(block('json', 'yaml.schemas'))['yaml.schemas']['manifest.schema.json'];
  const workspace = folder({ 'docs/broken.yaml': 'octavo: 1\norganization: o\nteam: {}\n' });
  cpSync(join(root, 'examples/fleet/organizations'), join(workspace, 'docs'), { recursive: true });
  cpSync(join(root, 'examples/access/tests'), join(workspace, 'docs/tests'), { recursive: true });
  const schema = join(workspace, 'manifest.schema.json');
  writeFileSync(schema, readFileSync(join(root, 'schemas/manifest.schema.json')));
  const server = await LanguageServer.start(workspace, { 'manifest.schema.json': schemas });
  const flagged: string[] = [];
  for (const name of readdirSync(join(workspace, 'docs'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.yaml')) continue;
    const file = join(workspace, 'docs', name);
    const text = readFileSync(file, 'utf8').replace(/^# yaml-language-server.*\n/, '');
    if ((await server.open(file, text)).length > 0) flagged.push(name);
  }
  server.stop();
  expect(flagged).toEqual(['broken.yaml']);
});
