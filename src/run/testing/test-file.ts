/** Reads files of tests. */
import { readValue } from '../../manifest/build/read-value.ts';
import { defined } from '../../util/defined.ts';
import type { Diagnostic, SourceRange } from '../../util/diagnostic.ts';
import { type Located, partAt } from '../../yaml/located.ts';
import { Problems, startOf } from '../../yaml/problems.ts';
import { readOneYaml } from '../../yaml/read-yaml.ts';
import { type ConfigurationTest, type TestState, testFileSchema } from './test-schema.ts';

export interface LocatedTest {
  readonly name: string;
  readonly test: ConfigurationTest;
  /** Place of a part of the test, or of its innermost existing parent. */
  readonly placeOf: (...path: readonly (string | number)[]) => SourceRange;
}

export async function parseTests(
  file: string,
  content: string,
): Promise<{ readonly tests: readonly LocatedTest[]; readonly diagnostics: readonly Diagnostic[] }> {
  const problems = new Problems();
  const empty: Located = { type: 'map', entries: [], at: startOf(file) };
  const given = { code: 'test-file', what: 'tests', problems } as const;
  const document = (await readOneYaml(file, content, given)) ?? empty;
  const read = problems.hasErrors()
    ? undefined
    : readValue(testFileSchema, document, { name: '', problems, secrets: 'refused' });
  const tests = Object.entries(read?.value.tests ?? {}).map(([name, test]): LocatedTest => {
    const placeOf: LocatedTest['placeOf'] = (...path) => partAt(document, ['tests', name, ...path]).at;
    if (test.expect.converges === true && test.expect.refusals.length > 0)
      problems.error('test-file', 'a plan with refusals is not applied', placeOf('expect', 'converges'), {
        suggestion: 'remove converges, or the refusals',
      });
    return { name, test, placeOf };
  });
  return { tests, diagnostics: problems.sorted() };
}

/** Replaces paths. `resolve` reports invalid ones. */
export function withPaths(
  located: LocatedTest,
  resolve: (path: string, at: SourceRange) => string,
): LocatedTest {
  const { test, placeOf } = located;
  const inState = <T extends TestState>(given: T, ...place: readonly string[]): T => {
    const all = (key: 'manifests' | 'overlays', isPath: (one: string) => boolean) =>
      given[key]?.map((one, at) => (isPath(one) ? resolve(one, placeOf(...place, key, at)) : one));
    const manifests = all('manifests', () => true);
    const overlays = all('overlays', (one) => /[/\\]|\.ya?ml$/i.test(one));
    return { ...given, ...defined({ manifests, overlays }) };
  };
  const { given } = test;
  if (given === undefined) return { ...located, test: inState(test) };
  const { seed } = given;
  const found = seed === undefined || seed === 'sample' ? seed : resolve(seed, placeOf('given', 'seed'));
  return {
    ...located,
    test: inState({ ...test, given: { ...inState(given, 'given'), ...defined({ seed: found }) } }),
  };
}
