/** Reads JSON text as located values: parses it as YAML, but rejects it at the first error where JSON.parse rejects it. */
import { defined } from '../util/defined.ts';
import type { SourceRange } from '../util/diagnostic.ts';
import { LineTable } from './line-table.ts';
import type { Located } from './located.ts';
import type { Problems } from './problems.ts';
import { readYaml } from './read-yaml.ts';

export interface JsonSource {
  readonly name: string;
  readonly text: string;
  readonly includedAt: SourceRange;
}

export async function parseJson(
  { name, text, includedAt }: JsonSource,
  problems: Problems,
): Promise<Located | undefined> {
  try {
    JSON.parse(text);
  } catch {
    const { offset, message, suggestion } = slipIn(text);
    const { line, column } = new LineTable(text).placeOf(offset);
    const at = { file: name, line, column, endLine: line, endColumn: column + 1 };
    return problems.error('not-json', message, at, {
      ...defined({ suggestion }),
      related: [{ message: 'included here', at: includedAt }],
    });
  }
  return (await readYaml(name, text, problems))[0];
}

interface JsonMistake {
  readonly offset: number;
  readonly message: string;
  readonly suggestion?: string;
}

const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has no control characters in strings.
  /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*")|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.+-])|(?:true|false|null)\b)/iy;

type State = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'comma' | 'end';

const value = { '{': 'open', '[': 'open', text: 'done', other: 'done' };

const grammar: Readonly<Record<State, Readonly<Record<string, string>>>> = {
  value,
  firstValue: { ...value, ']': 'close' },
  key: { text: 'colon' },
  firstKey: { text: 'colon', '}': 'close' },
  colon: { ':': 'value' },
  comma: { ',': 'next', '}': 'close', ']': 'close' },
  end: {},
};

function slipIn(text: string): JsonMistake {
  const open: string[] = [];
  let [state, last, at] = ['value' as State, '', 0];
  for (;;) {
    token.lastIndex = at;
    const match = token.exec(text);
    const offset = at + (/^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0);
    const closing = open.at(-1) === '{' ? '}' : ']';
    if (match === null) return wrongToken(text, offset, messageFor(state, closing));
    const own = match[1] ?? (match[2] === undefined ? 'other' : 'text');
    const isWrongEnd = (own === '}' || own === ']') && own !== closing;
    const then = isWrongEnd ? undefined : grammar[state][own];
    if (then === undefined) {
      if (last === ',' && own === closing)
        return { offset, message: 'JSON has no trailing commas', suggestion: 'remove the comma' };
      return { offset, message: messageFor(state, closing) };
    }
    state = stateAfter(then, own, open);
    last = own;
    at = token.lastIndex;
  }
}

function stateAfter(then: string, own: string, open: string[]): State {
  if (then === 'open') open.push(own);
  if (then === 'close') open.pop();
  if (then === 'open') return own === '{' ? 'firstKey' : 'firstValue';
  if (then === 'close' || then === 'done') return open.length === 0 ? 'end' : 'comma';
  if (then === 'next') return open.at(-1) === '{' ? 'key' : 'value';
  return then as State;
}

function messageFor(state: State, closing: string): string {
  if (state === 'comma') return `expected a comma or ${closing}`;
  if (state === 'colon') return 'expected a colon after the key';
  if (state === 'end') return 'expected the end of the file after the value';
  return state.toLowerCase().endsWith('key') ? 'expected a key in double quotes' : 'expected a value';
}

function wrongToken(text: string, offset: number, message: string): JsonMistake {
  const rest = text.slice(offset);
  if (rest === '') return { offset, message: `unexpected end of file: ${message}` };
  if (/^\/[/*]|^#/.test(rest))
    return {
      offset,
      message: 'JSON has no comments',
      suggestion: 'remove it, or rename the file to .yaml and include it with ${yaml:…}',
    };
  if (/^"(?:[^"\\\n]|\\[^\n])*"/.test(rest)) {
    const problem = 'string with an escape or a control character that JSON does not have';
    return { offset, message: problem, suggestion: 'write \\\\ for a backslash, \\t for a tab' };
  }
  if (rest.startsWith('"')) {
    const problem = 'unclosed string: its quote is not closed on the same line';
    return { offset, message: problem, suggestion: 'add the closing quote' };
  }
  const [word = ''] = /^[^\s,:{}[\]]{0,20}/.exec(rest) ?? [];
  const suggestion = /^['`]/.test(rest) ? 'use double quotes' : undefined;
  return { offset, message: word === '' ? message : `unexpected ${word}`, ...defined({ suggestion }) };
}
