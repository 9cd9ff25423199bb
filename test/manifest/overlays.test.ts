/** Overlays are not manifests, are merged only if they are selected, and are always checked by validate. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace, type WorkspaceOptions } from '../../src/manifest/load-workspace.ts';
import type { Diagnostic } from '../../src/util/diagnostic.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'octavo-overlays-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
  writeFileSync(path.join(cwd, name), text);
}

function load(given: Partial<WorkspaceOptions> = {}) {
  return loadWorkspace({ paths: [], overlays: [], env: {}, cwd, registry, ...given });
}

const lines = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.map(({ severity, message, at, suggestion }) =>
    [severity, at === undefined ? '-' : `${at.file}:${at.line}:${at.column}`, message, suggestion ?? ''].join(
      ' | ',
    ),
  );

const head = 'octavo: 1\norganization: org_acme\n';
const production = 'octavo: 1\noverlay: production\n';

beforeEach(() => {
  write('base/teams.yaml', `${head}teams:\n  legal: { title: Legal }\n`);
  write(
    'environments/production.yaml',
    `${production}organization: { id: org_acme, title: "\${secret:TITLE}" }\nteams:\n  legal: { title: Legal (prod) }\n`,
  );
});

const titleOf = (workspace: Awaited<ReturnType<typeof load>>) =>
  workspace.trees.map((tree) => tree.nodes.get('teams/legal')?.fields.title);

describe('an overlay under -f', () => {
  test('has no effect without --overlay and does not need its variables', async () => {
    const workspace = await load();
    expect(workspace.diagnostics).toEqual([]);
    expect(titleOf(workspace)).toEqual(['Legal']);
    expect(workspace.overlays).toMatchObject({ selected: [], others: ['production'] });
  });

  test('is merged by name from all documents of that name', async () => {
    write('environments/ids.yaml', `${production}teams: { legal: { id: team_1 } }\n`);
    const workspace = await load({ overlays: ['production'], env: { TITLE: 'Acme' } });
    expect(workspace.diagnostics).toEqual([]);
    expect(titleOf(workspace)).toEqual(['Legal (prod)']);
    expect(workspace.trees[0]?.nodes.get('teams/legal')?.id).toBe('team_1');
  });

  test('may not declare the same value twice', async () => {
    write('environments/more.yaml', `${production}teams: { legal: { title: Other } }\n`);
    const { diagnostics } = await load({ overlays: ['production'], env: { TITLE: 'Acme' } });
    expect(lines(diagnostics)).toEqual([
      'error | environments/production.yaml:5:12 | teams/legal/title is declared twice | keep one of the two, or use an overlay to change a value for an environment',
    ]);
  });
});

describe('--overlay', () => {
  test.each([
    ['prodution', 'did you mean production? the manifests have production'],
    ['eu', 'the manifests have production'],
  ])('rejects the unknown overlay %s', async (name, help) => {
    const { diagnostics } = await load({ overlays: [name] });
    expect(lines(diagnostics)).toEqual([`error | - | unknown overlay "${name}" | ${help}`]);
  });

  test('explains how to create an overlay if there is none', async () => {
    const { diagnostics } = await load({ paths: ['base'], overlays: ['production'] });
    expect(lines(diagnostics)).toEqual([
      'error | - | unknown overlay "production" | no document under -f has an "overlay:" key; add overlay: production to the ones that are to be merged over the manifests, or pass the path of a file',
    ]);
  });

  test('accepts a path regardless of the name of the overlay', async () => {
    const workspace = await load({
      paths: ['base'],
      overlays: ['environments/production.yaml'],
      env: { TITLE: 'Acme' },
    });
    expect(workspace.diagnostics).toEqual([]);
    expect(titleOf(workspace)).toEqual(['Legal (prod)']);
  });

  test('rejects a folder with several overlays', async () => {
    write('environments/staging.yaml', 'octavo: 1\noverlay: staging\n');
    const { diagnostics } = await load({ paths: ['base'], overlays: ['environments/'] });
    expect(lines(diagnostics)).toEqual([
      'error | - | environments has several overlays: production, staging | pass one of them by its name: --overlay production',
    ]);
  });

  test('rejects a manifest, shows the line that makes it an overlay and does not read it otherwise', async () => {
    write('environments/staging.yaml', `${head}teams: { legal: { title: Staging } }\n`);
    const { diagnostics } = await load({ overlays: ['environments/staging.yaml'] });
    expect(lines(diagnostics)).toEqual([
      'error | environments/staging.yaml:1:1 | environments/staging.yaml is not an overlay: it has no "overlay:" key | add the line: overlay: staging',
    ]);
  });

  test('sets the organization if the manifests declare only one', async () => {
    write('environments/eu.yaml', 'octavo: 1\noverlay: eu\norganization: org_eu\n');
    const { trees, diagnostics } = await load({ overlays: ['eu'] });
    expect(diagnostics).toEqual([]);
    expect(trees.map(({ label, id }) => [label, id])).toEqual([['org_eu', 'org_eu']]);
  });

  test('rejects two organizations of one overlay', async () => {
    write('environments/eu.yaml', 'octavo: 1\noverlay: eu\norganization: org_eu\n');
    write('environments/us.yaml', 'octavo: 1\noverlay: eu\norganization: org_us\n');
    const { diagnostics } = await load({ overlays: ['eu'] });
    expect(lines(diagnostics)).toEqual([
      'error | environments/eu.yaml:3:15 | no manifest of organization org_eu | use one of org_acme',
      'error | environments/us.yaml:3:15 | no manifest of organization org_us | use one of org_acme',
    ]);
  });
});

test.each(['true', '[a]', 'null', '${env:NAME}', '"a b"'])(
  'rejects the name %s of an overlay',
  async (name) => {
    write('environments/odd.yaml', `octavo: 1\noverlay: ${name}\nteams: {}\n`);
    const { diagnostics } = await load();
    expect(lines(diagnostics)).toEqual([
      'error | environments/odd.yaml:2:10 | overlay must be a name: a letter, then letters, digits, dots, dashes and underscores | for example overlay: production',
    ]);
  },
);

describe('validate', () => {
  test('reports problems in overlays that are not merged, without their variables', async () => {
    write('environments/eu.yaml', 'octavo: 1\noverlay: eu\nteams: { legal: { titel: Legal } }\n');
    const { diagnostics } = await load({ purpose: 'check' });
    expect(lines(diagnostics)).toEqual([
      'error | environments/eu.yaml:3:19 | unknown key "titel" in a team | did you mean title?',
      'hint | environments/production.yaml:3:39 | secret TITLE is not set: values that depend on it are not checked | ',
    ]);
  });

  test('needs no variables, not even for the organization', async () => {
    write(
      'base/teams.yaml',
      'octavo: 1\norganization: { id: "${env:ORG}", title: X }\nteams: { a: {} , b: { title: 1 } }\n',
    );
    const { diagnostics, trees } = await load({ paths: ['base'], purpose: 'check', env: { ORF: 'x' } });
    expect(lines(diagnostics)).toEqual([
      'hint | base/teams.yaml:2:22 | environment variable ORG is not set: values that depend on it are not checked | did you mean ORF?',
      'error | base/teams.yaml:2:42 | title must be at least 2 characters, is 1 | for example title: Acme',
      'error | base/teams.yaml:3:30 | title must be text, is a number (1) | quote it: "1"',
    ]);
    expect(trees.map(({ label }) => label)).toEqual(['${env:ORG}']);
  });

  test('does not excuse other commands from the variables', async () => {
    write('base/teams.yaml', 'octavo: 1\norganization: "${env:ORG}"\n');
    const { diagnostics } = await load({ paths: ['base'] });
    expect(diagnostics.map(({ severity, code }) => [severity, code])).toEqual([
      ['error', 'missing-variable'],
    ]);
  });
});

test('accepts overlays of a base that were not overlays yet', async () => {
  write('environments/production.yaml', `${head}teams: { legal: { title: Before } }\n`);
  const files = new Map([['environments/production.yaml', 'production']]);
  const byName = await load({ overlays: ['production'], purpose: 'base', formerOverlays: files });
  expect(byName.diagnostics).toEqual([]);
  expect(titleOf(byName)).toEqual(['Before']);
  const byPath = await load({ overlays: ['environments/production.yaml'], purpose: 'base' });
  expect(titleOf(byPath)).toEqual(['Before']);
  const without = await load({ purpose: 'base', formerOverlays: files });
  expect(titleOf(without)).toEqual(['Legal']);
  const unknown = await load({ paths: ['base'], overlays: ['production', 'x/y.yaml'], purpose: 'base' });
  expect(unknown.diagnostics).toEqual([]);
});

describe('an object declared only in an overlay', () => {
  const site = `${head}sites:
  hub: { title: Hub, proxy: "acme.dev/docs", shareLinks: { partners: { name: Partners } } }
`;
  const inOverlay = async (text: string, given: Partial<WorkspaceOptions> = {}) => {
    write('base/sites.yaml', site);
    write('environments/production.yaml', `${production}${text}\n`);
    return load({ overlays: ['production'], ...given });
  };

  test.each([
    [
      'sites: { hubb: { title: Developer Hub } }',
      'error | environments/production.yaml:3:10 | site "hubb" is not in the manifests | did you mean hub? Otherwise, add new: true to the entry if it exists only with this overlay',
    ],
    [
      'sites: { hub: { shareLinks: { partner: { active: false } } } }',
      'error | environments/production.yaml:3:31 | share link "partner" is not in the manifests | did you mean partners? Otherwise, add new: true to the entry if it exists only with this overlay',
    ],
    [
      'teams: { press: { title: Press } }',
      'error | environments/production.yaml:3:10 | team "press" is not in the manifests | add new: true to the entry if it exists only with this overlay',
    ],
    [
      'collections: { internal: null }',
      'error | environments/production.yaml:3:16 | collection "internal" is not in the manifests | remove the line if there is nothing to leave out',
    ],
    [
      'teams: { legal: { new: true, title: Legal } }',
      'error | environments/production.yaml:3:19 | teams/legal already exists in the manifests | remove new, or give the new object another key',
    ],
    [
      'teams: { press: { new: yes, title: Press } }',
      'error | environments/production.yaml:3:24 | new of a team must be true | write new: true, or remove the line',
    ],
  ])('is rejected, selected or not: %s', async (text, expected) => {
    expect(lines((await inOverlay(text)).diagnostics)).toEqual([expected]);
    expect(lines((await load({ purpose: 'check' })).diagnostics)).toEqual([expected]);
  });

  test('is accepted with its children if it has new: true', async () => {
    const text = 'sites: { eu: { new: true, title: EU, shareLinks: { a: { name: Aa } }, proxy: null } }';
    const { diagnostics, trees } = await inOverlay(text);
    expect(diagnostics.map(({ severity }) => severity)).toEqual(['hint']);
    expect(trees[0]?.nodes.get('sites/eu')?.fields).toEqual({ title: 'EU' });
    expect(trees[0]?.nodes.has('sites/eu/shareLinks/a')).toBe(true);
  });

  test('may be changed by a later overlay', async () => {
    write('environments/more.yaml', 'octavo: 1\noverlay: more\nteams: { press: { title: Media } }\n');
    const text = 'teams: { press: { new: true, title: Press } }';
    const both = await inOverlay(text, { overlays: ['production', 'more'] });
    expect(both.diagnostics).toEqual([]);
    expect(both.trees[0]?.nodes.get('teams/press')?.fields.title).toBe('Media');
    expect((await load({ purpose: 'check' })).diagnostics).toEqual([]);
    expect(lines((await load({ overlays: ['more'] })).diagnostics)).toMatchObject([
      expect.stringContaining('team "press" is not in the manifests'),
    ]);
  });

  test('is accepted in a base, which may be older than the rule', async () => {
    const { diagnostics, trees } = await inOverlay('teams: { press: { title: Press } }', { purpose: 'base' });
    expect(diagnostics).toEqual([]);
    expect(trees[0]?.nodes.has('teams/press')).toBe(true);
  });

  test('is rejected with new: true in a manifest', async () => {
    write('base/teams.yaml', `${head}teams:\n  legal: { new: true, title: Legal }\n`);
    expect(lines((await load()).diagnostics)).toEqual([
      'error | base/teams.yaml:4:12 | unknown key "new" in a team | remove it: only overlays mark new objects',
    ]);
  });

  test('leaves a value unmanaged with null, with a hint if it could be cleared', async () => {
    const { diagnostics, trees } = await inOverlay('sites: { hub: { proxy: null, shareLinks: null } }');
    expect(lines(diagnostics)).toEqual([
      'hint | environments/production.yaml:3:24 | null in an overlay leaves proxy unmanaged | to clear the value, write proxy: ${clear}',
    ]);
    expect(trees[0]?.nodes.get('sites/hub')?.fields).toEqual({ title: 'Hub' });
  });

  test('clears a value with ${clear}, as in a manifest', async () => {
    const { diagnostics, trees } = await inOverlay('sites: { hub: { proxy: "${clear}" } }');
    expect(diagnostics).toEqual([]);
    expect(trees[0]?.nodes.get('sites/hub')?.fields).toEqual({ title: 'Hub', proxy: null });
    write('base/sites.yaml', site.replace('"acme.dev/docs"', '"${clear}"'));
    expect((await load()).trees[0]?.nodes.get('sites/hub')?.fields).toMatchObject({ proxy: null });
  });

  test('rejects ${clear} within a text or for a field that cannot be cleared', async () => {
    const text = 'sites: { hub: { title: "${clear}", proxy: "x ${clear}" } }';
    expect(lines((await inOverlay(text)).diagnostics)).toEqual([
      'error | environments/production.yaml:3:24 | title cannot be null | give it a value, or remove the line to leave it unmanaged',
      'error | environments/production.yaml:3:46 | ${clear} must be the whole value | remove the text around it',
    ]);
  });
});
