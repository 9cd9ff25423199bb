/** Thirty nights of `octavo ci drift --accept`, while people do what people do to requests and branches. */
import { expect, test } from 'vitest';
import { git } from '../cli/git.ts';
import { branch, githubNights, gitlabNights, nights } from '../support/forge/nights.ts';
import { patience } from '../support/runs.ts';

const timeout = patience(300_000);

test.each([
  ['GitHub', githubNights],
  ['GitLab', () => gitlabNights()],
])('keeps what people decide and write on %s', { timeout }, async (_, start) => {
  const forge = await start();
  const world = await nights(forge);
  const { remote, branchTip, pushToBranch } = world;
  const theirs: string[] = [];
  let live = 'Docs';
  const drift = async (to: string) => {
    if (to !== live) await world.renameTeam(live, to);
    live = to;
  };
  /** While a request is open, its head follows the branch. */
  const follow = () => {
    for (const one of forge.requests()) if (one.state === 'open') one.head = branchTip() || one.head;
  };
  const request = (at: number) => {
    const found = forge.requests().at(at);
    if (found === undefined) throw new Error('there is no request');
    return found;
  };
  const commit = (file: string, text: string, ...amend: string[]) => {
    theirs.push(pushToBranch(file, text, ...amend));
    follow();
  };
  /** What the forge or a branch still has. */
  const isKept = (oid: string) =>
    forge.requests().some(({ head }) => head === oid) ||
    git(remote, 'for-each-ref', '--contains', oid, '--format=%(refname)').trim() !== '';
  let count = 0;
  const night = async (code: number, said: string | RegExp) => {
    count += 1;
    const ran = await world.night();
    follow();
    expect(ran, `night ${count}: ${ran.text}`).toMatchObject({ code, text: expect.stringMatching(said) });
    for (const oid of theirs) expect(isKept(oid), `night ${count}: ${oid}`).toBe(true);
  };
  const states = () => forge.requests().map(({ state }) => state);

  await night(0, 'No drift to accept.\n');
  await drift('A');
  await night(0, 'Request created: https://');
  await night(0, 'Request unchanged: https://');

  // Title, draft, labels and text.
  const first = request(0);
  first.title = 'Draft: Accept A';
  first.labels.push('hold');
  first.text = `Not before Monday.\r\n\r\n${first.text.replaceAll('\n', '\r\n')}\r\n\r\nSee #3.`;
  await drift('B');
  await night(0, 'Request updated: https://');
  expect(first).toMatchObject({ title: 'Draft: Accept A', labels: ['hold'], state: 'open' });
  expect(first.text).toMatch(
    /^Not before Monday\.\n\n<!-- octavo:accept -->\n[\s\S]*"B"[\s\S]*\n\nSee #3\.$/,
  );
  first.text = 'All mine.';
  await night(0, 'Request updated: https://');
  expect(first.text).toMatch(/^All mine\.\n\n<!-- octavo:accept -->\n[\s\S]*"B"/);

  // Closed is closed, whatever happens to the branch and to other files.
  first.state = 'closed';
  await night(0, `Closed already, and there is no other drift: https://`);
  world.commit('Other work', { 'notes.txt': 'one\n' });
  await night(0, 'Closed already');
  git(remote, 'update-ref', '-d', `refs/heads/${branch}`);
  await night(0, 'Closed already');
  expect([states(), branchTip()]).toEqual([['closed'], '']);

  // Other drift is another request; the former decision stays.
  await drift('C');
  await night(0, 'Request created: https://');
  request(1).state = 'closed';
  await drift('B');
  await night(0, 'Closed already');
  expect(states()).toEqual(['closed', 'closed']);

  // Without drift in between, it is not the same drift any more.
  await drift('Docs');
  await night(0, 'No drift to accept.\n');
  expect(request(0).text).toMatch(/All mine[\s\S]*No drift since/);
  expect(branchTip()).toBe('');
  await drift('B');
  await night(0, 'Request created: https://');
  expect(states()).toEqual(['closed', 'closed', 'open']);

  // Commits on the branch of an open request.
  commit('docs/review.txt', 'mine\n');
  await night(0, 'No other drift, and commits of ada@acme.dev, which are kept: https://');
  await drift('C');
  await night(1, 'has commits of others \\(ada@acme.dev\\)');
  await drift('Docs');
  await night(1, /merge or close its request first:\s+https:/);
  expect(branchTip()).toBe(theirs.at(-1));

  // Closing it is a way out, and the forge keeps the commits.
  request(2).state = 'closed';
  await drift('C');
  await night(0, 'Request created: https://');
  expect(git(remote, 'rev-list', '--count', `main..${branch}`).trim()).toBe('1');

  // An amended commit has another committer.
  commit('docs/amended.txt', 'mine\n', '--amend', '--no-edit');
  await night(0, 'commits of ada@acme.dev, which are kept');
  await drift('D');
  await night(1, 'has commits of others');

  // Commits after the request was closed are only in the branch.
  request(3).state = 'closed';
  commit('docs/late.txt', 'late\n');
  await night(
    0,
    /Commits of ada@acme\.dev are kept as octavo\/drift-kept-[0-9a-f]{7}\n[\s\S]*Request created/,
  );

  // Another target.
  request(4).target = 'next';
  await drift('E');
  await night(0, 'Request updated: https://');
  expect(states().filter((state) => state === 'open')).toHaveLength(1);
  request(4).target = 'main';

  // A squash merge; the branch stays, with a commit of a person.
  commit('docs/squashed.txt', 'mine\n');
  await world.bring('--squash');
  request(4).state = 'merged';
  await night(0, 'No drift to accept.\n');
  expect(branchTip()).toBe(theirs.at(-1));
  await drift('F');
  await night(0, 'Request created: https://');
  expect(git(remote, 'diff', '--stat', 'main', branch)).toContain('1 file changed');

  // A plain merge, after which the forge deletes the branch.
  await world.bring('--no-ff', '-m', 'Merge');
  request(5).state = 'merged';
  git(remote, 'update-ref', '-d', `refs/heads/${branch}`);
  await night(0, 'No drift to accept.\n');

  // The forge refuses, and says why; a lost answer makes no second request.
  await drift('G');
  const refusals = [
    { status: 422, body: { message: 'Validation Failed', errors: [{ message: 'Not allowed by policy' }] } },
    { status: 409, body: { message: ['Not allowed by policy'] } },
  ];
  const on = /POST .*\/(pulls|merge_requests)$/;
  for (const how of refusals) {
    forge.fail({ on, how });
    await night(1, /Not allowed by\s+policy/);
  }
  forge.fail({ on, how: 'lost' });
  await night(0, 'Request created: https://');
  expect(states().slice(6)).toEqual(['open']);

  // A person deletes the branch, so that the forge closes the request, and takes both back.
  const tip = branchTip();
  git(remote, 'update-ref', '-d', `refs/heads/${branch}`);
  request(6).state = 'closed';
  await night(0, 'Closed already');
  git(remote, 'update-ref', `refs/heads/${branch}`, tip);
  request(6).state = 'open';
  await night(0, 'Request unchanged: https://');

  await drift('F');
  await night(0, 'No drift to accept any more. Closed: https://');
  expect([states().at(-1), branchTip()]).toEqual(['closed', '']);
  expect(request(6).text).toMatch(/^<!-- octavo:accept -->\n\*\*No drift since /);
  await night(0, 'No drift to accept.\n');
  expect(count).toBe(30);
});
