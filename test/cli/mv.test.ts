/** `octavo mv`: its output and its exit code. */
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, octavo } from './octavo.ts';

const manifest = (key: string) =>
  `octavo: 1\norganization: org_acme\nsettings: { protect: teams/${key} }\nteams:\n  ${key}: { title: Writers } # of guides\n`;
const diff = `--- acme.yaml
+++ acme.yaml
@@ -1,5 +1,5 @@
 octavo: 1
 organization: org_acme
-settings: { protect: teams/writers }
+settings: { protect: teams/docs }
 teams:
-  writers: { title: Writers } # of guides
+  docs: { title: Writers } # of guides
`;
const words = ['mv', 'teams/writers', 'teams/docs'];

test('prints the change and the next step, and writes it without --dry-run', async () => {
  const cwd = folder({ 'acme.yaml': manifest('writers') });
  const read = () => readFileSync(join(cwd, 'acme.yaml'), 'utf8');
  const moved = 'teams/writers to teams/docs in 1 file.';
  const dry = await octavo([...words, '--dry-run'], { cwd });
  expect(dry).toEqual({ code: 0, stdout: `${diff}Would move ${moved}\n`, stderr: '' });
  expect(read()).toBe(manifest('writers'));
  const done = await octavo(words, { cwd });
  expect(done).toEqual({ code: 0, stdout: `${diff}Moved ${moved} Next: octavo plan\n`, stderr: '' });
  expect(read()).toBe(manifest('docs'));
  const plan = await octavo(['validate'], { cwd });
  expect(plan).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  [['teams/writers'], 'mv needs two addresses\n  help: octavo mv OLD NEW\n'],
  [['teams/a', 'teams/b', 'teams/c'], 'mv needs two addresses\n  help: octavo mv OLD NEW\n'],
  [['teams/writer', 'teams/docs'], 'teams/writer matches no address\n  help: did you mean teams/writers?\n'],
  [
    ['teams/writers', 'groups/docs'],
    'groups/docs cannot be a team\n  --> acme.yaml:5:3\n5 |   writers: { title: Writers } # of guides\n  |   ^^^^^^^\n  help: write an address such as teams/docs\n        nothing was written\n',
  ],
])('rejects %s', async (given, message) => {
  const cwd = folder({ 'acme.yaml': manifest('writers') });
  const { code, stdout, stderr } = await octavo(['mv', ...given], { cwd });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});

test('reports a read-only file, except in a dry run', async () => {
  const cwd = folder({ 'acme.yaml': manifest('writers') });
  chmodSync(join(cwd, 'acme.yaml'), 0o444);
  const { code, stderr } = await octavo(words, { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain(
    'acme.yaml is read-only\n  help: make it writable, or edit it by hand: octavo mv --dry-run',
  );
  expect((await octavo([...words, '--dry-run'], { cwd })).code).toBe(0);
});

test('completes addresses', async () => {
  const cwd = folder({ 'acme.yaml': manifest('writers') });
  const { stdout } = await octavo(['__complete', 'line', 'octavo mv tea'], { cwd });
  expect(stdout).toBe('nothing\nteams/writers\n');
});
