/** Caches the last parsed texts: most passes of a formatter do not change the text, and the next one parses it again. */
import type { YamlComment } from './comments.ts';
import type { Data } from './data.ts';
import { readSourceText, type SourceDocument, type SourceText, sourceData } from './source.ts';

interface RememberedText {
  readonly source: SourceText | undefined;
  data?: readonly Data[];
}

/** The texts before and after a pass. */
const remembered = 2;

export class SourceTexts {
  readonly #known = new Map<string, RememberedText>();
  readonly #parse: typeof readSourceText;

  constructor(parse: typeof readSourceText = readSourceText) {
    this.#parse = parse;
  }

  read(text: string): readonly SourceDocument[] | undefined {
    return this.#of(text).source?.documents;
  }

  /** Data of each document. Returns the same objects each time. */
  dataIn(text: string): readonly Data[] {
    const known = this.#of(text);
    known.data ??= (known.source?.documents ?? []).map(({ root }) => sourceData(root));
    return known.data;
  }

  commentsIn(text: string): readonly YamlComment[] {
    return this.#of(text).source?.comments ?? [];
  }

  #of(text: string): RememberedText {
    const known = this.#known.get(text) ?? { source: this.#parse(text) };
    this.#known.delete(text);
    this.#known.set(text, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > remembered && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }
}
