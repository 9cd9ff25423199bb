/** JSON text → located values, strictly by the grammar; what is wrong is told at its character. */
import type { SourceRange } from '../util/diagnostic.ts';
import { LineTable } from './line-table.ts';
import type { Located, LocatedEntry } from './located.ts';
import { maxDepth } from './nesting.ts';
import type { Problems } from './problems.ts';

/** A JSON file. */
export interface JsonSource {
  readonly name: string;
  readonly text: string;
  /** Where a manifest includes it. */
  readonly includedAt: SourceRange;
}

/** The value of a JSON text; undefined where it is none, which is then among the problems. */
export function parseJson(source: JsonSource, problems: Problems): Located | undefined {
  const reader = new JsonReader(source, problems);
  try {
    return reader.read();
  } catch (error) {
    if (!(error instanceof JsonSlip)) throw error;
    problems.error('not-json', error.message, reader.range(error.offset, error.offset + 1), {
      suggestion: error.suggestion,
      related: [{ message: 'included here', at: source.includedAt }],
    });
    return undefined;
  }
}

class JsonSlip extends Error {
  readonly offset: number;
  readonly suggestion: string | undefined;

  constructor(message: string, offset: number, suggestion?: string) {
    super(message);
    this.offset = offset;
    this.suggestion = suggestion;
  }
}

const words: readonly (readonly [string, null | boolean])[] = [
  ['null', null],
  ['true', true],
  ['false', false],
];

class JsonReader {
  readonly #file: string;
  readonly #text: string;
  readonly #problems: Problems;
  readonly #lines: LineTable;
  #offset = 0;

  constructor({ name, text }: JsonSource, problems: Problems) {
    this.#file = name;
    this.#text = text;
    this.#problems = problems;
    this.#lines = new LineTable(text);
  }

  read(): Located {
    const value = this.#value(0);
    this.#blanks();
    if (this.#offset < this.#text.length) throw this.#unexpected('nothing may follow the value');
    return value;
  }

  range(from: number, to: number): SourceRange {
    const [start, end] = [this.#lines.placeOf(from), this.#lines.placeOf(Math.max(from, to))];
    return { file: this.#file, ...start, endLine: end.line, endColumn: end.column };
  }

  #value(depth: number): Located {
    this.#blanks();
    if (depth > maxDepth) throw new JsonSlip(`nested more than ${maxDepth} levels deep`, this.#offset);
    const start = this.#offset;
    const first = this.#text[start];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    if (first === '"') {
      const value = this.#string();
      return { type: 'scalar', value, at: this.range(start, this.#offset) };
    }
    for (const [word, value] of words) {
      if (!this.#text.startsWith(word, start)) continue;
      this.#offset += word.length;
      return { type: 'scalar', value, at: this.range(start, this.#offset) };
    }
    const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    number.lastIndex = start;
    const found = number.exec(this.#text)?.[0];
    if (found === undefined) throw this.#unexpected('a value is missing');
    this.#offset += found.length;
    if (!Number.isFinite(Number(found))) throw new JsonSlip('the number is too large', start);
    return { type: 'scalar', value: Number(found), at: this.range(start, this.#offset) };
  }

  #object(depth: number): Located {
    const start = this.#offset;
    const entries = new Map<string, LocatedEntry>();
    this.#items('}', () => {
      const keyStart = this.#offset;
      if (this.#text[keyStart] !== '"') throw this.#unexpected('a key in double quotes is missing');
      const key = this.#string();
      const keyAt = this.range(keyStart, this.#offset);
      this.#blanks();
      if (this.#text[this.#offset] !== ':') throw this.#unexpected('a colon is missing after the key');
      this.#offset += 1;
      const value = this.#value(depth + 1);
      const before = entries.get(key);
      if (before === undefined) entries.set(key, { key, keyAt, value });
      else {
        this.#problems.error('duplicate-key', `${JSON.stringify(key)} stands here twice`, keyAt, {
          suggestion: 'keep one of the two',
          related: [{ message: 'the first one', at: before.keyAt }],
        });
      }
    });
    return { type: 'map', entries: [...entries.values()], at: this.range(start, this.#offset) };
  }

  #array(depth: number): Located {
    const start = this.#offset;
    const items: Located[] = [];
    this.#items(']', () => items.push(this.#value(depth + 1)));
    return { type: 'list', items, at: this.range(start, this.#offset) };
  }

  /** What stands between brackets, separated by commas; the opening one is at the current offset. */
  #items(closing: '}' | ']', item: () => void): void {
    this.#offset += 1;
    this.#blanks();
    if (this.#text[this.#offset] === closing) {
      this.#offset += 1;
      return;
    }
    for (;;) {
      this.#blanks();
      if (this.#text[this.#offset] === closing) {
        throw new JsonSlip(
          'JSON allows no comma before a closing bracket',
          this.#offset,
          'take the comma out',
        );
      }
      item();
      this.#blanks();
      const next = this.#text[this.#offset];
      if (next !== ',' && next !== closing) throw this.#unexpected(`a comma or ${closing} is missing`);
      this.#offset += 1;
      if (next === closing) return;
    }
  }

  #string(): string {
    const start = this.#offset;
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"' && this.#text[end] !== '\n') {
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    if (this.#text[end] !== '"')
      throw new JsonSlip('a quote is opened here and not closed on its line', start);
    this.#offset = end + 1;
    try {
      return JSON.parse(this.#text.slice(start, this.#offset)) as string;
    } catch {
      throw new JsonSlip(
        'the text holds an escape or a control character that JSON does not know',
        start,
        'write \\\\ for a backslash, \\t for a tab',
      );
    }
  }

  #blanks(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#offset] ?? '')) this.#offset += 1;
  }

  #unexpected(what: string): JsonSlip {
    const rest = this.#text.slice(this.#offset, this.#offset + 2);
    if (rest === '') return new JsonSlip(`the file ends too early: ${what}`, this.#offset);
    const isComment = rest === '//' || rest === '/*';
    const quote = rest.startsWith("'") ? 'JSON takes double quotes' : undefined;
    const advice = isComment ? 'JSON has no comments; use ${yaml:…} for a file with comments' : quote;
    return new JsonSlip(`this is not JSON: ${what}`, this.#offset, advice);
  }
}
