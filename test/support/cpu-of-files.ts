/** Writes the CPU seconds of each test file, its child processes included, to the file that OCTAVO_TEST_CPU names. */
import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';

const log = process.env.OCTAVO_TEST_CPU;

/** CPU seconds of this process and of ended children; only Linux reports those of children. */
function secondsSoFar(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + secondsOfChildren();
}

function secondsOfChildren(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    // cutime and cstime, in ticks of a hundredth.
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}

if (log !== undefined) {
  let begun = 0;
  beforeAll(() => {
    begun = secondsSoFar();
  });
  afterAll(() => {
    const { testPath = '' } = expect.getState();
    appendFileSync(log, `${JSON.stringify({ file: testPath, seconds: secondsSoFar() - begun })}\n`);
  });
}
