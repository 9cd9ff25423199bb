/** What binds an apply comes from its base: a request cannot lift its own approval, and a fork approves nothing. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defined } from '../../src/util/defined.ts';
import { git } from '../cli/git.ts';
import { folder, manifest } from '../cli/octavo.ts';
import { onGithub, onGitlab, project } from '../support/forge/project.ts';
import { patience, portion, tries } from '../support/runs.ts';

const renamed = (title: string) => manifest.replace('Writers', title);

type Files = Readonly<Record<string, string>>;

const titles = ['Writers', 'Authors', 'Poets', 'Readers', 'Evil team'] as const;

/** Any files of a request: manifests, overlays, settings, rules, and what only Octavo writes. An empty text deletes the file. */
const edits: fc.Arbitrary<Files> = fc
  .record(
    {
      'docs/acme.yaml': fc
        .record({
          writers: fc.constantFrom(...titles, undefined),
          more: fc.constantFrom(...titles, undefined, undefined),
          protect: fc.boolean(),
        })
        .map(({ writers, more, protect }) => {
          const own = writers === undefined ? '' : `  writers: { title: ${writers} }\n`;
          const added = more === undefined ? '' : `  more: { title: More ${more}, was: [] }\n`;
          const settings = protect ? 'settings: { protect: teams/* }\n' : 'settings: { prune: removed }\n';
          return `${renamed('Writers').replace(/^ {2}writers.*\n/m, `${own}${added}`)}${settings}`;
        }),
      'docs/over.yaml': fc
        .constantFrom(...titles)
        .map(
          (title) =>
            `octavo: 1\noverlay: production\norganization: { id: org_acme }\nteams: { platform: { title: Over ${title} } }\n`,
        ),
      'octavo.config.yaml': fc
        .record(
          {
            approval: fc.constantFrom('none', 'none', 'merged'),
            app: fc.constantFrom('evil', 'github-actions'),
            comment: fc.boolean(),
            rehearse: fc.boolean(),
            changed: fc.boolean(),
            base: fc.constantFrom('none', 'HEAD', 'HEAD~1', 'applied'),
            overlay: fc.constantFrom('production', undefined, undefined),
          },
          { requiredKeys: ['approval'] },
        )
        .map(({ base, overlay, ...ci }) => JSON.stringify(defined({ base, overlay, ci }))),
      'octavo.rules.yaml': fc.constantFrom(
        '',
        'rules: {}\n',
        'rules: { evil: { when: { kind: site }, message: No } }\n',
        'rules: { evil: { when: { kind: team }, message: No, severity: warning } }\n',
      ),
      'octavo-ci/approval.json': fc.constantFrom('{}', '{"format":1,"digest":"*","approval":"*"}'),
      '.octavo/journal/r-1-00000000.ndjson': fc.constant('{}'),
      '.gitattributes': fc.constantFrom('* text eol=crlf\n', '*.yaml merge=evil filter=evil\n'),
    },
    { requiredKeys: [] },
  )
  // Each rare file ends most requests at once.
  .chain((files) =>
    fc
      .nat(9)
      .map((kept) => (kept === 0 ? without(files, /^$/) : without(files, /^(?:octavo-ci|\.octavo)\//))),
  );

function without(files: Readonly<Record<string, string | undefined>>, names: RegExp): Files {
  return Object.fromEntries(
    Object.entries(files).flatMap(([name, text]) =>
      text === undefined || names.test(name) ? [] : [[name, text]],
    ),
  );
}

const stories = fc.record({
  isFair: fc.boolean(),
  config: fc.constantFrom(
    undefined,
    'ci: { comment: false }\n',
    'ci: { approval: none }\n',
    'ci: { rehearse: false }\n',
  ),
  commits: fc.array(fc.record({ files: edits, isPlanned: fc.boolean() }), {
    minLength: 1,
    maxLength: 3,
  }),
});

/** A request that may be applied: its plan is shown, and no rule or overlay is in its way. */
function fair({ files }: { readonly files: Files }) {
  const own = without(files, /^(?:octavo-ci|\.octavo|\.gitattributes)/);
  const texts = Object.entries(own).map(([name, text]) => [
    name,
    text.replaceAll('Evil team', 'Guides').replace('"overlay":"production",', ''),
  ]);
  return { files: Object.fromEntries(texts) as Files, isPlanned: true };
}

const strict =
  'rules: { evil: { when: { kind: team }, require: { after: { title: { not: "*Evil*" } } }, message: No } }\n';

describe.each([
  ['GitHub', onGithub],
  ['GitLab', onGitlab],
] as const)('on %s', (forge, open) => {
  test.each([
    'approval: none',
    'approval: none, comment: false',
    'app: evil',
    'rehearse: false, approval: none',
  ])('a request with ci: { %s } is held to its approval anyway', async (ci) => {
    const made = await project();
    const { plan, apply, merge, comments } = await open(made);
    const planned = made.commit({ 'octavo.config.yaml': `ci: { ${ci} }\n` });
    const first = await plan(planned);
    expect(first, first.stderr).toMatchObject({ code: 0 });
    expect(first.stderr).toContain(`approval ${forge === 'GitHub' ? 'by check run' : 'by artifact'}`);
    expect(first.stderr.replace(/\s+/g, ' ')).toContain('warning[ci]: the request changes ci.');
    expect(comments().join()).toContain('> ⚠ **Approval** changes ci.');
    const unplanned = made.commit({ 'docs/acme.yaml': renamed('Authors') });
    merge(unplanned);
    const applied = await apply();
    expect(applied.code).toBe(1);
    expect(applied.stderr).toContain('error[no-approval]');
    expect(await made.titles()).toContain('Writers');
  });

  test('a change of what binds an apply is shown in every format, without other changes', async () => {
    const made = await project('ci: { comment: false }\n');
    const { plan, comments } = await open(made);
    const ci = 'ci: { approval: none, app: "*evil* <b>", rehearse: false, changed: true }';
    const planned = await plan(
      made.commit({ 'octavo.config.yaml': `base: HEAD\n${ci}\n`, 'octavo.rules.yaml': 'rules: {}\n' }),
    );
    expect(planned, planned.stderr).toMatchObject({ code: 0 });
    const all = [
      'ci.approval from its default to none',
      'ci.app from its default to *evil* <b>',
      'ci.comment from false to its default',
      'ci.rehearse from its default to false',
      'ci.changed from its default to true',
      'base from its default to HEAD',
      'octavo.rules.yaml',
    ];
    const said = `Approval changes ${all.join(', ')}: from the next request on`;
    const result = (name: string) => readFileSync(join(made.cwd, 'octavo-ci', name), 'utf8');
    expect(JSON.parse(result('plan.json'))).toMatchObject({ binding: all });
    expect(planned.stdout.replace(/\s+/g, ' ')).toContain(`! ${said}`);
    expect(result('plan.html')).toContain(said.replace('<b>', '&#60;b&#62;'));
    const escaped = said.replace('Approval', '> ⚠ **Approval**').replace('*evil* <b>', '\\*evil\\* \\<b\\>');
    expect(result('plan.md')).toContain(escaped);
    // The base shows no comments.
    expect(comments()).toEqual([]);
  });

  test('new rules are shown in a comment, even if nothing else changes', async () => {
    const made = await project();
    const { plan, comments } = await open(made);
    const ran = await plan(made.commit({ 'octavo.rules.yaml': 'rules: {}\n' }));
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(comments().join()).toContain(
      '> ⚠ **Approval** changes octavo.rules.yaml: from the next request on',
    );
  });

  test('the new value holds after the request that brought it was applied', async () => {
    const made = await project();
    const { plan, apply, merge } = await open(made);
    const head = made.commit({ 'octavo.config.yaml': 'ci: { approval: none }\n' });
    expect((await plan(head)).code).toBe(0);
    merge(head);
    made.push();
    const first = await apply();
    expect(first, first.stderr).toMatchObject({ code: 0 });
    made.commit({ 'docs/acme.yaml': renamed('Authors') });
    merge('c'.repeat(40));
    const second = await apply();
    expect(second, second.stderr).toMatchObject({ code: 0 });
    expect(await made.titles()).toContain('Authors');
  });

  test('a request cannot keep the comment of its former plan in front of reviewers', async () => {
    const made = await project();
    const { plan, comments } = await open(made);
    await plan(made.commit({ 'docs/acme.yaml': renamed('Authors') }));
    expect(comments().join()).toContain('Authors');
    const ran = await plan(
      made.commit({ 'docs/acme.yaml': renamed('Poets'), 'octavo.config.yaml': 'ci: { comment: false }\n' }),
    );
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(comments()).toHaveLength(1);
    expect(comments().join()).toContain('Poets');
  });

  test('without comments, an existing one is still updated', async () => {
    const made = await project('ci: { comment: false }\n');
    const { plan, comments, fake } = await open(made);
    const stale = '<!-- octavo:plan -->\nold plan';
    if ('checks' in fake) fake.post(fake.comments.get(12) ?? [], 'github-actions', stale);
    else fake.note(fake.notes, 41, stale);
    await plan(made.commit({ 'docs/acme.yaml': renamed('Authors') }));
    expect(comments()).toHaveLength(1);
    expect(comments().join()).toContain('Authors');
  });

  test('the base that a request configures does not hide its removals', async () => {
    const made = await project();
    const { plan } = await open(made);
    const without = manifest.replace(/^ {2}writers:.*\n/m, '');
    const ran = await plan(made.commit({ 'octavo.config.yaml': 'base: none\n', 'docs/acme.yaml': without }));
    expect(ran.stderr.replace(/\s+/g, ' ')).toContain('base from its default to none');
    expect(ran.stderr).not.toContain('base none');
    expect(readFileSync(join(made.cwd, 'octavo-ci/plan.md'), 'utf8')).toMatch(/Deletes|protect|delete/);
  });

  test.each(['none', 'HEAD', 'HEAD~1'])('an apply of a request does not use its base: %s', async (base) => {
    const made = await project();
    const { plan, apply, merge } = await open(made);
    const without = renamed('Authors').replace(/^ {2}platform:.*\n/m, '');
    const head = made.commit({ 'octavo.config.yaml': `base: ${base}\n`, 'docs/acme.yaml': without });
    expect((await plan(head)).code).toBe(0);
    merge(head);
    const applied = await apply();
    expect(applied, applied.stderr).toMatchObject({ code: 0 });
    expect(await made.titles()).toEqual(['Authors']);
  });

  test('a fork has no approval of its own, wherever its pipeline ran', async () => {
    const made = await project();
    const { plan, apply, merge } = await open(made);
    const head = made.commit({ 'docs/acme.yaml': renamed('Authors') });
    expect((await plan(head)).code).toBe(0);
    merge(head, { isFork: true });
    const applied = await apply();
    expect(applied.code).toBe(1);
    expect(applied.stderr).toContain('is from a fork, whose plans approve nothing');
    expect(await made.titles()).toContain('Writers');
  });

  test.each([
    ['the plan', {}, ['--base', 'no-such-commit']],
    ['the manifests', { 'docs/acme.yaml': 'octavo: 1\norganization: { id: org_acme }\nteems: {}\n' }, []],
  ])('a later plan of the same commit that fails ends the approval (%s)', async (_what, files, args) => {
    const made = await project();
    const { plan, apply, merge } = await open(made);
    const head = made.commit({ 'docs/acme.yaml': renamed('Authors') });
    expect((await plan(head)).code).toBe(0);
    made.write(files);
    expect((await plan(head, ...args)).code).toBe(1);
    git(made.cwd, 'checkout', '--quiet', '.');
    merge(head);
    const applied = await apply();
    expect(applied.stderr).toContain('cannot be applied: its last plan failed');
    expect(await made.titles()).toContain('Writers');
    expect((await plan(head)).code).toBe(0);
    const again = await apply();
    expect(again, again.stderr).toMatchObject({ code: 0 });
  });

  test.each(['octavo-ci', 'octavo-ci/.gitignore', 'octavo-ci/plan.md', '.octavo/journal/x'])(
    'refuses %s if the checkout brings it, as a link or a file',
    async (name) => {
      for (const kind of ['link', 'file']) {
        const made = await project();
        const { plan, apply, merge } = await open(made);
        const outside = join(folder({ 'kept/plan.md': 'kept', 'kept/.gitignore': 'kept' }), 'kept');
        const at = join(made.cwd, name);
        mkdirSync(join(at, '..'), { recursive: true });
        const target = name === 'octavo-ci' ? outside : join(outside, 'plan.md');
        if (kind === 'link') symlinkSync(target, at);
        else writeFileSync(at, 'mine');
        git(made.cwd, 'add', '--force', name);
        const head = made.commit({ 'docs/acme.yaml': renamed('Authors') });
        merge(head);
        for (const ran of [await plan(head), await apply()]) {
          expect(ran.code).toBe(1);
          expect(ran.stderr).toContain(`error[ci]: git tracks ${name}, which Octavo writes`);
        }
        for (const file of ['plan.md', '.gitignore'])
          expect(readFileSync(join(outside, file), 'utf8')).toBe('kept');
      }
    },
  );

  test('an apply sends only what the plan that the base let pass has shown, whatever a request changes', {
    timeout: patience(400_000),
  }, async () => {
    const seen = { sent: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(stories, async ({ config, commits: given, isFair }) => {
        const commits = isFair ? given.map(fair) : given;
        const made = await project(config, { 'octavo.rules.yaml': strict });
        const { plan, apply, merge } = await open(made);
        const before = await made.titles();
        let [head, shown] = ['', undefined as string | undefined];
        for (const { files, isPlanned } of commits) {
          head = made.commit(files);
          shown = undefined;
          if (!isPlanned) continue;
          const { code } = await plan(head);
          if (code === 0) shown = readFileSync(join(made.cwd, 'octavo-ci/plan.json'), 'utf8');
        }
        merge(head);
        const applied = await apply();
        const after = await made.titles();
        const changed = [...before, ...after].filter((one) => before.includes(one) !== after.includes(one));
        seen[changed.length > 0 ? 'sent' : 'refused'] += 1;
        expect(after.filter((one) => one.includes('Evil'))).toEqual([]);
        if (config?.includes('approval: none') === true) return;
        const { organizations = [] } = JSON.parse(shown ?? '{}') as {
          organizations?: { steps: unknown[] }[];
        };
        const steps = JSON.stringify(organizations.map((one) => one.steps));
        for (const title of changed) expect(steps, applied.stderr).toContain(JSON.stringify(title));
      }),
      { ...tries(10), endOnFailure: true },
    );
    expect(seen.sent).toBeGreaterThanOrEqual(portion(1));
  });
});
