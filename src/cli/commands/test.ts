import { realpathSync } from 'node:fs';
import path from 'node:path';
import { registry } from '../../kinds/index.ts';
import { disk, within } from '../../manifest/files/disk.ts';
import { findManifests } from '../../manifest/files/find.ts';
import { displayName, isOutside, isTestName } from '../../manifest/files/paths.ts';
import { invalidRules, ownRules } from '../../manifest/read-rules.ts';
import { stageMaker } from '../../run/rehearse/stage.ts';
import { runTest, type TestOutcome, type TestStart } from '../../run/testing/run-test.ts';
import { type LocatedTest, parseTests, withPaths } from '../../run/testing/test-file.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError, hasErrors, type SourceRange } from '../../util/diagnostic.ts';
import { append } from '../../util/lists.ts';
import { systemReason, userError } from '../../util/user-error.ts';
import { Problems } from '../../yaml/problems.ts';
import { defineCommand, type Invocation } from '../line/command.ts';
import { pinnedForm, readSeedFile } from '../service/connection.ts';
import { projectFolder, readSettings } from '../service/settings.ts';
import { chosenViews } from '../show/view-for.ts';
import { testViews } from '../show/views.ts';

export const command = defineCommand({
  words: { name: 'paths', many: true, completes: 'files' },
  flags: {},
  views: testViews,
  run,
});

/** Exit code 1 if a test failed; 130 if interrupted, with the outcomes so far. */
async function run(invocation: Invocation): Promise<number> {
  const { interrupt, words, output } = invocation;
  const usual = await readSettings({ ...invocation, env: {} });
  const tests = await readTests(invocation, words.length === 0 ? ['.'] : words);
  const rules = await ownRules(invocation.cwd);
  if (hasErrors(rules.diagnostics)) throw invalidRules(rules);
  const outcomes: TestOutcome[] = [];
  const progress = await output.progress('Testing');
  try {
    for (const { file, located } of tests) {
      if (interrupt.requested) break;
      outcomes.push(
        await runTest(located, {
          ...{ file, cwd: invocation.cwd, registry, rules, usual },
          files: within(projectFolder(invocation.cwd), disk),
          keepsIds: (await import('../../server/memory.ts')).keepsIds,
          start: (given) => startStage(invocation, given),
          isInterrupted: () => interrupt.requested,
        }),
      );
    }
  } catch (error) {
    if (!interrupt.requested) throw error;
  } finally {
    progress.stop();
  }
  const results = { outcomes, notRun: tests.length - outcomes.length };
  (await chosenViews(invocation, testViews)).all((view, options) => view(results, options));
  if (interrupt.requested) return interrupt.exitCode;
  return outcomes.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

/** Uses neither a socket nor a token: requests remain in this process. */
async function startStage(
  { cwd, interrupt, world }: Invocation,
  { seed, trees, isNewer, isEmpty }: TestStart,
) {
  const { declaredSeed, seededService } = await import('../../server/memory.ts');
  const declared = trees.map(({ id, match, label, settings, nodes }) => ({
    ...defined({ id, hostname: match?.hostname, self: settings.self }),
    title: match?.title ?? label,
    objects: isEmpty ? [] : [...nodes.values()],
  }));
  const given = seed === undefined ? declaredSeed(declared) : await readSeedFile(cwd, seed);
  const form = pinnedForm(trees) ?? (isNewer ? '2026' : undefined);
  const copy = (options: Parameters<typeof seededService>[1]) =>
    seededService(given, { ...options, ...defined({ form }) });
  return stageMaker({ copy, clock: world.clock, signal: interrupt.signal })({ reads: [], calls: [] });
}

interface FoundTest {
  readonly file: string;
  readonly located: LocatedTest;
}

/** @throws DiagnosticError with the problems of all files. */
async function readTests({ cwd }: Invocation, paths: readonly string[]): Promise<readonly FoundTest[]> {
  const problems = new Problems();
  const project = projectFolder(cwd);
  const isNamed = paths.some((one) => isOutside(project, path.resolve(cwd, one)));
  const from = isNamed ? disk : within(project, disk);
  const files = await findManifests({ paths, how: '', cwd, files: from, problems });
  const diagnostics = problems.sorted().filter(({ severity }) => severity === 'error');
  const sources = new Map<string, string>();
  const tests: FoundTest[] = [];
  for (const { name: file, path: absolute, text, named } of files) {
    if (!named && !isTestName(file)) continue;
    sources.set(file, text);
    const parsed = await parseTests(file, text);
    append(diagnostics, parsed.diagnostics);
    const resolve = pathsIn(path.dirname(absolute), cwd, diagnostics);
    append(
      tests,
      parsed.tests.map((one) => ({ file, located: withPaths(one, resolve) })),
    );
  }
  if (hasErrors(diagnostics)) throw new DiagnosticError(diagnostics, sources);
  if (tests.length > 0) return tests;
  throw userError(
    'test-file',
    `no tests in ${paths.join(', ')}`,
    'write a file such as tests/workspace.test.yaml; docs/testing.md of Octavo has examples',
  );
}

/** Paths in a file are relative to it, and must be inside the project, even after following links. */
function pathsIn(folder: string, cwd: string, diagnostics: Diagnostic[]) {
  const project = projectFolder(cwd);
  return (written: string, at: SourceRange): string => {
    const target = path.resolve(folder, written);
    const problem = problemOf(target, project);
    if (problem !== undefined)
      diagnostics.push({
        ...{ severity: 'error', code: 'test-file', message: `${written}: ${problem}`, at },
        suggestion: `write a path relative to this file, inside of ${project}`,
      });
    return displayName(target, cwd);
  };
}

function problemOf(target: string, project: string): string | undefined {
  const outside = 'it is outside of the project';
  if (isOutside(project, target)) return outside;
  try {
    return isOutside(realpathSync(project), realpathSync(target)) ? outside : undefined;
  } catch (error) {
    return systemReason(error) ?? String(error);
  }
}
