/** Tries the fast reader first, and loads the other one if a text needs it. */

import type { DiagnosticCode } from '../util/diagnostic-codes.ts';
import { LineTable } from './line-table.ts';
import type { Located } from './located.ts';
import { readPlainYaml } from './plain-yaml.ts';
import type { Problems } from './problems.ts';

/** Returns a promise only if a reader must be loaded. */
export function readYaml(
  file: string,
  text: string,
  problems: Problems,
): readonly Located[] | Promise<readonly Located[]> {
  const source = { file, text, lines: new LineTable(text) };
  return (
    readPlainYaml(source) ?? import('./parse.ts').then(({ parseAnyYaml }) => parseAnyYaml(source, problems))
  );
}

/** The only document of a file; reports others. `what`: for messages, such as `the rules`. */
export async function readOneYaml(
  file: string,
  text: string,
  {
    code,
    what,
    problems,
  }: { readonly code: DiagnosticCode; readonly what: string; readonly problems: Problems },
): Promise<Located | undefined> {
  const [document, second] = await readYaml(file, text, problems);
  if (second !== undefined)
    problems.error(code, `${what} must be one document`, second.at, { suggestion: 'remove the line ---' });
  return document;
}
