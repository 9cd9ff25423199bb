/** Addresses that a pattern matches, and parents below which it can match. */
import { describe, expect, test } from 'vitest';
import { addressMatcher } from '../../src/util/glob.ts';

test.each([
  ['teams/a', 'teams/a', true],
  ['teams/a', 'teams/ab', false],
  ['teams/*', 'teams/a', true],
  ['sites/*', 'sites/hub/sections/api', false],
  ['sites/**', 'sites/hub/sections/api', true],
  ['teams/id=team_1', 'teams/id=team_1', true],
  ['!teams/a', 'teams/b', false],
])('%s matches %s: %s', (pattern, address, expected) => {
  expect(addressMatcher([pattern])(address)).toBe(expected);
});

describe('descending', () => {
  test.each([
    ['teams/a', 'teams'],
    ['sites/hub/sections/api', 'sites/hub'],
    ['sites/hub/sections/api', 'sites/hub/sections'],
    ['sites/*/sections/id=sec_1', 'sites/hub/sections'],
    ['**', 'teams'],
    ['**/api', 'sites/hub/sections'],
    ['{teams,sites}/a', 'sites'],
    ['sites/hub/**', 'sites/hub'],
    ['sites/hub/**', 'sites/hub/sections/api'],
    ['sites/*/sections/**', 'sites/hub/sections/api/spaces'],
  ])('for %s is useful below %s', (pattern, parent) => {
    expect(addressMatcher([pattern]).reaches(parent)).toBe(true);
  });

  test.each([
    ['teams/a', 'sites'],
    ['teams/a', 'teams/a'],
    ['sites/hub/sections/api', 'sites/docs'],
    ['sites/*', 'sites/hub'],
    ['sites/hub/**', 'sites/docs/sections'],
    ['sites/hub/**', 'sites/docs/sections/api/spaces'],
    ['sites/*/sections/**', 'sites/hub/shareLinks'],
    ['organization', 'organization'],
  ])('for %s is useless below %s', (pattern, parent) => {
    expect(addressMatcher([pattern]).reaches(parent)).toBe(false);
  });
});
