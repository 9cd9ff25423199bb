type CiEnv = Readonly<Record<string, string | undefined>>;

const pages: readonly ((env: CiEnv) => string | undefined)[] = [
  ({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run }) =>
    server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined,
  ({ CI_JOB_URL: gitlab }) => gitlab,
  ({ BUILDKITE_BUILD_URL: buildkite }) => buildkite,
  ({ CIRCLE_BUILD_URL: circle }) => circle,
  ({ TRAVIS_BUILD_WEB_URL: travis }) => travis,
  ({ SYSTEM_COLLECTIONURI: server, SYSTEM_TEAMPROJECT: project, BUILD_BUILDID: build }) =>
    server && project && build
      ? `${server}${encodeURIComponent(project)}/_build/results?buildId=${build}`
      : undefined,
  ({ BUILD_URL: jenkins }) => jenkins,
];

/** An http(s) address without user name and password; undefined outside of CI. */
export function ciRunUrl(env: CiEnv): string | undefined {
  const text = pages.map((page) => page(env)).find((page) => page !== undefined && page !== '');
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}
