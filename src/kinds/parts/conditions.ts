/**
 * Detects probable mistakes in conditions. The API document defines no grammar for them, so only errors in any expression
 * language are reported: an operator without a value, an open bracket or quote, a misspelled prefix. Doubtful cases are not.
 */
import { nearest } from '../../util/nearest.ts';
import type { Remark } from './field.ts';

const token =
  /\s*(?:(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\d[\w.]*|[\p{L}_$][\p{L}\p{N}_$-]*)|(?<sign>[=!]==?|[<>]=|&&|\|\||\?\?|\?\.|[=!<>?:.,+*%-])|(?<bracket>[()[\]]))/suy;

const infix = new Set(['in', 'instanceof', 'contains', 'matches', 'includes', 'has']);
const written: Readonly<Record<string, string>> = { and: '&&', or: '||', is: '==', equals: '==' };
const closing: Readonly<Record<string, string | undefined>> = { '(': ')', '[': ']' };
const prefix = ['visitor', 'claims'] as const;

/** Examples: `a ==` → ends with "=="; `vistor.claims.a` → visitor.claims.a */
export function conditionRemark(condition: string): Remark | undefined {
  return new ConditionReader(condition).read() ?? prefixRemark(condition);
}

class ConditionReader {
  readonly #text: string;
  readonly #open: string[] = [];
  #before = '';
  #needsValue = true;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Remark | undefined {
    token.lastIndex = 0;
    for (let at = 0; this.#text.slice(at).trim() !== ''; at = token.lastIndex) {
      token.lastIndex = at;
      const groups = token.exec(this.#text)?.groups;
      if (groups === undefined) {
        const isQuote = /^\s*["']/.test(this.#text.slice(at));
        return isQuote ? { message: 'a quote is not closed' } : undefined;
      }
      const { text, sign, bracket } = groups;
      const remark =
        text !== undefined
          ? this.#value(text, token.lastIndex)
          : sign !== undefined
            ? this.#sign(sign, token.lastIndex)
            : this.#bracket(bracket ?? '');
      if (remark !== undefined) return remark;
      this.#before = text ?? sign ?? bracket ?? '';
    }
    const unclosed = this.#open.at(-1);
    if (this.#needsValue && this.#before !== '') return { message: `it ends with ${this.#before}` };
    return unclosed === undefined ? undefined : { message: `a ${unclosed} is not closed` };
  }

  #value(text: string, end: number): Remark | undefined {
    if (this.#needsValue) {
      this.#needsValue = text === 'not' || text === 'typeof';
      return undefined;
    }
    this.#needsValue = infix.has(text);
    if (this.#needsValue) return undefined;
    const sign = written[text.toLowerCase()];
    const message = `there is no operator between ${this.#before} and ${text}`;
    return { message, instead: sign && this.#with(sign, end - text.length, end) };
  }

  #sign(sign: string, end: number): Remark | undefined {
    if (this.#needsValue) {
      const isPrefix = /^[!+-]$/.test(sign) && this.#before !== '.';
      const where = this.#before === '' ? 'it starts with it' : `it follows ${this.#before}`;
      return isPrefix ? undefined : { message: `${sign} has no value before it: ${where}` };
    }
    this.#needsValue = true;
    if (sign === '!') return { message: `there is no operator between ${this.#before} and !` };
    if (sign !== '=') return undefined;
    return { message: '= does not compare', instead: this.#with('==', end - 1, end) };
  }

  #bracket(bracket: string): Remark | undefined {
    const close = closing[bracket];
    if (close !== undefined) {
      // The bracket belongs to a call or a list, which may be empty.
      this.#open.push(bracket);
      this.#needsValue = true;
      return undefined;
    }
    const open = this.#open.pop();
    if (open === undefined || closing[open] !== bracket) return { message: `unmatched ${bracket}` };
    const isEmpty = this.#before === open;
    if (this.#needsValue && !isEmpty && this.#before !== ',')
      return { message: `${this.#before} has no value after it` };
    this.#needsValue = false;
    return undefined;
  }

  #with(text: string, from: number, to: number): string {
    return this.#text.slice(0, from) + text + this.#text.slice(to);
  }
}

function prefixRemark(condition: string): Remark | undefined {
  const unquoted = condition.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs, (quoted) =>
    '_'.repeat(quoted.length),
  );
  for (const { 0: found, 1: first = '', 2: second = '', index } of unquoted.matchAll(
    /(?<![\w.$\])])([\w$]+)\.([\w$]+)/g,
  )) {
    const isLike = (word: string, known: string) => word === known || nearest(word, [known]) !== undefined;
    const isNear = isLike(first, prefix[0]) && isLike(second, prefix[1]);
    const meant = prefix.join('.');
    if (!isNear || found === meant) continue;
    const instead = condition.slice(0, index) + meant + condition.slice(index + found.length);
    return { message: `${found} is not an attribute of visitors`, instead };
  }
  return undefined;
}
