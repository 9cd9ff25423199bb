/** Pending changes: requested once, and reported in each clone until they are decided. */
import { describe, expect, test } from 'vitest';
import type { ServiceOptions } from '../../src/server/index.ts';
import { sharedRemote } from './clones.ts';

const members = (...names: readonly string[]) =>
  `octavo: 1\norganization: { id: org_acme }\nsettings: { prune: unlisted, protect: ['!**'] }\nmembers:\n${names.map((name) => `  ${name}@acme.dev: {}\n`).join('')}`;

async function place(
  options: Partial<ServiceOptions> = {
    faults: [{ type: 'status', status: 202, operations: ['members.delete'], times: 1 }],
  },
) {
  const { service, send, clone, first } = await sharedRemote(
    { 'acme.yaml': members('ada', 'bob', 'cyd', 'dan') },
    options,
  );
  const push = (text: string) => first.push({ 'acme.yaml': text });
  /** Deletes the member without Octavo. */
  const decide = () => send('DELETE', 'orgs/org_acme/members/user_cyd');
  return { service, clone, first, push, decide };
}

test.each([['--record=origin'], []])(
  'a deletion that awaits approval is requested once and reported until decided, with %j',
  async (...record) => {
    const { clone, first, push, decide } = await place();
    expect(await first.run('apply', '--auto-approve', ...record)).toMatchObject({ code: 0 });
    push(members('ada', 'bob', 'dan'));
    const applied = await first.run('apply', '--auto-approve', ...record);
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout).toMatch(/Pending:\n +members\/(?:id=user_cyd|cyd@acme\.dev) \(delete\)\n/);
    expect(applied.stdout).toContain('1 change is pending: accepted by the service, not carried out yet.');

    // The fault applies once, so the service would carry out a second request.
    const pending =
      /Pending since \d{4}-\d\d-\d\d \d\d:\d\d UTC \(run [\w-]+\): deletion of members\/(?:id=user_cyd|cyd@acme\.dev)/;
    const places = record.length > 0 ? [first, clone()] : [first];
    for (const { run } of places) {
      const planned = await run('plan');
      expect(planned).toMatchObject({ code: 0 });
      expect(planned.stdout.replace(/\s+/g, ' ')).toMatch(pending);
      expect(planned.stdout).not.toContain('No changes.');
      expect((await run('drift')).stdout.replace(/\s+/g, ' ')).toMatch(pending);
      const again = await run('apply', '--auto-approve', ...record);
      expect(again).toMatchObject({ code: 0 });
      expect(again.stdout).not.toContain('deleted');
      expect((await run('plan')).stdout.replace(/\s+/g, ' ')).toMatch(pending);
    }

    expect(await decide()).toBeUndefined();
    for (const { run } of places) {
      const planned = await run('plan');
      expect(planned.stdout).toContain('No changes. Live state matches the manifests.');
    }
  },
);

const invites = (role: string) =>
  `octavo: 1
organization: { id: org_acme }
members:
  ada@acme.dev: { role: admin }
  Eve@acme.dev: { role: ${role} }
teams:
  base: { title: Base, members: { ada@acme.dev: owner, eve@acme.dev: owner } }
  alone: { title: Alone, members: { ada@acme.dev: owner } }
`;

describe.each(['when-accepted', 'unknown'] as const)('an invitation with membership %s', (when) => {
  test.each([['--record=origin'], []])(
    'is sent once and reported until accepted, with %j',
    async (...record) => {
      const { service, clone, first, push } = await place({
        form: '2026',
        variants: { invites: when },
      });
      push(invites('read'));
      const applied = await first.run('apply', '--auto-approve', ...record);
      const text = applied.stdout.replace(/\s+/g, ' ');
      expect(text).toContain('Pending: members/eve@acme.dev (create)');
      expect(text).toContain('Skipped, because members/eve@acme.dev is pending: teams/base (create)');
      expect(text).toContain('1 change is pending: accepted by the service, not carried out yet.');
      // The team that depends on the invitation is not created, and the other one is.
      expect(service.store.every('team').map(({ title }) => title)).toEqual(['Alone']);

      const pending =
        /Pending since \d{4}-\d\d-\d\d \d\d:\d\d UTC \(run [\w-]+\): invitation of members\/eve@acme\.dev \(read\)\. Not live yet; it is not sent again, and the API cannot withdraw it\. To repeat it, invite in the app\./;
      for (const { run } of record.length > 0 ? [first, clone()] : [first]) {
        for (const command of [['plan'], ['drift'], ['apply', '--auto-approve', ...record], ['plan']]) {
          const again = (await run(...command)).stdout.replace(/\s+/g, ' ');
          expect(again, command.join(' ')).toMatch(pending);
          expect(again).not.toContain('No changes.');
          expect(again).not.toContain('invited,');
        }
      }

      // An undo cannot withdraw the invitation, and still reports it.
      const undone = (await first.run('undo', '--auto-approve')).stdout.replace(/\s+/g, ' ');
      expect(undone).toContain('alone');
      expect(undone).toMatch(pending);
      expect((await first.run('plan')).stdout.replace(/\s+/g, ' ')).toMatch(pending);

      // Another role does not send it again.
      push(invites('edit'));
      const other = (await first.run('plan')).stdout.replace(/\s+/g, ' ');
      expect(other).toContain('members/eve@acme.dev (read). Not live yet; it is not sent again');
      expect(other).toContain(
        'The manifests now declare edit: the role changes with the first apply after it is accepted.',
      );

      const row = {
        id: 'org_acme/user_eve',
        org: 'org_acme',
        user: 'user_eve',
        role: 'read',
        teams: 0,
      } as const;
      const person = { displayName: 'Eve', email: 'eve@acme.dev', disabled: false, sso: false };
      service.store.put('member', { ...row, ...person, joinedAt: '2026-01-01T00:00:00Z', order: 1 });
      const come = (await first.run('apply', '--auto-approve', ...record)).stdout;
      expect(come).toContain('members/eve@acme.dev');
      expect(come).toContain('title "Base", members ada@acme.dev (owner), eve@acme.dev (owner)');
      expect(come).not.toContain('Pending');
      expect((await first.run('plan')).stdout).toContain('No changes to apply.');
    },
  );
});

test.each([['--record=origin'], []])(
  'a removed invitation is reported until someone accepts or releases it, with %j',
  async (...record) => {
    const { first, push, clone } = await place({ form: '2026', variants: { invites: 'unknown' } });
    const without = invites('admin')
      .replace(/.*Eve@.*\n/, '')
      .replace(', eve@acme.dev: owner', '');
    const planned = async (place = first) => (await place.run('plan')).stdout.replace(/\s+/g, ' ');
    push(invites('admin'));
    await first.run('apply', '--auto-approve', ...record);
    push(without);
    const pendingInvitation =
      /invitation of members\/eve@acme\.dev \(admin\)\. Not live yet;.* The manifests no longer declare it/;
    expect(await planned()).toMatch(pendingInvitation);
    expect(await first.run('apply', '--auto-approve', ...record)).toMatchObject({ code: 0 });
    for (const place of record.length > 0 ? [first, clone()] : [first]) {
      expect(await planned(place)).toMatch(pendingInvitation);
      expect(await planned(place)).not.toContain('No changes.');
    }
    // The same without a list of members.
    push(without.replace(/members:\n.*ada.*admin.*\n/, ''));
    expect(await planned()).toMatch(pendingInvitation);

    push(
      invites('admin')
        .replace('{ role: admin }\nteams', '{ lifecycle: { release: true } }\nteams')
        .replace(', eve@acme.dev: owner', ''),
    );
    expect(await planned()).not.toContain('invitation of');
    if (record.length === 0) return;
    expect(await first.run('apply', '--auto-approve', ...record)).toMatchObject({ code: 0 });
    push(without);
    expect(await planned()).not.toContain('invitation of');
  },
);

test('an invitation that fails in single sign-on fails the apply', async () => {
  const { first, push } = await place({ form: '2026' });
  push(`octavo: 1\norganization: { id: org_acme }\nmembers:\n  eve@acme.dev: { role: read, sso: true }\n`);
  const { code, stdout } = await first.run('apply', '--auto-approve');
  expect(code).toBe(1);
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'the service did not invite eve@acme.dev with single sign-on (failedSSOEmails)',
  );
});

test.each([['--record=origin'], []])(
  'a text that the service normalizes is sent once, with %j',
  async (...record) => {
    const { first, push, clone } = await place({ variants: { text: 'collapsed' } });
    const teams = (more: string) =>
      `octavo: 1\norganization: { id: org_acme }\nteams:\n  a: { title: "A  team"${more} }\n  b: { was: [], title: Platform }\n`;
    push(teams(''));
    const applied = await first.run('apply', '--auto-approve', ...record);
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout).toContain('teams/a  title: sent "A  team", stored "A team"');
    for (const { run } of record.length > 0 ? [first, clone()] : [first]) {
      for (const command of [['plan'], ['drift'], ['apply', '--auto-approve', ...record], ['plan']]) {
        const { code, stdout } = await run(...command);
        expect(code, command.join(' ')).toBe(0);
        expect(stdout).not.toContain('title');
        expect(stdout).toContain('1 value that the service stores in its own form');
      }
    }
    // Another change of the object does not resend the title; another title is a change without a conflict.
    push(teams(', members: { ada@acme.dev: owner }'));
    expect((await first.run('plan')).stdout).not.toContain('title');
    await first.run('plan', '--out', 'saved.json');
    const saved = await first.run('apply', 'saved.json', '--auto-approve', ...record);
    expect(saved.code, saved.stderr).toBe(0);
    push(teams('').replace('A  team', 'The  others'));
    const renamed = (await first.run('plan')).stdout;
    expect(renamed).toContain('title "A team" → "The  others"');
    expect(renamed).not.toMatch(/conflict|Drift:/);
    const again = await first.run('apply', '--auto-approve', ...record);
    expect(again.stdout).toContain('title: sent "The  others", stored "The others"');
    const undone = await first.run('undo', '--auto-approve');
    expect(undone.code).toBe(0);
    expect(undone.stdout).toContain('title "The others" → "A team"');
    expect(undone.stdout + undone.stderr).not.toMatch(/conflict|was changed since/);
  },
);
