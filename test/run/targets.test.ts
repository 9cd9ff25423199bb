/** Unmatched patterns are rejected with the same message by every command. */
import { expect, test } from 'vitest';
import { refuseUnmatched, targetsIn } from '../../src/run/targets.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { treeOf } from '../support/harness.ts';

const declare = (id: string, teams: object) => treeOf({ octavo: 1, organization: { id }, teams });

const refused = (run: () => void) => {
  try {
    run();
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    return error.diagnostics.map(({ message, suggestion }) => [message, suggestion]);
  }
  return [];
};

test('accepts a pattern that matches in any organization or base, also with a label', async () => {
  const trees = [await declare('org_a', { writers: {} }), await declare('org_b', { platform: {} })];
  const pasts = new Map([['org_b', { tree: await declare('org_b', { gone: {} }) }]]);
  const all = targetsIn({ trees, pasts });
  const target = ['teams/writers', 'teams/plat*', 'teams/gone', 'org_b/teams/platform', '**'];
  expect(refused(() => refuseUnmatched({ '--target ': target, '--exclude ': undefined }, all))).toEqual([]);
  expect(refused(() => refuseUnmatched({ '--target ': ['org_a/teams/platform'] }, all))).toHaveLength(1);
});

test('reports each unmatched pattern with its flag and the nearest address', async () => {
  const all = targetsIn({ trees: [await declare('org_a', { writers: {} })], pasts: new Map() });
  const given = { '--target ': ['teams/writer', 'teams/writers'], '': ['writers', 'nowhere/at/all'] };
  expect(refused(() => refuseUnmatched(given, all, '; ask somebody'))).toEqual([
    ['--target teams/writer matches no address', 'did you mean teams/writers?'],
    ['writers matches no address', 'did you mean teams/writers?'],
    [
      'nowhere/at/all matches no address',
      'addresses are paths of keys, for example teams/platform; ask somebody',
    ],
  ]);
});
