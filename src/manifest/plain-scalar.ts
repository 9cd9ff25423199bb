/** What an unquoted value means in YAML 1.2: text, or one of the few forms that are something else. */
import type { SourceRange } from '../util/diagnostic.ts';
import type { Located } from './located.ts';
import { Declined } from './plain-gaps.ts';

const decimal = /^[-+]?(?:\d+|\.\d+|\d+\.\d*|(?:\.\d+|\d+(?:\.\d*)?)[eE][-+]?\d+)$/;
/** Octal and hexadecimal numbers, and those that JSON does not have. */
const rare = /^(?:0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;
/** Nothing else begins as a number, a boolean or null does. */
const mayBeOther = /^[-+.\d~nNtTfF]/;

/** Longer numbers are rounded, which is left to one reader. */
const maxDigits = 15;

/** The value of an unquoted text. */
export function plainScalar(written: string, at: SourceRange): Located {
  if (!mayBeOther.test(written)) return { type: 'scalar', value: written, at };
  switch (written) {
    case '~':
    case 'null':
    case 'Null':
    case 'NULL':
      return { type: 'scalar', value: null, at };
    case 'true':
    case 'True':
    case 'TRUE':
      return { type: 'scalar', value: true, at, written };
    case 'false':
    case 'False':
    case 'FALSE':
      return { type: 'scalar', value: false, at, written };
    default:
      return numberOrText(written, at);
  }
}

function numberOrText(written: string, at: SourceRange): Located {
  if (rare.test(written)) throw new Declined();
  if (!decimal.test(written)) return { type: 'scalar', value: written, at };
  if (written.length > maxDigits) throw new Declined();
  const value = Number(written);
  if (!Number.isFinite(value)) throw new Declined();
  return { type: 'scalar', value, at, written };
}

/** The keys of a text: thousands of objects have the same ones, and each takes memory once. */
export class KeyNames {
  readonly #names = new Map<string, string>();

  of(name: string): string {
    const known = this.#names.get(name);
    if (known === undefined) this.#names.set(name, name);
    return known ?? name;
  }
}
