/** Tries the fast reader first, and loads the other one if a text needs it. */
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
