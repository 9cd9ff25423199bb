/** The outcome of tests of configuration as text, data and annotations. Pure. */
import type { TestResults } from '../../run/testing/run-test.ts';
import { countOf } from '../../util/count.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { stableStringify } from '../../util/json.ts';
import { cross, line, textOf, tick } from '../blocks.ts';
import { linesOf } from '../diagnostics/validation.ts';
import { annotationOf, githubLog } from '../text/github.ts';
import type { View } from '../view.ts';

export const testsAsText: View<TestResults> = (results, { color, width }) => {
  const tests = results.outcomes.flatMap(({ file, name, failures }) => [
    line(failures.length === 0 ? tick : cross, ` ${file}: ${name}`),
    ...failures.flatMap((one) => [...linesOf(one), ...diffOf(one)]).map((text) => line(`    ${text}`)),
  ]);
  return textOf([tests, [line(closing(results))]], { color, room: width });
};

export const testsAsJson: View<TestResults> = ({ outcomes, notRun }) =>
  `${stableStringify({ format: 1, notRun, tests: outcomes }, 2)}\n`;

export const testsAsGithub: View<TestResults> = (results, options) => {
  const annotations = results.outcomes.flatMap(({ name, failures }) =>
    failures.map((one) => {
      const message = [one.message, ...diffOf(one)].join('\n');
      return { ...annotationOf({ ...one, message }), title: `octavo test: ${name}` };
    }),
  );
  const log = githubLog('octavo test', [testsAsText(results, options)], annotations, options);
  return `${[...log].join('')}${closing(results)}\n`;
};

function diffOf({ related = [] }: Diagnostic): readonly string[] {
  return related.flatMap(({ message, at }) => (at === undefined ? [message] : []));
}

function closing({ outcomes, notRun }: TestResults): string {
  const failed = outcomes.filter(({ failures }) => failures.length > 0).length;
  const all = countOf(outcomes.length, 'test');
  const left = notRun === 0 ? '' : ` Interrupted: ${countOf(notRun, 'test')} not run.`;
  return `${failed === 0 ? `${all} passed` : `${failed} of ${all} failed`}.${left}`;
}
