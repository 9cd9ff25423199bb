/** The hosts that the user sends tokens to, as told once at a terminal. Kept with the user's state, where no checkout can write. */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lockFolder } from '../run/lock/state-folder.ts';
import { writeWhole } from '../run/write-file.ts';
import { isRecord, stableStringify } from '../util/json.ts';
import { reasonOf, userError } from '../util/user-error.ts';
import type { World } from './world.ts';

/** True for the origin of a service, such as `https://api.acme.dev`, that is in the list. Throws a DiagnosticError for a list that is damaged. */
export function isTrustedHost(env: World['env'], origin: string): boolean {
  return readList(listFile(env)).includes(origin);
}

/** Adds the origin of a service to the list. Throws a DiagnosticError where that is not possible. */
export function trustHost(env: World['env'], origin: string): void {
  const file = listFile(env);
  const hosts = readList(file);
  if (hosts.includes(origin)) return;
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeWhole(file, `${stableStringify({ format: 1, hosts: [...hosts, origin].sort() }, 2)}\n`, 0o600);
  } catch (error) {
    throw userError('trusted-hosts', `cannot write ${file}: ${reasonOf(error)}`, elsewhere);
  }
}

const elsewhere = 'set XDG_STATE_HOME to a folder that can be written to, or set OCTAVO_BASE_URL';

function listFile(env: World['env']): string {
  const locks = lockFolder(env);
  // The folder for systems without a home is among the temporary files, so its parent is not the user's own.
  const folder = path.basename(locks) === 'locks' ? path.dirname(locks) : locks;
  return path.join(folder, 'trusted-hosts.json');
}

function readList(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw userError('trusted-hosts', `cannot read ${file}: ${reasonOf(error)}`, elsewhere);
  }
  const hosts = hostsIn(text);
  if (hosts !== undefined) return hosts;
  throw userError('trusted-hosts', `the list of trusted hosts ${file} is damaged`, 'fix or delete it');
}

function hostsIn(text: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    if (!isRecord(list) || list.format !== 1 || !Array.isArray(list.hosts)) return undefined;
    const hosts: readonly unknown[] = list.hosts;
    return hosts.every((host) => typeof host === 'string' && new URL(host).origin === host)
      ? (hosts as readonly string[])
      : undefined;
  } catch {
    return undefined;
  }
}
