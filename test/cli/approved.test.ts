/** `--approved`: compares the current plan with the reviewed one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, manifest, octavo, type Ran } from './octavo.ts';
import { applied, local, planIn, retitle, save, send, teams, titles, withTeams } from './plans.ts';

function apply(cwd: string, ...args: string[]): Promise<Ran> {
  return octavo(['apply', '--auto-approve', ...args], { cwd, env: local });
}

async function digested(cwd: string): Promise<{ readonly digest: string; readonly approval: string }> {
  const { stdout } = await octavo(['plan', '--format', 'json'], { cwd, env: local });
  return JSON.parse(stdout) as { digest: string; approval: string };
}

/** Expects a refusal before any request that changes something. */
function expectRefused(ran: Ran, code: string, ...texts: string[]): void {
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain(`error[${code}]`);
  const words = ran.stderr.replace(/\s+/g, ' ');
  for (const text of texts) expect(words).toContain(text);
  expect(ran.stderr).not.toMatch(/✓|✗|error\[bug\]/);
  expect(ran.stdout).not.toContain('Applied');
}

const three = withTeams({ a: '{ title: A }', b: '{ title: B }', c: '{ title: C }' });

describe('--approved with a digest', () => {
  test('is the approval: nothing else is asked, even without a terminal', async () => {
    const cwd = folder({ 'acme.yaml': three });
    const { digest } = await digested(cwd);
    const ran = await octavo(['apply', '--approved', digest], { cwd, env: local });
    expect({ code: ran.code, text: ran.stderr }).toMatchObject({ code: 0 });
    expect(await titles(cwd)).toEqual(['A', 'B', 'C']);
  });

  test('covers the whole plan: the remaining steps have another digest', async () => {
    const cwd = folder({ 'acme.yaml': three });
    const { digest } = await digested(cwd);
    await send(cwd, 'orgs.list');
    expect(await apply(cwd, '--target', 'teams/a')).toMatchObject({ code: 0 });
    expectRefused(
      await apply(cwd, '--approved', digest),
      'unexpected-plan',
      'the plan is not the expected one',
    );
    expect(await titles(cwd)).toEqual(['A']);
    const { digest: rest } = await digested(cwd);
    expect(rest).not.toBe(digest);
    expect(await apply(cwd, '--approved', rest.slice(0, 12).toUpperCase())).toMatchObject({ code: 0 });
    expect(await titles(cwd)).toEqual(['A', 'B', 'C']);
    // An empty plan needs no approval.
    expect(await apply(cwd, '--approved', digest)).toMatchObject({ code: 0 });
    expect(await apply(cwd, '--approved', `sha256:${digest}`)).toMatchObject({ code: 0 });
  });

  test.each(['abc', '0123456789a', 'latest', `${'0'.repeat(64)}0`, '0123456789ab.short', '0123456789ab.!'])(
    'rejects %j',
    async (text) => {
      const cwd = folder({ 'acme.yaml': three });
      expectRefused(await apply(cwd, '--approved', text), 'approved', 'at least 12 characters');
    },
  );

  test('does not lift refusals, and differs from the digest with --skip-refused', async () => {
    const text = three.replace('title: Acme }', 'title: Acme, sso: true }');
    const cwd = folder({ 'acme.yaml': text });
    const { digest } = await digested(cwd);
    const skipped = await octavo(['plan', '--format', 'json', '--skip-refused'], { cwd, env: local });
    expect((JSON.parse(skipped.stdout) as { digest: string }).digest).not.toBe(digest);
    expectRefused(await apply(cwd, '--approved', digest), 'refused');
  });
});

describe('--approved with an approval', () => {
  test('covers the remaining steps of the plan', async () => {
    const cwd = folder({ 'acme.yaml': three });
    const { approval } = await digested(cwd);
    expect(await apply(cwd, '--target', 'teams/a')).toMatchObject({ code: 0 });
    expect(await apply(cwd, '--approved', approval)).toMatchObject({ code: 0 });
    expect(await titles(cwd)).toEqual(['A', 'B', 'C']);
    expect(await apply(cwd, '--approved', approval)).toMatchObject({ code: 0 });
  });

  test.each([true, false])(
    'covers the rest of an object without a journal, if it is as the plan makes it: %s',
    async (isCovered) => {
      const members = '{ owner@octavo.example: owner }';
      const cwd = folder({
        'acme.yaml': withTeams({ a: `{ title: A, members: ${members} }`, b: '{ title: B }' }),
      });
      const { approval } = await digested(cwd);
      const { items } = (await send(cwd, 'members.list', 'organizationId=org_acme')) as {
        items: { id: string }[];
      };
      const people = isCovered ? items.map(({ id }) => ['-F', `members=${id}`]) : [];
      await send(cwd, 'teams.create', 'organizationId=org_acme', '-F', 'title=A', ...people.flat());
      const ran = await apply(cwd, '--approved', approval);
      if (isCovered) expect(ran).toMatchObject({ code: 0 });
      else expectRefused(ran, 'unexpected-plan', 'change of members was not approved');
      expect(await titles(cwd)).toEqual(isCovered ? ['A', 'B'] : ['A']);
    },
  );

  test('rejects additional changes, and lists them', async () => {
    const cwd = folder({ 'acme.yaml': three });
    const { approval } = await digested(cwd);
    writeFileSync(join(cwd, 'acme.yaml'), three.replace('title: B', 'title: Bee').replace('}\n', '}\n'));
    const ran = await apply(cwd, '--approved', approval);
    expectRefused(ran, 'unexpected-plan', 'create (create) was not approved', 'at teams/b');
    expect(ran.stderr).not.toContain('at teams/a');
    expect(await titles(cwd)).toEqual([]);
  });

  test('rejects the same change of an object whose live state differs', async () => {
    const cwd = await applied(three);
    writeFileSync(join(cwd, 'acme.yaml'), three.replace('title: B', 'title: Bee, was: [B, Bea]'));
    const { approval } = await digested(cwd);
    await retitle(cwd, 'B', 'Bea');
    expectRefused(
      await apply(cwd, '--approved', approval),
      'unexpected-plan',
      'the change of title was not approved',
    );
    expect(await titles(cwd)).toEqual(['A', 'Bea', 'C']);
  });
});

describe('--approved', () => {
  test('accepts a saved plan or the output of plan --format json, also for its remaining steps', async () => {
    const cwd = folder({ 'acme.yaml': three });
    await save(cwd, three);
    writeFileSync(
      join(cwd, 'shown.json'),
      (await octavo(['plan', '--format', 'json'], { cwd, env: local })).stdout,
    );
    expect(await apply(cwd, '--approved', 'shown.json', '--target', 'teams/a')).toMatchObject({ code: 0 });
    expect(await apply(cwd, '--approved', 'plan.json')).toMatchObject({ code: 0 });
    expect(await titles(cwd)).toEqual(['A', 'B', 'C']);
    expect(await apply(cwd, '--approved', 'plan.json')).toMatchObject({ code: 0 });
  });

  test('lists differences by address', async () => {
    const cwd = await applied(three);
    await save(cwd, three.replace('title: A }', 'title: Ay, was: A }'));
    const more = three
      .replace('title: A }', 'title: Aye, was: A }')
      .replace('title: B }', 'title: Bee, was: B }')
      .concat('  d: { title: D }\n');
    writeFileSync(join(cwd, 'acme.yaml'), more);
    const ran = await apply(cwd, '--approved', 'plan.json');
    expectRefused(
      ran,
      'unexpected-plan',
      'not as approved: title would become "Aye"; "Ay" was approved at teams/a',
      'title differs now: "B" → "Bee" at teams/b',
      'at teams/d',
    );
    expect(ran.stderr).not.toMatch(/does not exist any more/);
    expect(await titles(cwd)).toEqual(['A', 'B', 'C']);
  });

  test('rejects changes in an organization that was not approved', async () => {
    const cwd = folder({ 'acme.yaml': manifest });
    await save(cwd, manifest, [], { OCTAVO_BASE_URL: 'local' });
    writeFileSync(
      join(cwd, 'more.yaml'),
      'octavo: 1\norganization: { id: org_globex }\nteams: { x: { title: X } }\n',
    );
    const args = ['--approved', '../plan.json', '-f', '..', '--base-url', 'local'];
    writeFileSync(join(cwd, 'acme.yaml'), manifest.replace('title: Acme ', 'title: org_acme '));
    expect(planIn(cwd)).toMatchObject({ format: 1 });
    const inner = folder({});
    const ran = await octavo(['apply', '--auto-approve', ...args.map((arg) => arg.replace(/^\.\./, cwd))], {
      cwd: inner,
      env: {},
    });
    expectRefused(ran, 'unexpected-plan', 'at teams/x');
  });
});

/** The base is a folder; the organization is known by its id, and the teams by theirs. */
describe.each(['digest', 'approval', 'file'] as const)('drift after the approval (%s)', (way) => {
  const text = (ids: readonly string[], title = 'B', domains = '[a.dev]') =>
    three
      .replace(
        /([abc]): \{ title: ([ABC])/g,
        (_, key: string, name: string) =>
          `${key}: { id: ${ids['abc'.indexOf(key)]}, title: ${key === 'b' ? title : name}`,
      )
      .replace('title: Acme }', `title: Acme, emailDomains: ${domains} }`);

  const reviewed = async () => {
    const first = three.replace('title: Acme }', 'title: Acme, emailDomains: [a.dev] }');
    const cwd = await applied(first);
    const ids = (await teams(cwd)).map(({ id }) => id);
    mkdirSync(join(cwd, '.base'));
    writeFileSync(join(cwd, '.base/acme.yaml'), text(ids));
    writeFileSync(join(cwd, 'acme.yaml'), text(ids, 'Bee'));
    const { stdout } = await octavo(['plan', '--format', 'json', '--base', '.base'], { cwd, env: local });
    writeFileSync(join(cwd, 'reviewed.json'), stdout);
    const { digest, approval } = JSON.parse(stdout) as { digest: string; approval: string };
    const approved = { digest, approval, file: 'reviewed.json' }[way];
    const domains = (list: string) =>
      send(cwd, 'orgs.update', 'organizationId=org_acme', '-F', `emailDomains=${list}`);
    return {
      cwd,
      ids,
      domains,
      apply: (...more: string[]) => apply(cwd, '--base', '.base', '--approved', approved, ...more),
    };
  };

  test('elsewhere is skipped and reported, and only approved changes are sent', async () => {
    const { cwd, ids, domains, apply } = await reviewed();
    await domains('["x.dev"]');
    await retitle(cwd, 'A', 'Away');
    await send(cwd, 'teams.delete', 'organizationId=org_acme', `teamId=${ids[2]}`);
    const ran = await apply('--rehearse', '--format', 'json');
    expect(ran).toMatchObject({ code: 0 });
    expect(await titles(cwd)).toEqual(['Away', 'Bee']);
    const { organizations } = JSON.parse(ran.stdout) as Applied;
    expect(organizations[0]?.steps).toHaveLength(1);
    expect(organizations[0]?.leftOut).toMatchObject({
      drift: 3,
      left: ['organization', 'teams/a', 'teams/c'],
    });
    expect(ran.stderr.replace(/\s+/g, ' ')).toContain(
      'drifted since the approval, and is left alone: organization, teams/a, teams/c',
    );
    const later = await octavo(['drift', '--base', '.', '--format', 'json'], { cwd, env: local });
    expect(later.code).toBe(2);
    expect((await apply()).stdout).toContain('No changes to apply');
    expect(await titles(cwd)).toEqual(['Away', 'Bee']);
  });

  test('of an object in the plan is refused, with a remedy', async () => {
    const { cwd, ids, apply } = await reviewed();
    await retitle(cwd, 'A', 'Away');
    const body = ['organizationId=org_acme', `teamId=${ids[1]}`];
    await send(cwd, 'teams.update', ...body, '-F', 'title=Other');
    expectRefused(await apply(), 'unexpected-plan', 'open another pull request');
    expect(await titles(cwd)).toEqual(['Away', 'C', 'Other']);
  });

  test('does not hide changes that git made after the review', async () => {
    const { cwd, ids, domains, apply } = await reviewed();
    await domains('["x.dev"]');
    writeFileSync(join(cwd, 'acme.yaml'), text(ids, 'Bee').replace('title: C', 'title: See'));
    expectRefused(await apply(), 'unexpected-plan');
    expect(await titles(cwd)).toEqual(['A', 'B', 'C']);
  });

  test('is reverted if the revert was approved', async () => {
    const { cwd, domains, apply: approvedBefore } = await reviewed();
    await domains('["x.dev"]');
    const { stdout } = await octavo(['plan', '--format', 'json', '--base', '.base'], { cwd, env: local });
    writeFileSync(join(cwd, 'reviewed.json'), stdout);
    const { digest, approval } = JSON.parse(stdout) as { digest: string; approval: string };
    const whole = { digest, approval, file: 'reviewed.json' }[way];
    expect(await apply(cwd, '--base', '.base', '--approved', whole)).toMatchObject({ code: 0 });
    expect(await send(cwd, 'orgs.get', 'organizationId=org_acme')).toMatchObject({ emailDomains: ['a.dev'] });
    expect(await approvedBefore()).toMatchObject({ code: 0 });
  });
});

interface Applied {
  readonly organizations: readonly { readonly steps: readonly unknown[]; readonly leftOut: object }[];
}

describe('the digest', () => {
  test('is equal for equivalent manifests, and differs for others', async () => {
    const base = withTeams({ a: '{ title: A }', b: '{ title: B }' });
    const domains = (list: string) => base.replace('title: Acme }', `title: Acme, emailDomains: [${list}] }`);
    const digestOf = async (files: Record<string, string>, ...args: string[]) => {
      const { stdout } = await octavo(['plan', '--format', 'json', '--base-url', 'local', ...args], {
        cwd: folder(files),
      });
      return (JSON.parse(stdout) as { digest: string }).digest;
    };
    const digest = await digestOf({ 'acme.yaml': domains('a.dev, b.dev') });
    const same = await Promise.all([
      digestOf({ 'z.yaml': domains('b.dev, a.dev') }),
      digestOf({
        'a.yaml': domains('b.dev, a.dev').replace(/ {2}a:.*\n/, ''),
        'b.yaml': 'octavo: 1\norganization: org_acme\nteams: { a: { title: A } }\n',
      }),
      digestOf({ 'a.yaml': domains('a.dev, b.dev').replace(/( {2}a:.*\n)( {2}b:.*\n)/, '$2$1') }),
    ]);
    expect(new Set([digest, ...same]).size).toBe(1);
    const other = await Promise.all([
      digestOf({ 'acme.yaml': domains('a.dev') }),
      digestOf({ 'acme.yaml': domains('a.dev, b.dev').replace('title: A }', 'title: X }') }),
      digestOf({ 'acme.yaml': domains('a.dev, b.dev').replace('org_acme', 'org_other') }),
      digestOf({ 'acme.yaml': domains('a.dev, b.dev') }, '--target', 'teams/*'),
    ]);
    expect(new Set([digest, ...other]).size).toBe(5);
  });
});

describe('an approval', () => {
  test('is rejected if the digest of the plan file does not match its content', async () => {
    const cwd = folder({ 'acme.yaml': three });
    const { stdout } = await octavo(['plan', '--format', 'json'], { cwd, env: local });
    const reviewed = JSON.parse(stdout) as { organizations: unknown };
    writeFileSync(join(cwd, 'acme.yaml'), withTeams({ a: '{ title: Another }' }));
    const other = await octavo(['plan', '--format', 'json'], { cwd, env: local });
    const { organizations } = JSON.parse(other.stdout) as { organizations: unknown };
    writeFileSync(join(cwd, 'bent.json'), JSON.stringify({ ...reviewed, organizations }));
    expectRefused(
      await apply(cwd, '--approved', 'bent.json'),
      'plan-file',
      'its digest is not that of its content',
    );
  });

  test.each(['digest', 'approval', 'file'])(
    'does not cover a refused change by its %s, even if the refusal is lifted',
    async (way) => {
      const settings =
        'settings: { limits: { deletes: 0 }, prune: unlisted, pruneKinds: { member: never } }\n';
      const cwd = await applied(three);
      writeFileSync(join(cwd, 'acme.yaml'), withTeams({ a: '{ title: A }', b: '{ title: B }' }, settings));
      const { stdout, code } = await octavo(['plan', '--format', 'json'], { cwd, env: local });
      expect(code).toBe(3);
      writeFileSync(join(cwd, 'reviewed.json'), stdout);
      const { digest, approval } = JSON.parse(stdout) as { digest: string; approval: string };
      const approved = { digest, approval, file: 'reviewed.json' }[way] ?? '';
      expectRefused(await apply(cwd, '--allow-deletes', '5', '--approved', approved), 'unexpected-plan');
      expect(await titles(cwd)).toEqual(['A', 'B', 'C']);
    },
  );
});
