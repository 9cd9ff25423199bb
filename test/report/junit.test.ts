/** JUnit is well-formed for any texts. */
import { expect, test } from 'vitest';
import { junitPieces } from '../../src/report/text/junit.ts';
import { xmlElements } from './xml-elements.ts';

test('escapes hostile texts', () => {
  const hostile = `"]]></failure><script>&'\u0000\u001b[31m\u202e\uFFFE`;
  const failures = [{ type: hostile, message: hostile, details: [hostile, hostile] }];
  const cases = [{ name: hostile, failures, output: [hostile] }];
  const xml = [...junitPieces([{ name: hostile, group: hostile, cases }])].join('');
  const elements = xmlElements(xml);
  const names = ['testsuites', 'testsuite', 'testcase', 'failure', 'system-out'];
  expect([...new Set(elements.map(({ name }) => name))].sort()).toEqual(names.sort());
  expect(elements[0]).toMatchObject({ attributes: { tests: '1', failures: '1' } });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the text must not contain them.
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e\uFFFE]/);
});

test('writes a document without suites', () => {
  expect(xmlElements([...junitPieces([])].join(''))).toHaveLength(1);
});
