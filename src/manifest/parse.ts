/** YAML text → located values. Every problem has its place; no text, however made, overruns stack or memory. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { SourceRange } from '../util/diagnostic.ts';
import { brokenAt, type Located, type LocatedEntry } from './located.ts';
import { type Problems, startOf } from './problems.ts';

/** Nesting beyond this is no manifest. */
const maxDepth = 200;
/** Aliases may make this many values of what is written. */
const maxNodes = 200_000;

/** The documents of a file, without empty ones. */
export function parseYaml(file: string, text: string, problems: Problems): readonly Located[] {
  const lines = new LineCounter();
  const deep = tooDeep(text);
  if (deep !== undefined) {
    problems.error(
      'nested-too-deep',
      `nested more than ${maxDepth} levels deep`,
      rangeAtOffset(file, text, deep),
      {
        suggestion: 'this does not look like a manifest',
      },
    );
    return [];
  }
  try {
    const documents = parseAllDocuments(text, {
      lineCounter: lines,
      uniqueKeys: false,
      prettyErrors: false,
      merge: true,
    });
    if (!Array.isArray(documents)) return [];
    return documents.flatMap((document) => {
      const reader = new DocumentReader(file, document, lines, problems, text.trimEnd().length);
      const located = reader.read();
      return located === undefined ? [] : [located];
    });
  } catch (error) {
    const message =
      error instanceof RangeError ? 'nested too deep to be read' : `cannot be read: ${String(error)}`;
    problems.error('yaml', message, startOf(file), { suggestion: 'this does not look like a manifest' });
    return [];
  }
}

/** The offset at which flow brackets or indentation nest too deep, found before the parser would recurse. */
function tooDeep(text: string): number | undefined {
  let depth = 0;
  let dashes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
    else if (character === '\n') dashes = 0;
    if (character === '-' && text[index + 1] === ' ') dashes += 1;
    if (depth > maxDepth || dashes > maxDepth) return index;
  }
  return undefined;
}

function rangeAtOffset(file: string, text: string, offset: number): SourceRange {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  return { file, line, column, endLine: line, endColumn: column + 1 };
}

class DocumentReader {
  readonly #file: string;
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #problems: Problems;
  #nodes = 0;
  #overrun = false;
  readonly #aliases: string[] = [];
  /** Where the text ends, trailing blanks aside: what is missing is missing there. */
  readonly #end: number;

  constructor(file: string, document: Document, lines: LineCounter, problems: Problems, end: number) {
    this.#end = end;
    this.#file = file;
    this.#document = document;
    this.#lines = lines;
    this.#problems = problems;
  }

  read(): Located | undefined {
    const { errors, warnings, contents } = this.#document;
    for (const { message, pos, code } of errors) {
      this.#problems.error('yaml', firstLine(message), this.#range(Math.min(pos[0], this.#end), pos[1]), {
        suggestion: adviceFor(code, message),
      });
    }
    for (const { message, pos } of warnings) {
      this.#problems.warn('yaml', firstLine(message), this.#range(pos[0], pos[1]));
    }
    if (errors.length > 0 || contents === null) return undefined;
    if (isScalar(contents) && contents.value === null && (contents.source ?? '') === '') return undefined;
    const located = this.#convert(contents as Node, 0);
    return this.#overrun ? undefined : located;
  }

  #convert(node: Node, depth: number): Located {
    const at = this.#rangeOf(node);
    this.#nodes += 1;
    if (this.#overrun || this.#nodes > maxNodes || depth > maxDepth) {
      if (!this.#overrun) {
        this.#overrun = true;
        this.#problems.error(
          'too-many-values',
          'aliases make too many or too deeply nested values of this',
          at,
          {
            suggestion: 'write the values out, or use fewer aliases',
          },
        );
      }
      return brokenAt(at);
    }
    if (isAlias(node)) return this.#alias(node.source, node, depth);
    if (isMap(node)) return { type: 'map', entries: this.#entries(node, depth), at };
    if (isSeq(node)) {
      return { type: 'list', items: node.items.map((item) => this.#convert(item as Node, depth + 1)), at };
    }
    return { type: 'scalar', value: isScalar(node) ? this.#scalar(node, at) : null, at };
  }

  #alias(name: string, node: Node, depth: number): Located {
    const at = this.#rangeOf(node);
    const target = isAlias(node) ? node.resolve(this.#document) : undefined;
    if (target === undefined || this.#aliases.includes(name)) {
      const message =
        target === undefined
          ? `no anchor &${name} comes before this alias`
          : `the alias *${name} contains itself`;
      this.#problems.error('alias', message, at);
      return brokenAt(at);
    }
    this.#aliases.push(name);
    const located = this.#convert(target as Node, depth + 1);
    this.#aliases.pop();
    return located;
  }

  #scalar(node: Scalar, at: SourceRange): null | boolean | number | string {
    const { value } = node;
    if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
    if (typeof value === 'number') {
      if (Number.isFinite(value)) return value;
      this.#problems.error('not-a-value', `${node.source ?? value} is not a number that JSON knows`, at, {
        suggestion: 'put it in quotes to make it text',
      });
      return null;
    }
    return node.source ?? String(value);
  }

  #entries(map: YAMLMap, depth: number): readonly LocatedEntry[] {
    const entries = new Map<string, LocatedEntry>();
    const merged: LocatedEntry[] = [];
    for (const pair of map.items as Pair<Node, Node | null>[]) {
      const keyNode = pair.key;
      const keyAt = this.#rangeOf(keyNode);
      const key = this.#key(keyNode, keyAt);
      if (key === undefined) continue;
      const value: Located =
        pair.value === null || pair.value === undefined
          ? { type: 'scalar', value: null, at: keyAt }
          : this.#convert(pair.value, depth + 1);
      if (key === '<<') {
        for (const source of value.type === 'list' ? value.items : [value]) {
          if (source.type === 'map') merged.push(...source.entries);
          else this.#problems.error('merge-key', '<< takes an alias of a mapping, or a list of them', keyAt);
        }
        continue;
      }
      const first = entries.get(key);
      if (first === undefined) entries.set(key, { key, keyAt, value });
      else {
        this.#problems.error('duplicate-key', `${JSON.stringify(key)} stands here twice`, keyAt, {
          suggestion: 'keep one of the two',
          related: [{ message: 'the first one', at: first.keyAt }],
        });
      }
    }
    for (const entry of merged) if (!entries.has(entry.key)) entries.set(entry.key, entry);
    return [...entries.values()];
  }

  #key(node: Node | null, at: SourceRange): string | undefined {
    if (isScalar(node))
      return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
    if (node === null || node === undefined) return 'null';
    this.#problems.error('key', 'a key must be text', at, { suggestion: 'put the key in quotes' });
    return undefined;
  }

  #rangeOf(node: Node | null): SourceRange {
    const range = node?.range;
    return range ? this.#range(range[0], range[1]) : startOf(this.#file);
  }

  #range(from: number, to: number): SourceRange {
    const start = this.#lines.linePos(from);
    const end = this.#lines.linePos(Math.max(from, to));
    return {
      file: this.#file,
      line: Math.max(1, start.line),
      column: Math.max(1, start.col),
      endLine: Math.max(1, end.line),
      endColumn: Math.max(1, end.col),
    };
  }
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/[.:]$/, '');
}

function adviceFor(code: string, message: string): string {
  if (code === 'TAB_AS_INDENT' || /tab/i.test(message)) return 'indent with spaces';
  if (/nested mapping|implicit key/i.test(message))
    return 'put values that hold ": " in quotes, and check the indentation';
  if (/quote/i.test(message)) return 'close the quotes';
  return 'check indentation, quotes and brackets here';
}
