/** An approved change of an object that is gone, or is another one by now, in all ways to approve. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { git, initRepository } from './git.ts';
import { folder, octavo, type Ran } from './octavo.ts';
import { local, retitle, send, teams, titles, withTeams } from './plans.ts';

function apply(cwd: string, ...args: string[]): Promise<Ran> {
  return octavo(['apply', '--auto-approve', ...args], { cwd, env: local });
}

describe('an approved change of an object that is gone or another one by now', () => {
  const before = withTeams({ ink: '{ title: Ink }', quill: '{ title: Quill }' });
  const after = withTeams({ ink: '{ title: Inked }', quill: '{ title: Quills }' });

  async function changed(
    isRecorded: boolean,
  ): Promise<{ readonly cwd: string; readonly more: readonly string[] }> {
    const cwd = folder({ 'acme.yaml': before });
    initRepository(cwd);
    writeFileSync(join(cwd, '.gitignore'), '.octavo\n*.db*\nplan.json\n');
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-qm', 'before');
    expect(await apply(cwd, ...(isRecorded ? ['--record'] : []))).toMatchObject({ code: 0 });
    writeFileSync(join(cwd, 'acme.yaml'), after);
    git(cwd, 'commit', '-qam', 'after');
    return { cwd, more: isRecorded ? [] : ['--base', 'HEAD~1'] };
  }

  async function idOf(cwd: string, title: string): Promise<string> {
    return (await teams(cwd)).find((team) => team.title === title)?.id ?? '';
  }

  const inApp = {
    deleted: async (cwd: string) =>
      send(cwd, 'teams.delete', 'organizationId=org_acme', `teamId=${await idOf(cwd, 'Ink')}`),
    renamed: async (cwd: string) => retitle(cwd, 'Ink', 'Pen'),
  };

  test.each([
    ['deleted', true],
    ['deleted', false],
    ['renamed', true],
    ['renamed', false],
  ] as const)('is refused by name in every way to approve (%s, recorded: %s)', async (what, isRecorded) => {
    for (const way of ['approval', 'digest', 'plan', 'file']) {
      const { cwd, more } = await changed(isRecorded);
      const plan = (...args: string[]) => octavo(['plan', ...more, ...args], { cwd, env: local });
      const { digest, approval } = JSON.parse((await plan('--format', 'json')).stdout) as Record<
        string,
        string
      >;
      expect((await plan('--out', 'plan.json')).code).toBe(0);
      await inApp[what](cwd);
      const given = { approval, digest, plan: 'plan.json' }[way];
      const ran = await (given === undefined
        ? apply(cwd, 'plan.json')
        : apply(cwd, ...more, '--approved', given));
      expect(ran.code, `${way}: ${ran.stderr}`).toBe(1);
      if (way !== 'digest') expect(ran.stderr).toContain('teams/ink');
      expect(await titles(cwd)).toContain('Quill');
    }
  });
});
