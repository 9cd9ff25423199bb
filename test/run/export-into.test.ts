/** An export into existing manifests: they get the live values and keep everything else. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { type ExportToOptions, exportRun } from '../../src/run/export/export-to.ts';
import type { Seed } from '../../src/server/seed/seed-file.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { folder } from '../cli/octavo.ts';
import { liveStates } from '../support/live-states.ts';
import { memoryService } from '../support/memory-service.ts';
import { patience, portion, tries } from '../support/runs.ts';

const service = memoryService();
afterAll(() => service.close());

const acme = {
  id: 'org_acme',
  title: 'Acme',
  members: [{ id: 'user_ada', email: 'ada@acme.dev', role: 'admin' as const }],
  spaces: [
    { id: 'sp_a', title: 'Guide' },
    { id: 'sp_b', title: 'API' },
  ],
  teams: [
    { id: 't_1', title: 'Writers' },
    { id: 't_2', title: 'Editors' },
  ],
  sites: [
    {
      id: 'site_1',
      title: 'Hub',
      sections: [
        { id: 'sec_1', title: 'One', path: 'one', spaces: [{ id: 'ss_1', space: 'sp_a' }] },
        { id: 'sec_2', title: 'Two', path: 'two', spaces: [{ id: 'ss_2', space: 'sp_b' }] },
      ],
    },
  ],
};

async function exported(cwd: string, options: Partial<ExportToOptions> = {}) {
  const run = await exportRun(service.api, {
    registry,
    cwd,
    env: {},
    out: '.',
    overlays: [],
    pin: 'ambiguous',
    layout: 'one',
    dryRun: false,
    isInterrupted: () => false,
    ...options,
  });
  if (run.type === 'interrupted') throw new Error('interrupted');
  return run.report;
}

const read = (cwd: string, name: string) => readFileSync(path.join(cwd, name), 'utf8');

const commented = `# Ours
octavo: 1
organization: { id: org_acme, title: Old } # the whole

members: { ada@acme.dev: { role: admin }, owner@octavo.example: { role: admin } }

teams:
  # Who writes
  pen: { id: t_1, title: "Scribes" }   # was renamed
  gone: { title: Gone }

sites:
  hub:
    title: Hub
    sections: # in order
      two: { title: Two, path: two }
      # the first
      one:
        title: One
        path: "one"
        spaces: { main: { space: guide, path: guide } }
spaces:
  guide: { id: sp_a, title: "\${env:TITLE}" }
`;

test('keeps comments, keys, quotes, styles and interpolations and adds live values', async () => {
  service.reset({ organizations: [acme] });
  const cwd = folder({ 'all.yaml': commented });
  const options = { env: { TITLE: 'Guide' } };
  const report = await exported(cwd, options);
  expect(report.merge).toMatchObject({ isEmptyPlan: true, refused: [] });
  expect(report.files).toEqual([{ file: 'all.yaml', action: 'updated' }]);
  const after = read(cwd, 'all.yaml');
  expect(after).toBe(`# Ours
octavo: 1
organization: { id: org_acme, title: Acme } # the whole

members: { ada@acme.dev: { role: admin }, owner@octavo.example: { role: admin } }

teams:
  # Who writes
  pen: { id: t_1, title: "Writers" }   # was renamed
  editors:
    title: Editors
    members: {}

sites:
  hub:
    title: Hub
    sections: # in order
      # the first
      one:
        title: One
        path: "one"
        spaces: { main: { space: guide, path: guide } }
      two: { title: Two, path: two, spaces: { api: { space: api, path: api } } }
spaces:
  guide: { id: sp_a, title: "\${env:TITLE}" }
  api: { title: API, emoji: "📄", editMode: live, defaultLevel: inherit }
`);
  const again = await exported(cwd, options);
  expect(again.files).toEqual([{ file: 'all.yaml', action: 'unchanged' }]);
  expect(read(cwd, 'all.yaml')).toBe(after);
});

test('changes the title but not the key of an object renamed in the app', async () => {
  service.reset({ organizations: [acme] });
  const cwd = folder({});
  const created = await exported(cwd, { out: 'docs', layout: 'split' });
  expect(created.files.every(({ action }) => action === 'created')).toBe(true);
  const before = read(cwd, 'docs/teams.yaml');
  const pinned = before.replace('  writers:\n', '  writers:\n    id: t_1\n');
  writeFileSync(path.join(cwd, 'docs/teams.yaml'), pinned);
  const [writers, editors] = acme.teams;
  service.reset({
    organizations: [{ ...acme, teams: [{ ...writers, title: 'Authors' }, editors] } as never],
  });
  const report = await exported(cwd, { out: 'docs', layout: 'split' });
  expect(report.files.filter(({ action }) => action !== 'unchanged')).toEqual([
    { file: 'docs/teams.yaml', action: 'updated' },
  ]);
  expect(read(cwd, 'docs/teams.yaml')).toBe(pinned.replace('title: Writers', 'title: Authors'));
});

test('refuses a differing interpolated value with its place and writes the rest', async () => {
  service.reset({ organizations: [acme] });
  const cwd = folder({ 'all.yaml': commented });
  const { merge } = await exported(cwd, { env: { TITLE: 'Handbook' } });
  expect(merge?.refused.map(({ address, what, at }) => [address, what, at?.line])).toEqual([
    ['spaces/guide', 'title', 23],
  ]);
  expect(merge?.isEmptyPlan).toBe(false);
  expect(read(cwd, 'all.yaml')).toContain('title: Acme');
});

test('writes only selected addresses, and no file with --dry-run', async () => {
  service.reset({ organizations: [acme] });
  const cwd = folder({ 'all.yaml': commented });
  const options = { env: { TITLE: 'Guide' }, only: ['teams/**'] };
  const dry = await exported(cwd, { ...options, dryRun: true });
  expect(dry.files[0]?.text).toContain('title: "Writers"');
  expect(read(cwd, 'all.yaml')).toBe(commented);
  await exported(cwd, options);
  const after = read(cwd, 'all.yaml');
  expect(after).toContain('title: "Writers"');
  expect(after).toContain('organization: { id: org_acme, title: Old }');
  expect(after).not.toContain('api: { title: API');
});

test('does not write into manifests with errors or files of other tools', async () => {
  service.reset({ organizations: [acme] });
  const broken = folder({ 'all.yaml': 'octavo: 1\norganization: org_acme\nteams: { a: { titel: A } }\n' });
  await expect(exported(broken)).rejects.toBeInstanceOf(DiagnosticError);
  const other = folder({ 'octavo.yaml': 'name: something else\n' });
  await expect(exported(other)).rejects.toMatchObject({ diagnostics: [{ code: 'exists' }] });
  expect(read(other, 'octavo.yaml')).toBe('name: something else\n');
});

test('writes a space that only a search finds next to a listed one with the same title', async () => {
  const organization = { id: 'org_acme', title: 'Acme', members: acme.members };
  const site = { title: 'Hub', sections: [{ title: 'One', spaces: [{ space: 'sp_a' }] }] };
  service.reset({
    organizations: [{ ...organization, spaces: [{ id: 'sp_a', title: 'Guide' }], sites: [site] }],
  });
  const cwd = folder({});
  await exported(cwd, { out: 'docs' });
  const commented = read(cwd, 'docs/octavo.yaml').replace('title: Guide', 'title: Guide # ours');
  writeFileSync(path.join(cwd, 'docs/octavo.yaml'), commented);
  const content = [
    { type: 'collection' as const, title: 'Shelf', content: [{ id: 'sp_b', title: 'Guide' }] },
    { id: 'sp_c', title: ' Guide' },
  ];
  service.reset({ organizations: [{ ...organization, content }] });
  const { merge } = await exported(cwd, { out: 'docs' });
  expect(merge).toMatchObject({ isEmptyPlan: true, refused: [] });
  const after = read(cwd, 'docs/octavo.yaml');
  expect(after).toContain('\nspaces:\n  guide:\n    title: " Guide" # ours\n');
  expect(after).toMatch(/\n {2}shelf:\n.* {4}spaces:\n {6}guide\S*:\n {8}title: Guide\n/s);
  const again = await exported(cwd, { out: 'docs' });
  expect(again.files).toEqual([{ file: 'docs/octavo.yaml', action: 'unchanged' }]);
});

/** Two live states of the same organization. */
const pairs = fc.tuple(liveStates, liveStates).map(([one, other]) =>
  [one, other].map(
    ({ organizations }): Seed => ({
      organizations: organizations.map((organization) => ({ ...organization, id: 'org_a' })),
    }),
  ),
);

test('turns the manifests of one random workspace into another', {
  timeout: patience(120_000),
}, async () => {
  let merged = 0;
  await fc.assert(
    fc.asyncProperty(
      pairs,
      fc.constantFrom('one' as const, 'split' as const),
      async ([before, after], layout) => {
        const cwd = folder({});
        mkdirSync(path.join(cwd, 'docs'));
        if (before === undefined || after === undefined) throw new Error('two states are needed');
        service.reset(before);
        await exported(cwd, { out: 'docs', layout });
        service.reset(after);
        try {
          const { merge } = await exported(cwd, { out: 'docs', layout });
          if (merge !== undefined && merge.refused.length > 0) return;
          expect(merge?.isEmptyPlan).toBe(true);
        } catch (error) {
          // Only a user can choose between two objects.
          const isDoubtful =
            error instanceof DiagnosticError && error.diagnostics[0]?.code === 'ambiguous-identity';
          if (!isDoubtful) throw error;
          return;
        }
        const again = await exported(cwd, { out: 'docs', layout });
        expect(again.files.filter(({ action }) => action !== 'unchanged')).toEqual([]);
        merged += 1;
      },
    ),
    { ...tries(20), endOnFailure: true },
  );
  expect(merged).toBeGreaterThanOrEqual(portion(4));
});
