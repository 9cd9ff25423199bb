/**
 * `--log-file`: one line of JSON for each attempt of a request, written before anything else happens, so that a crash loses
 * none. Contains no bodies, headers or secrets.
 */
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RequestEvent } from '../../client/client.ts';
import { refuseLinks } from '../../run/write-file.ts';
import { defined } from '../../util/defined.ts';
import { hideKnownSecrets } from '../../util/hide-secrets.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import type { Observer } from './observer.ts';

export interface LogFile {
  readonly cwd: string;
  readonly name: string;
  readonly run: string;
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

/** Opens the file for appending. Throws a DiagnosticError if that fails. */
export function openLogFile({ cwd, name, run, now, warn }: LogFile): Observer {
  const handle = openLog(cwd, name);
  let isLost = false;
  const write = (line: string) => {
    if (isLost) return;
    try {
      writeSync(handle, line);
    } catch (error) {
      isLost = true;
      warn(`warning[log-file]: cannot write to ${name} any more: ${reasonOf(error)}`);
    }
  };
  return {
    observe: (event) => {
      if (event.type === 'request') write(`${JSON.stringify(lineOf(event.request, { run, now: now() }))}\n`);
    },
    end: () => {
      try {
        closeSync(handle);
      } catch (error) {
        if (!isLost) warn(`warning[log-file]: ${name} may be incomplete: ${reasonOf(error)}`);
      }
    },
  };
}

function openLog(cwd: string, name: string): number {
  try {
    refuseLinks(resolve(cwd, name));
    const handle = openSync(resolve(cwd, name), 'a', 0o600);
    if (fstatSync(handle).isDirectory()) throw new Error('it is a folder');
    return handle;
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = missing ? 'its folder does not exist' : reasonOf(error);
    throw userError(
      'log-file',
      `cannot write the log to ${name}: ${reason}`,
      'name another file with --log-file',
    );
  }
}

function lineOf(event: RequestEvent, { run, now }: { readonly run: string; readonly now: number }) {
  const { operation, method, path, query, attempt, outcome, milliseconds, bytes, retryInMs, step } = event;
  return {
    time: new Date(now).toISOString(),
    run,
    ...defined({ step: step?.address }),
    operation,
    method,
    path: hideKnownSecrets(path),
    ...(query === '' ? {} : { query: safeQuery(query) }),
    attempt,
    ...(typeof outcome === 'number' ? { status: outcome } : { reason: outcome }),
    milliseconds: Math.max(0, Math.round(milliseconds)),
    ...defined({ bytes, retryInMs: retryInMs === undefined ? undefined : Math.round(retryInMs) }),
  };
}

/** Queries may contain URLs of share links, which grant access. */
function safeQuery(query: string): string {
  const safe = new URLSearchParams(query);
  for (const name of new Set(safe.keys())) {
    if (/token|secret|password|key|url|link/i.test(name)) safe.set(name, '(hidden)');
  }
  return hideKnownSecrets(safe.toString());
}
