/** The page of a CI job, in locks and reports. */
import { expect, test } from 'vitest';
import { ciRunUrl } from '../../src/cli/world/ci-event.ts';

test.each([
  [
    { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'a/b', GITHUB_RUN_ID: '7' },
    'https://github.com/a/b/actions/runs/7',
  ],
  [{ CI_JOB_URL: 'https://job:secret@gitlab.acme.dev/a/-/jobs/7' }, 'https://gitlab.acme.dev/a/-/jobs/7'],
  [{ BUILD_URL: 'javascript:alert(1)' }, undefined],
  [{ BUILD_URL: 'not an address' }, undefined],
  [{ GITHUB_RUN_ID: '7' }, undefined],
  [{}, undefined],
])('names the CI job of %j', (env, url) => {
  expect(ciRunUrl(env)).toBe(url);
});
