import { test } from 'vitest';
import { patience } from '../support/runs.ts';
import { checkYears } from './check-years.ts';

test('a year of a team keeps every law if no one works past git', {
  timeout: patience(600_000),
}, async () => {
  await checkYears(20, { isQuiet: true, skew: 0 });
});
