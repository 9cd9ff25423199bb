/** Names of fields on the command line: keys with dots between them, `adaptiveContent.enabled` or `values."odd key"`. Pure. */
import { userError } from '../../util/user-error.ts';

const key = /^(?:([^\s."'[\]=|(){},]+)|("(?:[^"\\]|\\.)*"))(?:\.(?=.)|$)/s;

/** The keys of a name. Throws a DiagnosticError that names the column of what cannot be read. */
export function parseFieldPath(text: string): readonly string[] {
  const keys: string[] = [];
  let rest = text;
  do {
    const [whole, plain, quoted] = key.exec(rest) ?? [];
    if (whole === undefined) {
      throw userError(
        'path',
        `"${text}" is not the name of a field: a key is expected at column ${text.length - rest.length + 1}`,
        'write keys with dots between them, for example adaptiveContent.enabled or values."odd key"; repeat the field for a list',
      );
    }
    keys.push(plain ?? unquoted(text, quoted ?? '""'));
    rest = rest.slice(whole.length);
  } while (rest !== '');
  return keys;
}

function unquoted(text: string, quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw userError('path', `"${text}" is not the name of a field: ${quoted} is not a JSON string`);
  }
}
