import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { slashHelp } from '../manifest/files/paths.ts';
import { systemReason, userError } from '../util/user-error.ts';

/** @throws DiagnosticError if the file cannot be read or is not UTF-8. */
export function readText(cwd: string, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(resolve(cwd, file)));
  } catch (error) {
    const reason = systemReason(error) ?? (error instanceof TypeError ? 'it is not UTF-8' : String(error));
    throw userError('file', `cannot read ${file}: ${reason}`, slashHelp(file));
  }
}

/** @throws DiagnosticError if the file cannot be read; the error from `wrong` if it is not JSON. */
export function parseFile(cwd: string, file: string, wrong: (why: string) => Error): unknown {
  const text = readText(cwd, file).replace(/^\uFEFF/, '');
  try {
    return JSON.parse(text);
  } catch {
    throw wrong('it is not JSON');
  }
}

/**
 * `what`: the file's role in the command.
 * @throws DiagnosticError if the file cannot be read.
 */
export function readJson(cwd: string, file: string, what: 'seed' | 'faults'): unknown {
  try {
    return JSON.parse(readFileSync(resolve(cwd, file), 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? `it is not JSON: ${error.message}` : systemReason(error);
    throw userError(
      what,
      `cannot read the ${what} file ${file}: ${reason ?? String(error)}`,
      slashHelp(file),
    );
  }
}
