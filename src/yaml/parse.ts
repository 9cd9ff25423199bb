/** Reads YAML text as located values. Every problem has a place, and no text can exhaust stack or memory. */
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Parser,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { SourceRange } from '../util/diagnostic.ts';
import { append } from '../util/lists.ts';
import { nearest } from '../util/nearest.ts';
import { LineTable } from './line-table.ts';
import { brokenAt, isBroken, type Located, type LocatedEntry, maxDepth, scalarText } from './located.ts';
import { tooDeepAt } from './nesting.ts';
import { type PlainSource, readPlainYaml } from './plain-yaml.ts';
import { type Problems, startOf } from './problems.ts';
import { reportSyntax } from './syntax.ts';

/** Limit for values that aliases repeat. */
const maxAliasedValues = 200_000;

/** Code that finds places in manifests must parse them with the same options. */
export const yamlOptions = {
  uniqueKeys: false,
  prettyErrors: false,
  merge: true,
  // Applies even if a file declares YAML 1.1: `yes` is text.
  schema: 'core',
} as const;

export function parseYaml(file: string, text: string, problems: Problems): readonly Located[] {
  const lines = new LineTable(text);
  return readPlainYaml({ file, text, lines }) ?? parseAnyYaml({ file, text, lines }, problems);
}

export function parseAnyYaml({ file, text, lines }: PlainSource, problems: Problems): readonly Located[] {
  const deep = tooDeepAt(text);
  if (deep !== undefined) {
    const { line, column } = lines.placeOf(deep);
    refuseDepth({ file, line, column, endLine: line, endColumn: column + 1 }, problems);
    return [];
  }
  try {
    const tokens = untilTooManyErrors(new Parser().parse(text));
    return [...new Composer(yamlOptions).compose(tokens, false, text.length)].flatMap((document) => {
      const reader = new DocumentReader({ file, text, document, lines, problems });
      const located = reader.read();
      return located === undefined ? [] : [located];
    });
  } catch (error) {
    const message = error instanceof RangeError ? 'nested too deep' : `cannot be read: ${String(error)}`;
    problems.error('yaml', message, startOf(file), { suggestion: 'check that this file is a manifest' });
    return [];
  }
}

/** Reported errors are fewer; each kept error costs as much as a value. */
const maxErrors = 1000;

function* untilTooManyErrors(tokens: Iterable<CST.Token>): Iterable<CST.Token> {
  let errors = 0;
  for (const token of tokens) {
    if (token.type === 'error') errors += 1;
    if (errors > maxErrors) return;
    yield token;
  }
}

function refuseDepth(at: SourceRange, problems: Problems): void {
  problems.error('nested-too-deep', `nested more than ${maxDepth} levels deep`, at, {
    suggestion: 'check that this file is a manifest',
  });
}

interface DocumentSource {
  readonly file: string;
  readonly text: string;
  readonly document: Document;
  readonly lines: LineTable;
  readonly problems: Problems;
}

class DocumentReader {
  readonly #source: DocumentSource;
  readonly #problems: Problems;
  /** `located` is absent while the value is being read, so an alias inside is a cycle. */
  readonly #anchors = new Map<string, { readonly located?: Located; readonly size: number }>();
  #values = 0;
  #aliased = 0;
  #overrun = false;

  constructor(source: DocumentSource) {
    this.#source = source;
    this.#problems = source.problems;
  }

  read(): Located | undefined {
    const { document, text } = this.#source;
    const { contents } = document;
    const usable = reportSyntax(
      document,
      { text, end: text.trimEnd().length, range: (from, to) => this.#range(from, to) },
      this.#problems,
    );
    if (!usable || contents === null) return undefined;
    if (isScalar(contents) && contents.value === null && (contents.source ?? '') === '') return undefined;
    const located = this.#convert(contents as Node, 0);
    return this.#overrun ? undefined : located;
  }

  #convert(node: Node, depth: number): Located {
    const at = this.#rangeOf(node);
    this.#values += 1;
    if (this.#overrun) return brokenAt(at);
    if (depth > maxDepth) {
      this.#overrun = true;
      refuseDepth(at, this.#problems);
      return brokenAt(at);
    }
    if (isAlias(node)) return this.#alias(node.source, at);
    const anchor = (isMap(node) || isSeq(node) || isScalar(node)) && node.anchor;
    if (!anchor) return this.#plain(node, at, depth);
    const before = this.#values;
    this.#anchors.set(anchor, { size: 0 });
    const located = this.#plain(node, at, depth);
    this.#anchors.set(anchor, { located, size: this.#values - before + 1 });
    return located;
  }

  #plain(node: Node, at: SourceRange, depth: number): Located {
    if (isMap(node)) return { type: 'map', entries: this.#entries(node, depth), at };
    if (isSeq(node)) {
      return { type: 'list', items: node.items.map((item) => this.#convert(item as Node, depth + 1)), at };
    }
    return isScalar(node) ? this.#scalar(node, at) : { type: 'scalar', value: null, at };
  }

  #alias(name: string, at: SourceRange): Located {
    const anchored = this.#anchors.get(name);
    if (anchored?.located === undefined) {
      const known = [...this.#anchors.keys()];
      const near = nearest(name, known);
      const isInside = anchored !== undefined;
      this.#problems.error(
        'alias',
        isInside ? `alias *${name} contains itself` : `no anchor &${name} before this alias`,
        at,
        {
          suggestion: isInside
            ? 'write the value out'
            : near === undefined
              ? `add &${name} to a value above, or quote the text`
              : `did you mean *${near}?`,
        },
      );
      return brokenAt(at);
    }
    this.#values += anchored.size;
    this.#aliased += anchored.size;
    if (this.#aliased <= maxAliasedValues) return anchored.located;
    this.#overrun = true;
    this.#problems.error('too-many-values', 'aliases make too many values', at, {
      suggestion: 'write the values out, or use fewer aliases',
    });
    return brokenAt(at);
  }

  #scalar(node: Scalar, at: SourceRange): Located {
    const { value } = node;
    if (typeof value === 'string' && /\p{Surrogate}/u.test(value)) {
      this.#problems.error('not-a-value', 'the text contains a lone surrogate', at, {
        suggestion: 'write the character itself instead of \\u escapes',
      });
      return brokenAt(at);
    }
    if (value === null || typeof value === 'string') return { type: 'scalar', value, at };
    const written = node.source ?? String(value);
    if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
      return { type: 'scalar', value, at, written };
    }
    // Values that JSON lacks, such as dates in older versions, are read as text.
    if (typeof value !== 'number') return { type: 'scalar', value: written, at };
    this.#problems.error('not-a-value', `${written} is not a JSON number`, at, {
      suggestion: 'quote it to make it text',
    });
    return brokenAt(at);
  }

  #entries(map: YAMLMap, depth: number): readonly LocatedEntry[] {
    const entries = new Map<string, LocatedEntry>();
    const merged: LocatedEntry[] = [];
    for (const pair of map.items as Pair<Node, Node | null>[]) {
      const entry = this.#entry(pair, depth);
      if (entry === undefined) continue;
      const first = entries.get(entry.key);
      if (entry.key === '<<') append(merged, this.#mergedEntries(entry));
      else if (first === undefined) entries.set(entry.key, entry);
      else this.#refuseDuplicate(entry, first);
    }
    for (const entry of merged) if (!entries.has(entry.key)) entries.set(entry.key, entry);
    return [...entries.values()];
  }

  #entry(pair: Pair<Node, Node | null>, depth: number): LocatedEntry | undefined {
    const keyAt = this.#rangeOf(pair.key);
    const key = this.#key(pair.key, keyAt);
    if (key === undefined) return undefined;
    const isEmpty = pair.value === null || pair.value === undefined;
    const value: Located = isEmpty
      ? { type: 'scalar', value: null, at: keyAt }
      : this.#convert(pair.value as Node, depth + 1);
    return { key, keyAt, value };
  }

  /** Entries of `<<` that the mapping does not define itself. */
  #mergedEntries({ value, keyAt }: LocatedEntry): readonly LocatedEntry[] {
    return (value.type === 'list' ? value.items : [value]).flatMap((source) => {
      if (source.type === 'map') return source.entries;
      if (!isBroken(source))
        this.#problems.error('merge-key', '<< must be an alias of a mapping, or a list of them', keyAt);
      return [];
    });
  }

  #refuseDuplicate({ key, keyAt }: LocatedEntry, first: LocatedEntry): void {
    this.#problems.error('duplicate-key', `duplicate key ${JSON.stringify(key)}`, keyAt, {
      suggestion: 'keep one of the two',
      related: [{ message: 'the first one', at: first.keyAt }],
    });
  }

  #key(node: Node | null, at: SourceRange): string | undefined {
    if (isScalar(node)) {
      const key = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
      if (node.anchor) this.#anchors.set(node.anchor, { located: this.#scalar(node, at), size: 1 });
      return key;
    }
    if (node === null || node === undefined) return 'null';
    const aliased = isAlias(node) ? scalarText(this.#anchors.get(node.source)?.located) : undefined;
    if (aliased !== undefined) return aliased;
    return this.#problems.error('key', 'a key must be text', at, { suggestion: 'quote the key' });
  }

  #rangeOf(node: Node | null): SourceRange {
    const range = node?.range;
    return range ? this.#range(range[0], range[1]) : startOf(this.#source.file);
  }

  #range(from: number, to: number): SourceRange {
    const { file, lines } = this.#source;
    const start = lines.placeOf(from);
    const end = lines.placeOf(Math.max(from, to));
    return { file, line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
  }
}
