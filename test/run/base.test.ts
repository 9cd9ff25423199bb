/** Cost of reading a base, in counts of git processes and parsed texts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadBase } from '../../src/past/base/load-base.ts';
import { loadManifests } from '../../src/past/workspace.ts';
import { parseYaml } from '../../src/yaml/parse.ts';
import { ParsedTexts } from '../../src/yaml/parsed-texts.ts';
import { git, initRepository } from '../cli/git.ts';

/** A repository with `count` committed files of one team each. */
function repository(count: number): string {
  const root = mkdtempSync(path.join(tmpdir(), 'octavo-base-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(path.join(root, 'teams'));
  for (let at = 0; at < count; at += 1) write(root, at, `Team ${at}`);
  initRepository(root);
  git(root, 'add', '.');
  git(root, 'commit', '--quiet', '-m', 'all');
  return root;
}

function write(root: string, at: number, title: string): void {
  const text = `octavo: 1\norganization: org_acme\nteams: { t${at}: { title: ${title} } }\n`;
  writeFileSync(path.join(root, 'teams', `${at}.yaml`), text);
}

/** The manifests, their base, and the names of the parsed files in order. */
async function load(root: string, base: string, files: readonly string[] = []) {
  const names: string[] = [];
  const parsed = new ParsedTexts((file, text, problems) => {
    names.push(file);
    return parseYaml(file, text, problems);
  });
  const source = { cwd: root, env: process.env, files, overlays: [], registry, parsed };
  const own = await loadManifests(source);
  const { bases, notes } = await loadBase(source, { name: base }, own);
  return { names, own, base: bases.get('org_acme'), notes: notes.map(({ message }) => message) };
}

test('parses a text that is also in the base once', async () => {
  const root = repository(100);
  write(root, 42, 'Other');
  rmSync(path.join(root, 'teams/7.yaml'));
  const { names, own, base } = await load(root, 'HEAD');
  expect(names).toHaveLength(101);
  expect(names.slice(99).sort()).toEqual(['teams/42.yaml', 'teams/7.yaml']);
  expect(base?.get('teams/t42')?.fields).toMatchObject({ title: 'Team 42' });
  expect(own.trees[0]?.get('teams/t42')?.fields).toMatchObject({ title: 'Other' });
  expect(base?.get('teams/t7')).toBeDefined();
  expect(base?.nodes.size).toBe(101);
});

test('shares texts with a base in a folder', async () => {
  const { names, base } = await load(repository(20), repository(20));
  expect(base?.nodes.size).toBe(21);
  expect(names).toHaveLength(20);
});

test.each(['a commit', 'a folder'])('reports paths that %s lacks as a base', async (type) => {
  const root = repository(2);
  const former = type === 'a folder' ? repository(2) : 'HEAD';
  write(root, 2, 'New');
  const added = path.join('teams', '2.yaml');
  const { base, notes } = await load(root, former, ['teams/0.yaml', added]);
  expect(base?.nodes.size).toBe(2);
  expect(notes).toEqual([`${former} has no manifests in ${added}: everything there counts as added since`]);
  expect((await load(root, former, ['teams'])).notes).toEqual([]);
});
