/** Reads the YAML of files. The reader for ordinary texts comes first; the one for all others is loaded when a text needs it. */
import { LineTable } from './line-table.ts';
import type { Located } from './located.ts';
import { readPlainYaml } from './plain-yaml.ts';
import type { Problems } from './problems.ts';

/** The documents of a text: at once, or when the reader that it needs is there. */
export type ReadDocuments = readonly Located[] | Promise<readonly Located[]>;

/** The documents of a file, without empty ones. */
export function readYaml(file: string, text: string, problems: Problems): ReadDocuments {
  const source = { file, text, lines: new LineTable(text) };
  return (
    readPlainYaml(source) ?? import('./parse.ts').then(({ parseAnyYaml }) => parseAnyYaml(source, problems))
  );
}
