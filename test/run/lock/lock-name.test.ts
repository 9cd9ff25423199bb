/** Names of locks in flags and settings. */
import { expect, test } from 'vitest';
import { isLockName, lockRemote } from '../../../src/past/lock/lock-name.ts';

test.each([
  ['local', undefined],
  ['none', undefined],
  ['git:origin', 'origin'],
  ['git:ssh://git@acme.dev/a:b.git', 'ssh://git@acme.dev/a:b.git'],
])('accepts %s', (name, remote) => {
  expect(isLockName(name)).toBe(true);
  expect(lockRemote(name)).toBe(remote);
});

test.each([
  '',
  ':',
  'git',
  'git:',
  'git:--upload-pack=x',
  'local:x',
  'none:',
  'LOCAL',
  'constructor',
  '__proto__',
])('rejects %j', (name) => {
  expect(isLockName(name)).toBe(false);
});
