/** JSON text → located values, strictly by the grammar: no comments, no trailing commas; the first error is reported. */
import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { defined } from '../util/defined.ts';
import type { SourceRange } from '../util/diagnostic.ts';
import { maxDepth } from './depth-limit.ts';
import { LineTable } from './line-table.ts';
import type { Located, LocatedEntry, LocatedScalar } from './located.ts';
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
  const builder = new JsonBuilder(source, problems);
  try {
    return builder.build();
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    problems.error('not-json', error.message, builder.range(error.offset, 1), {
      suggestion: error.suggestion,
      related: [{ message: 'included here', at: source.includedAt }],
    });
    return undefined;
  }
}

class JsonError extends Error {
  readonly offset: number;
  readonly suggestion: string | undefined;

  constructor(offset: number, { message, suggestion }: JsonErrorText) {
    super(message);
    this.offset = offset;
    this.suggestion = suggestion;
  }
}

interface JsonErrorText {
  readonly message: string;
  readonly suggestion?: string;
}

const unclosed: JsonErrorText = {
  message: 'unclosed string: its quote is not closed on the same line',
  suggestion: 'add the closing quote',
};
const badEscape: JsonErrorText = {
  message: 'string with an escape or a control character that JSON does not have',
  suggestion: 'write \\\\ for a backslash, \\t for a tab',
};
const comment: JsonErrorText = {
  message: 'JSON has no comments',
  suggestion: 'remove it, or rename the file to .yaml and include it with ${yaml:…}',
};
const noNumber: JsonErrorText = { message: 'invalid number' };

/** By the names of the parser's error codes. */
const errorTexts: Readonly<Record<string, JsonErrorText>> = {
  PropertyNameExpected: { message: 'expected a key in double quotes' },
  ValueExpected: { message: 'expected a value' },
  ColonExpected: { message: 'expected a colon after the key' },
  CommaExpected: { message: 'expected a comma or a closing bracket' },
  CloseBraceExpected: { message: 'expected a comma or }' },
  CloseBracketExpected: { message: 'expected a comma or ]' },
  EndOfFileExpected: { message: 'expected the end of the file after the value' },
  InvalidCommentToken: comment,
  UnexpectedEndOfComment: comment,
  UnexpectedEndOfString: unclosed,
  UnexpectedEndOfNumber: noNumber,
  InvalidNumberFormat: noNumber,
  InvalidUnicode: badEscape,
  InvalidEscapeCharacter: badEscape,
  InvalidCharacter: badEscape,
};

/** A mapping or list whose end has not been read. */
interface OpenValue {
  readonly start: number;
  readonly entries?: Map<string, LocatedEntry>;
  readonly items?: Located[];
  /** The key whose value comes next, and where it is. */
  key?: { readonly name: string; readonly at: SourceRange };
}

class JsonBuilder {
  readonly #source: JsonSource;
  readonly #problems: Problems;
  readonly #lines: LineTable;
  readonly #open: OpenValue[] = [];
  #isAfterComma = false;
  #root: Located | undefined;

  constructor(source: JsonSource, problems: Problems) {
    this.#source = source;
    this.#problems = problems;
    this.#lines = new LineTable(source.text);
  }

  build(): Located | undefined {
    const visitor: JSONVisitor = {
      onObjectBegin: (offset) => this.#begin({ start: offset, entries: new Map() }),
      onArrayBegin: (offset) => this.#begin({ start: offset, items: [] }),
      onObjectEnd: (offset, length) => this.#end(offset + length),
      onArrayEnd: (offset, length) => this.#end(offset + length),
      onObjectProperty: (name, offset, length) => {
        const parent = this.#open.at(-1);
        if (parent !== undefined) parent.key = { name, at: this.range(offset, length) };
      },
      onLiteralValue: (value: LocatedScalar['value'], offset, length) => {
        if (value === Infinity || value === -Infinity) {
          throw new JsonError(offset, { message: 'number too large' });
        }
        this.#add({ type: 'scalar', value, at: this.range(offset, length) });
      },
      onSeparator: (character) => {
        this.#isAfterComma = character === ',';
      },
      onError: (code, offset) => {
        throw this.#error(printParseErrorCode(code), offset);
      },
    };
    visit(this.#source.text, visitor, { disallowComments: true, allowTrailingComma: false });
    return this.#root;
  }

  range(offset: number, length: number): SourceRange {
    const [start, end] = [this.#lines.placeOf(offset), this.#lines.placeOf(offset + length)];
    return { file: this.#source.name, ...start, endLine: end.line, endColumn: end.column };
  }

  #begin(value: OpenValue): void {
    if (this.#open.length >= maxDepth) {
      throw new JsonError(value.start, { message: `nested more than ${maxDepth} levels deep` });
    }
    this.#isAfterComma = false;
    this.#open.push(value);
  }

  #end(end: number): void {
    const value = this.#open.pop();
    if (value === undefined) return;
    const at = this.range(value.start, end - value.start);
    this.#add(
      value.items === undefined
        ? { type: 'map', entries: [...(value.entries?.values() ?? [])], at }
        : { type: 'list', items: value.items, at },
    );
  }

  #add(value: Located): void {
    this.#isAfterComma = false;
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root = value;
    else if (parent.items !== undefined) parent.items.push(value);
    else if (parent.key !== undefined) this.#addEntry(parent, { ...parent.key, value });
  }

  #addEntry(
    { entries }: OpenValue,
    { name, at, value }: { readonly name: string; readonly at: SourceRange; readonly value: Located },
  ): void {
    const first = entries?.get(name);
    if (first === undefined) entries?.set(name, { key: name, keyAt: at, value });
    else {
      this.#problems.error('duplicate-key', `duplicate key ${JSON.stringify(name)}`, at, {
        suggestion: 'keep one of the two',
        related: [{ message: 'the first one', at: first.keyAt }],
      });
    }
  }

  #error(code: string, offset: number): JsonError {
    const { text } = this.#source;
    const rest = text.slice(offset);
    if (this.#isAfterComma && /^[}\]]/.test(rest)) {
      return new JsonError(offset, {
        message: 'JSON has no trailing commas',
        suggestion: 'remove the comma',
      });
    }
    const known = errorTexts[code];
    if (known === undefined || /^['`]/.test(rest)) {
      const [token = ''] = /^[^\s,:{}[\]]{1,20}/.exec(rest) ?? [];
      const suggestion = /^['`]/.test(rest) ? 'use double quotes' : undefined;
      return new JsonError(offset, { message: `unexpected ${token}`, ...defined({ suggestion }) });
    }
    if (rest !== '') return new JsonError(offset, known);
    return new JsonError(offset, { ...known, message: `unexpected end of file: ${known.message}` });
  }
}
