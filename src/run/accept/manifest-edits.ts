/** Collects edits of manifests by the places of what they change, and makes them: in memory, file by file. */
import { type DataPath, dataAt, literal } from '../../manifest/edit/data.ts';
import { type DocumentEdit, editText, type TextEdit } from '../../manifest/edit/edit-text.ts';
import { pathAt } from '../../manifest/edit/locate.ts';
import { readSource, type SourceDocument, sourceData } from '../../manifest/edit/source.ts';
import type { Data } from '../../manifest/emit/data.ts';
import { LineTable } from '../../manifest/line-table.ts';
import type { Workspace } from '../../manifest/load-workspace.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { push } from '../../util/group.ts';
import { append } from '../../util/lists.ts';
import type { AcceptedChange, RefusedChange } from './request.ts';

/** A place of a file, as edits know it. */
export interface ManifestPlace {
  readonly file: string;
  readonly document: number;
  readonly path: DataPath;
}

/** Why there is no such place: a clause. */
export interface NoPlace {
  readonly reason: string;
}

type PlannedEdit = TextEdit & { readonly change: AcceptedChange; readonly help?: string | undefined };

/** A text file that gets a new text as a whole. */
export interface WholeText {
  /** What it held when the manifests were read. */
  readonly before: string;
  readonly text: string;
  readonly change: AcceptedChange;
}

/** What the edits of all files come to. */
export interface EditedManifests {
  /** New texts by the names of their files, without a byte-order mark where the file has none. */
  readonly texts: ReadonlyMap<string, string>;
  /** The same of files that are included, with what they held. */
  readonly included: ReadonlyMap<string, WholeText>;
  readonly accepted: readonly AcceptedChange[];
  readonly refused: readonly RefusedChange[];
}

/** The edits so far. */
export class ManifestEdits {
  readonly #workspace: Workspace;
  readonly #documents = new Map<string, readonly SourceDocument[] | undefined>();
  readonly #tables = new Map<string, LineTable>();
  readonly #edits = new Map<string, PlannedEdit[]>();
  /** Texts of included files that are written as a whole. */
  readonly #whole = new Map<string, WholeText>();
  readonly refused: RefusedChange[] = [];

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** The place of a key or a value. */
  placeOf({ file, line, column }: SourceRange): ManifestPlace | NoPlace {
    if (!this.#workspace.files.includes(file))
      return { reason: `it is written in ${file}, which is included and no manifest itself` };
    const documents = this.#read(file);
    const found =
      documents === undefined ? undefined : pathAt(documents, this.#table(file).offsetOf({ line, column }));
    return found === undefined ? { reason: 'its place in the file cannot be found' } : { file, ...found };
  }

  /** What is written at a place, before anything is filled in; undefined where nothing is. */
  writtenAt({ file, document, path }: ManifestPlace): Data | undefined {
    const source = this.#read(file)?.[document];
    return source?.root === undefined ? undefined : dataAt(sourceData(source.root), path);
  }

  /** Adds an edit of the document of a place. Values are meant as they are: `${` in them is escaped. */
  add(
    { file, document }: Pick<ManifestPlace, 'file' | 'document'>,
    edit: DocumentEdit,
    change: AcceptedChange,
  ): void {
    push(this.#edits, file, { ...edit, document, change } as PlannedEdit);
  }

  /** Writes an included text file as a whole. */
  write(file: string, text: WholeText): void {
    this.#whole.set(file, text);
  }

  refuse(change: RefusedChange): void {
    this.refused.push(change);
  }

  /** Makes the edits in memory. `textOf`: the text of a file with its byte-order mark. */
  make(textOf: (file: string) => string): EditedManifests {
    const texts = new Map<string, string>();
    const accepted = [...this.#whole.values()].map(({ change }) => change);
    const refused = [...this.refused];
    for (const [file, edits] of this.#edits) {
      const before = textOf(file);
      const result = editText(before, edits);
      if (result.text !== before) texts.set(file, result.text);
      const failed = new Set<TextEdit>();
      for (const { edit, reason, offset } of result.refused) {
        failed.add(edit);
        const { label, address, what } = edit.change;
        const at = this.#rangeAt(file, offset);
        refused.push({ label, address, what, reason, at, help: 'edit the manifest by hand' });
      }
      const broken = new Set([...failed].map((edit) => (edit as PlannedEdit).change));
      const made = edits.map(({ change }) => change).filter((change) => !broken.has(change));
      append(accepted, [...new Set(made)]);
    }
    return { texts, included: this.#whole, accepted, refused };
  }

  #rangeAt(file: string, offset: number): SourceRange {
    const { line, column } = this.#table(file).placeOf(offset);
    return { file, line, column, endLine: line, endColumn: column + 1 };
  }

  #read(file: string): readonly SourceDocument[] | undefined {
    if (!this.#documents.has(file))
      this.#documents.set(file, readSource(this.#workspace.sources.get(file) ?? ''));
    return this.#documents.get(file);
  }

  #table(file: string): LineTable {
    const known = this.#tables.get(file) ?? new LineTable(this.#workspace.sources.get(file) ?? '');
    this.#tables.set(file, known);
    return known;
  }
}

/** Says that there is no place. */
export function isNoPlace(place: ManifestPlace | NoPlace): place is NoPlace {
  return 'reason' in place;
}

/** A value as it is written, where it means itself. */
export function writtenOf(value: Data): Data {
  return literal(value);
}
