/** Which commands ask for garbage to be collected sooner: those that hold a workspace in memory. */
import { expect, test } from 'vitest';
import { processWorld } from '../../src/cli/world/process-world.ts';
import { octavo } from './octavo.ts';

test.each([
  [['validate', '-f', 'examples/minimal'], 1],
  [['plan', '-f', 'examples/minimal', '--base-url', 'local', '--seed', 'sample'], 1],
  [['schema'], 0],
  [['plan', '--help'], 0],
])('%j', async (args, times) => {
  let asked = 0;
  const saveMemory = () => {
    asked += 1;
  };
  await octavo(args, { saveMemory });
  expect(asked).toBe(times);
});

test('a process can do it at any time, and says nothing', () => {
  const { saveMemory } = processWorld();
  expect(saveMemory).toBeTypeOf('function');
  saveMemory?.();
  saveMemory?.();
});
