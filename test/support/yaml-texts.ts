/** Random YAML texts, valid and broken: every construct of the language in every layout, with comments everywhere. */

/** Random numbers from a seed: the same seed produces the same text. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0, below a limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  oneOf<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }

  /** True once in `times` calls on average. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }
}

const plain = [
  'a',
  'title',
  'Developer Hub',
  'yes',
  'No',
  'on',
  'true',
  'True',
  'FALSE',
  'null',
  'Null',
  '~',
  '1',
  '-1',
  '+12',
  '007',
  '0o17',
  '0x1F',
  '1.5',
  '.5',
  '1.',
  '-.5',
  '1e3',
  '1E-2',
  '.e1',
  '.inf',
  '-.INF',
  '.nan',
  '1_000',
  '12345678901234567890',
  '0.1e400',
  '2024-01-02',
  '2024-01-02T03:04:05Z',
  '12:30:45',
  '<<',
  '=',
  'a:b',
  'a::b',
  'x:',
  ':x',
  '-x',
  '--',
  '---x',
  '-',
  '?x',
  'a#b',
  'a #b',
  '# b',
  'a,b',
  'a, b',
  '[x',
  'x]',
  '{y',
  'y}',
  'a{b}',
  'http://x.y/z?q=1#f',
  '${env:X}',
  "it's",
  'a"b',
  '%x',
  '@x',
  '`x',
  '!tag x',
  '!!str 1',
  '!!int x',
  '&a b',
  '*a',
  '&a',
  'R&D',
  'a & b',
  'a * b',
  'wait!',
  '|',
  '>',
  'é',
  '👋',
  'שלום',
  'a\u2028b',
  'a\u0085b',
  'a\tb',
  '...',
  '---',
  'a  b',
  'None',
  '0',
  '00',
  '0b1',
  '1e',
  'nul',
  'tru',
  'n',
  'y',
  'a - b',
  '- a',
  'a: b',
  'k:v',
] as const;
const quoted = [
  '""',
  "''",
  '"a"',
  "'a'",
  '"a b"',
  "'it''s'",
  '"\\n"',
  '"\\u00e9"',
  '"\\x41"',
  '"\\U0001F44B"',
  '"\\ud800"',
  '"\\q"',
  '"a\\\\"',
  '"a\n  b"',
  "'a\n  b'",
  '"a\n\n  b"',
  '"a\\\n  b"',
  '"# x"',
  "'# x'",
  '": "',
  "'- '",
  '"a',
  "'a",
  '"a"b',
  '"\\0"',
  '"\\/"',
  '"\\e"',
  '"a\tb"',
  '"true"',
  "'1'",
  '"<<"',
  '"a" ',
  '"\\ "',
  '"a:b"',
  '"{}"',
  '"\\U00110000"',
  '"\\u12"',
] as const;
const blocks = ['|', '>', '|-', '>-', '|+', '>+', '|2', '>1-', '|9', '| # c', '|x', '>+2', '|0'] as const;
const comments = ['', '', '', '', ' # c', ' #', '   # a: b', '#c', ' # "x'] as const;
const lineEnds = ['\r\n', '\r'] as const;

/** Makes one text. Bold ones have rare or broken parts far more often. */
export class TextMaker {
  readonly #dice: Dice;
  readonly #isBold: boolean;

  constructor(dice: Dice) {
    this.#dice = dice;
    this.#isBold = dice.once(3);
  }

  text(): string {
    const dice = this.#dice;
    const count = dice.once(4) ? 1 + dice.below(3) : 1;
    let text = dice.once(30) ? '\uFEFF' : '';
    if (dice.once(20)) text += dice.oneOf(['%YAML 1.2\n', '%YAML 1.1\n', '%TAG ! tag:x\n', '%x\n']);
    for (let document = 0; document < count; document += 1) {
      if (document > 0 || dice.once(5))
        text += dice.oneOf(['---\n', '---\n', '--- # c\n', '--- ', '...\n---\n', '----\n']);
      text += this.#filler(0) + this.#block(0, 0);
      if (dice.once(12)) text += '...\n';
    }
    text += this.#filler(0);
    if (dice.once(5)) text = text.replace(/\n+$/, '');
    return dice.once(20) ? text.replaceAll('\n', dice.oneOf(lineEnds)) : text;
  }

  /** Empty lines and comments. */
  #filler(indent: number): string {
    const dice = this.#dice;
    let text = '';
    while (dice.once(4)) {
      const column = Math.max(0, indent + (dice.once(2) ? 0 : dice.below(7) - 3));
      text += dice.once(2)
        ? `${dice.once(3) ? ' '.repeat(dice.below(5)) : ''}\n`
        : `${' '.repeat(column)}# c${dice.below(9)}\n`;
    }
    return text;
  }

  #block(indent: number, depth: number): string {
    const dice = this.#dice;
    if (depth === 0 && dice.once(12)) return `${this.#scalar()}\n`;
    const isList = dice.once(3);
    const count = 1 + dice.below(4);
    let text = '';
    for (let at = 0; at < count; at += 1) {
      const column = this.#isBold && dice.once(12) ? Math.max(0, indent + dice.below(3) - 1) : indent;
      const lead = ' '.repeat(column);
      text += isList
        ? `${lead}-${this.#item(column, depth)}`
        : `${lead}${this.#key()}${this.#colon()}${this.#value(column, depth)}`;
      text += this.#filler(indent);
    }
    return text;
  }

  #colon(): string {
    if (!this.#isBold) return ':';
    return this.#dice.oneOf([':', ':', ':', ':', ':', ' :', ': ', '']);
  }

  #key(): string {
    const dice = this.#dice;
    if (this.#isBold && dice.once(8))
      return dice.oneOf(['? a', '?', '[a]', '{a: b}', '', '*a', '&a k', '"a\n b"', '<<', 'k'.repeat(1100)]);
    if (dice.once(this.#isBold ? 6 : 30))
      return dice.oneOf(quoted.filter((one) => !one.includes('\n')) as [string, ...string[]]);
    if (dice.once(this.#isBold ? 6 : 30)) return dice.oneOf(plain);
    return `k${dice.below(this.#isBold ? 6 : 1000)}`;
  }

  #item(column: number, depth: number): string {
    const dice = this.#dice;
    if (depth < 4 && dice.once(3)) {
      const spaces = 1 + dice.below(2);
      const inner = this.#block(column + 1 + spaces, depth + 1);
      return ' '.repeat(spaces) + inner.trimStart();
    }
    return this.#value(column, depth);
  }

  #value(column: number, depth: number): string {
    const dice = this.#dice;
    const comment = dice.oneOf(comments);
    if (depth < 4 && dice.once(3)) {
      const deeper = column + (dice.once(8) ? 0 : 1 + dice.below(4));
      return `${comment}\n${this.#filler(deeper)}${this.#block(deeper, depth + 1)}`;
    }
    if (dice.once(8)) return `${dice.once(2) ? ' ' : ''}${comment}\n`;
    if (dice.once(10)) return ` ${this.#blockScalar(column)}`;
    if (dice.once(4)) return ` ${this.#flow(column, 0)}${comment}\n`;
    return ` ${dice.once(9) ? ' ' : ''}${this.#scalar()}${comment}\n`;
  }

  #scalar(): string {
    const dice = this.#dice;
    if (!this.#isBold && dice.once(3))
      return dice.oneOf(['"a"', "'a b'", "'it''s'", '"\\n"', '"\\u00e9"', '""', '"# x"']);
    if (dice.once(this.#isBold ? 3 : 9)) return dice.oneOf(quoted);
    if (this.#isBold && dice.once(10)) return `a${dice.oneOf(['\n  ', '\n ', '\n\n  ', '\n'])}b`;
    if (!this.#isBold && !dice.once(9))
      return dice.oneOf(['a', 'Developer Hub', '12', 'true', 'null', '1.5', 'http://x.y']);
    return dice.oneOf(plain);
  }

  #blockScalar(column: number): string {
    const dice = this.#dice;
    const indent = ' '.repeat(column + dice.below(4));
    let text = `${dice.oneOf(blocks)}${dice.once(9) ? ' ' : ''}\n`;
    for (let line = dice.below(4); line > 0; line -= 1) {
      text += dice.once(4)
        ? dice.oneOf(['\n', '  \n', `${indent}  \n`])
        : `${indent}${dice.oneOf(['text', '# no', ' more', 'a: b', '- x', '\tt'])}\n`;
    }
    return dice.once(4) ? `${text}\n` : text;
  }

  #flow(column: number, depth: number): string {
    const dice = this.#dice;
    const isMap = dice.once(2);
    const count = dice.below(4);
    const gap = () => this.#flowGap(column);
    const parts = Array.from({ length: count }, () => {
      const value = depth < 2 && dice.once(4) ? this.#flow(column, depth + 1) : this.#scalar();
      if (!isMap) return `${gap()}${this.#isBold && dice.once(6) ? `k: ${value}` : value}${gap()}`;
      const colon = this.#isBold ? dice.oneOf([': ', ': ', ':', ' : ', '', ':\n    ']) : ': ';
      return dice.once(8)
        ? `${gap()}${this.#key()}`
        : `${gap()}${this.#key()}${colon}${dice.once(9) ? '' : value}${gap()}`;
    });
    const tail = dice.once(8) ? ',' : '';
    const [open, close] = isMap ? ['{', '}'] : ['[', ']'];
    return `${open}${parts.join(this.#isBold && dice.once(9) ? ' ' : ',')}${tail}${gap()}${this.#isBold && dice.once(15) ? '' : close}`;
  }

  #flowGap(column: number): string {
    const dice = this.#dice;
    if (!dice.once(6)) return dice.oneOf(['', ' ', ' ']);
    const indent = ' '.repeat(Math.max(0, column + dice.below(5) - 1));
    return dice.oneOf([`\n${indent}`, ` # c\n${indent}`, `\n\n${indent}`, '  ']);
  }
}

const pieces = [
  ' ',
  '  ',
  '\n',
  '\n\n',
  ':',
  ': ',
  '- ',
  '-',
  '#',
  ' #',
  ',',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '|',
  '>',
  '&a ',
  '*a',
  '!t ',
  '?',
  '? ',
  '\t',
  '\r',
  '%',
  '---\n',
  '...\n',
  '\\',
  '~',
  '\u2028',
  '\uFEFF',
  '<<: ',
  'a',
  '0',
] as const;

/** The text with a few characters or lines removed, inserted, repeated or indented differently. */
export function mangled(text: string, dice: Dice): string {
  let result = text;
  for (let change = 1 + dice.below(3); change > 0; change -= 1) {
    const at = dice.below(result.length + 1);
    const lineStart = result.lastIndexOf('\n', at - 1) + 1;
    const lineEnd = result.indexOf('\n', at) < 0 ? result.length : result.indexOf('\n', at) + 1;
    const line = result.slice(lineStart, lineEnd);
    const make: readonly [() => string, ...(() => string)[]] = [
      () => result.slice(0, at) + result.slice(at + 1),
      () => result.slice(0, at) + dice.oneOf(pieces) + result.slice(at),
      () => result.slice(0, at) + dice.oneOf(pieces) + result.slice(at + 1),
      () => result.slice(0, lineStart) + result.slice(lineEnd),
      () => result.slice(0, lineEnd) + line + result.slice(lineEnd),
      () => `${result.slice(0, lineStart)} ${result.slice(lineStart)}`,
      () => result.slice(0, lineStart) + line.replace(/^ /, '') + result.slice(lineEnd),
      () => result.slice(0, at),
    ];
    result = dice.oneOf(make)();
  }
  return result;
}
