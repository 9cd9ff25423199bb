#!/usr/bin/env node
// Keeps one pull request of GitHub, or merge request of GitLab, with the drift that octavo drift --accept has written into the manifests
// of this checkout: node accept-drift.mjs <folder>, where the folder has drift.json, accepted.json and accepted.md. See docs/ci.md of Octavo.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const branch = process.env.DRIFT_BRANCH ?? 'octavo/drift';
const author = { name: 'Octavo', email: 'octavo-drift@localhost' };
// Variables of the runner would win over a configuration.
for (const who of ['AUTHOR', 'COMMITTER']) {
  process.env[`GIT_${who}_NAME`] = author.name;
  process.env[`GIT_${who}_EMAIL`] = author.email;
}
const title = 'Accept drift of the documentation workspace';
/** Characters of a body, which GitHub cuts at 65,536. */
const longest = 60_000;

const [folder = '.'] = process.argv.slice(2);
const read = (name) => readFileSync(path.join(folder, name), 'utf8');

/** Such as git('push', 'origin'); undefined where it fails and `orNothing` is set. */
function run(args, { orNothing = false } = {}) {
  try {
    const stdio = ['ignore', 'pipe', orNothing ? 'ignore' : 'inherit'];
    return execFileSync('git', args, { encoding: 'utf8', stdio }).trim();
  } catch (error) {
    if (orNothing) return undefined;
    throw new Error(`git ${args[0]} failed`, { cause: error });
  }
}
const git = (...args) => run(args);

/** GitHub's pull requests and GitLab's merge requests of the branch. */
function forgeOf(env) {
  if (env.GITHUB_REPOSITORY) {
    const { GITHUB_API_URL: api = 'https://api.github.com', GITHUB_REPOSITORY: repository } = env;
    const headers = {
      authorization: `Bearer ${env.GITHUB_TOKEN ?? ''}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    };
    const call = (method, rest, body) =>
      send(`${api}/repos/${repository}/pulls${rest}`, { method, headers, body });
    const [owner] = repository.split('/');
    const base = env.GITHUB_REF_NAME;
    return {
      base,
      find: async () => {
        const query = new URLSearchParams({ state: 'open', head: `${owner}:${branch}`, base });
        const [found] = await call('GET', `?${query}`);
        return found && { id: found.number, url: found.html_url };
      },
      create: async (body) => (await call('POST', '', { title, head: branch, base, body })).html_url,
      update: ({ id }, body) => call('PATCH', `/${id}`, { title, body }),
      close: ({ id }) => call('PATCH', `/${id}`, { state: 'closed' }),
    };
  }
  if (!env.CI_PROJECT_ID) throw new Error('neither GitHub nor GitLab runs this');
  const headers = { 'private-token': env.GITLAB_TOKEN ?? '' };
  const call = (method, rest, body) =>
    send(`${env.CI_API_V4_URL}/projects/${env.CI_PROJECT_ID}/merge_requests${rest}`, {
      method,
      headers,
      body,
    });
  const base = env.CI_COMMIT_BRANCH;
  const between = { source_branch: branch, target_branch: base };
  return {
    base,
    find: async () => {
      // Those of forks with a branch of this name are in the list as well.
      const query = new URLSearchParams({ state: 'opened', per_page: '100', ...between });
      const all = await call('GET', `?${query}`);
      const found = all.find((one) => String(one.source_project_id) === env.CI_PROJECT_ID);
      return found && { id: found.iid, url: found.web_url };
    },
    create: async (description) =>
      (await call('POST', '', { ...between, title, description, remove_source_branch: true })).web_url,
    update: ({ id }, description) => call('PUT', `/${id}`, { title, description }),
    close: ({ id }) => call('PUT', `/${id}`, { state_event: 'close' }),
  };
}

async function send(url, { method, headers, body }) {
  const response = await fetch(url, {
    method,
    headers: { 'user-agent': 'octavo-accept-drift', 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  // The address has no token; the body of an error can have anything.
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${response.status}`);
  return response.json();
}

/** The last commit of the branch in the remote; undefined if there is none. */
function remoteBranch(base) {
  if (run(['fetch', '--quiet', 'origin', `+refs/heads/${branch}`], { orNothing: true }) === undefined)
    return undefined;
  const oid = git('rev-parse', 'FETCH_HEAD');
  const others = git('log', '--format=%ae', `${base}..${oid}`)
    .split('\n')
    .filter((email) => email !== '' && email !== author.email);
  if (others.length === 0) return oid;
  throw new Error(`${branch} has commits of others (${others[0]}): merge or close its pull request first`);
}

/** A commit of the accepted files over the branch that was checked out. Nothing is pushed where the last night's is the same. */
function push(files, { oid, base }) {
  git('checkout', '--quiet', '-B', branch);
  git('--literal-pathspecs', 'add', '--', ...files);
  git('commit', '--quiet', '--message', title);
  const same = (name) =>
    oid !== undefined && git('rev-parse', `HEAD${name}`) === git('rev-parse', `${oid}${name}`);
  if (oid !== undefined && same('^{tree}') && git('rev-parse', `${oid}^`) === base) return;
  // The lease: what somebody pushed meanwhile is not overwritten.
  git(
    'push',
    '--quiet',
    `--force-with-lease=refs/heads/${branch}:${oid ?? ''}`,
    'origin',
    `HEAD:refs/heads/${branch}`,
  );
}

function bodyOf(report) {
  const intro =
    'The live workspace was changed outside git. This pull request writes its values into the manifests: merge it to keep them, or close it and apply to revert them.';
  const lines = report.trimEnd().split('\n');
  const kept = [];
  let length = intro.length;
  for (const line of lines) {
    length += line.length + 1;
    if (length > longest) break;
    kept.push(line);
  }
  const rest = lines.length - kept.length;
  return [
    intro,
    '',
    ...kept,
    ...(rest === 0 ? [] : ['', `_${rest} more lines are in the log of the job._`]),
  ].join('\n');
}

const say = (text) => process.stdout.write(`${text}\n`);

async function main() {
  const { organizations } = JSON.parse(read('drift.json'));
  if (!organizations.every(({ withBase }) => withBase))
    throw new Error('drift cannot be told from changes without a base: record each apply (--record=origin)');
  const { files, counts } = existsSync(path.join(folder, 'accepted.json'))
    ? JSON.parse(read('accepted.json'))
    : { files: [], counts: { refused: 0 } };
  const forge = forgeOf(process.env);
  const base = git('rev-parse', 'HEAD');
  const oid = remoteBranch(base);
  const open = await forge.find();
  if (files.length === 0) {
    if (open !== undefined) await forge.close(open);
    if (oid !== undefined)
      git(
        'push',
        '--quiet',
        `--force-with-lease=refs/heads/${branch}:${oid}`,
        'origin',
        `:refs/heads/${branch}`,
      );
    if (counts.refused > 0)
      throw new Error(`there is drift, and none of it can be accepted:\n${read('accepted.md')}`);
    say(open === undefined ? 'No drift.' : `No drift any more. Closed: ${open.url}`);
    return;
  }
  push(
    files.map(({ name }) => name),
    { oid, base },
  );
  const body = bodyOf(read('accepted.md'));
  if (open === undefined) say(`Opened: ${await forge.create(body)}`);
  else {
    await forge.update(open, body);
    say(`Updated: ${open.url}`);
  }
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
