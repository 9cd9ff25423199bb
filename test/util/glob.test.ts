/** Which addresses patterns mean, and below which a match is possible. */
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
])('%s means %s: %s', (pattern, address, expected) => {
  expect(addressMatcher([pattern])(address)).toBe(expected);
});

describe('a match is possible', () => {
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
  ])('%s below %s', (pattern, parent) => {
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
  ])('not of %s below %s', (pattern, parent) => {
    expect(addressMatcher([pattern]).reaches(parent)).toBe(false);
  });
});
