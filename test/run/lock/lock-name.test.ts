/** Names of locks in flags and settings. */
import { expect, test } from 'vitest';
import { parseLockName } from '../../../src/run/lock/lock-name.ts';

test.each([
  ['file', { backend: 'file', rest: '' }],
  ['none', { backend: 'none', rest: '' }],
  ['git:origin', { backend: 'git', rest: 'origin' }],
  ['git:ssh://git@acme.dev/a:b.git', { backend: 'git', rest: 'ssh://git@acme.dev/a:b.git' }],
])('accepts %s', (name, parsed) => {
  expect(parseLockName(name)).toEqual(parsed);
});

test.each([
  '',
  ':',
  'git',
  'git:',
  'git:--upload-pack=x',
  'file:x',
  'none:',
  'FILE',
  'constructor',
  'toString',
  '__proto__',
])('rejects %j', (name) => {
  expect(parseLockName(name)).toBeUndefined();
});
