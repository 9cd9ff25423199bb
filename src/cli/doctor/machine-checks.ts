import { existsSync } from 'node:fs';
import type { DoctorCheck } from '../../report/results/checkup.ts';
import type { Invocation } from '../line/command.ts';
import { misspeltVariables } from '../world/environment.ts';
import { failed, ok, warning } from './checks.ts';

/** As in package.json. */
const oldestNode = [20, 19] as const;

export async function machineChecks(invocation: Invocation): Promise<readonly DoctorCheck[]> {
  return [nodeCheck(invocation), terminalCheck(invocation), ...(await environmentChecks(invocation))];
}

function nodeCheck({ world: { machine } }: Invocation): DoctorCheck {
  const version = machine.node ?? '';
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  if (!isOld) return ok('node', `Node ${version}`);
  return failed('node', `Node ${version} is too old`, `install Node ${oldestNode.join('.')} or newer`);
}

function terminalCheck({ output, world: { stdout }, env }: Invocation): DoctorCheck {
  if (!output.isTerminal) return ok('terminal', 'stdout is not a terminal: plain text');
  const columns = stdout.columns ?? 0;
  const color = output.color ? 'colour' : 'no colour';
  if (columns >= 80) return ok('terminal', `${columns} columns, ${color}`);
  const dumb = env.TERM === 'dumb' ? ' (TERM is dumb)' : '';
  return warning('terminal', `${columns} columns${dumb}, ${color}`, 'make it at least 80 columns wide');
}

async function environmentChecks({ env }: Invocation): Promise<readonly DoctorCheck[]> {
  const wrong = await misspeltVariables(env);
  const [first] = wrong.map((text) => text.replace(/^warning\[environment\]: /, '').split('\n  help: '));
  const variables =
    first === undefined
      ? ok('environment', environmentText(env))
      : warning('environment', first[0] ?? '', first[1] ?? '');
  const authorities = env.NODE_EXTRA_CA_CERTS ?? '';
  if (authorities === '' || existsSync(authorities)) return [variables];
  const message = `NODE_EXTRA_CA_CERTS names ${authorities}, which does not exist`;
  return [variables, failed('certificates', message, 'name a file in PEM form, or unset the variable')];
}

/** Names of variables that are set, never values. */
function environmentText(env: Invocation['env']): string {
  const names = Object.keys(env)
    .filter(
      (name) =>
        /^(?:OCTAVO_|HTTPS?_PROXY$|NO_PROXY$|NODE_EXTRA_CA_CERTS$)/i.test(name) && (env[name] ?? '') !== '',
    )
    .sort();
  return names.length === 0 ? 'no variable of Octavo is set' : `set: ${names.join(', ')}`;
}
