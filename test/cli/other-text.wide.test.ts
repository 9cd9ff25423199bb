/** Manifests that are other content in the work tree or in the base: filtered, encoded, or replaced by Git LFS pointers. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, initRepository } from './git.ts';
import { folder, manifest, octavo } from './octavo.ts';

const env = { OCTAVO_BASE_URL: 'local:acme.db' };
const teams = 'octavo: 1\norganization: org_acme\nteams:\n  support: { title: Support }\n';
const rot13 = (value: string) =>
  value.replace(/[a-z]/g, (one) => String.fromCharCode(((one.charCodeAt(0) - 84) % 26) + 97));

const others: Readonly<Record<string, string | Buffer>> = {
  'a pointer of Git LFS': 'version https://git-lfs.github.com/spec/v1\noid sha256:603151f1\nsize 80\n',
  base64: Buffer.from(teams).toString('base64'),
  'other letters': rot13(teams),
  'UTF-16': Buffer.from(`\uFEFF${teams}`, 'utf16le'),
  'a list': '- one\n- two\n',
};

async function planned(before: string | Buffer, after: string | Buffer) {
  const cwd = folder({ 'acme.yaml': manifest, '.gitignore': 'acme.db*\n.octavo\n' });
  initRepository(cwd);
  for (const content of [before, after]) {
    writeFileSync(join(cwd, 'teams.yaml'), content);
    git(cwd, 'add', '.');
    git(cwd, 'commit', '--quiet', '-m', 'x');
  }
  return octavo(['plan', '--base', 'HEAD~1'], { cwd, env });
}

test.each(Object.entries(others))(
  'rejects a manifest that becomes %s at its first line',
  async (_name, other) => {
    const { code, stderr } = await planned(teams, other);
    expect(stderr).toContain('teams.yaml');
    expect(stderr).toContain('--> teams.yaml:1:1');
    expect(code).toBe(1);
  },
);

test.each(Object.entries(others))('rejects a manifest that is %s in the base', async (_name, other) => {
  const { code, stderr } = await planned(other, teams);
  expect(stderr).toContain('teams.yaml');
  expect(code).toBe(1);
});

test('skips other YAML that was never a manifest, and accepts files that become manifests', async () => {
  expect(await planned('- one\n', '- two\n')).toMatchObject({ code: 0 });
  for (const before of ['teams: { support: { title: Support } }\n', '# later\n']) {
    const ran = await planned(before, teams);
    expect(ran.stdout, ran.stderr).toContain('Support');
  }
});
