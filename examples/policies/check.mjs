/** Checks a plan against the policies: `node check.mjs plan.json [data.json]`. Exit code 1 where one denies something. */
import { readFileSync } from 'node:fs';
import { denied } from './policies.mjs';

const [planFile, dataFile] = process.argv.slice(2);
const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const messages = denied(read(planFile), dataFile === undefined ? {} : read(dataFile));
const lines =
  messages.length === 0 ? ['✓ all policies allow the plan'] : messages.map((message) => `✗ ${message}`);
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = messages.length === 0 ? 0 : 1;
