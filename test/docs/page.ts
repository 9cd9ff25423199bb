/**
 * The blocks of a documentation page that a test runs. Hidden comments control it: `<!-- setup … -->` contains commands to run before the
 * next blocks, `<!-- exit: 2 -->` the expected exit codes of the next block, `<!-- terminal: yes -->` the answer to its prompt on a
 * terminal, and `<!-- not run: why -->` the reason why it is not run.
 */

/** A block of commands, with the expected results. */
export interface CommandBlock {
  /** Line number, from 1. */
  readonly line: number;
  readonly commands: string;
  /** Exit codes of the commands that do not end with 0, in order. */
  readonly exits: readonly number[];
  /** Text typed on the terminal; absent without a terminal. */
  readonly answer?: string;
  /** Reason why the block is not run. */
  readonly notRun?: string;
  /** The output that the page shows after the block, with its position. */
  readonly shown?: { readonly text: string; readonly from: number; readonly to: number };
}

/** A block of code of any language. */
export interface CodeBlock {
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** All blocks of code of a page, in order. */
export function codeBlocks(page: string): readonly CodeBlock[] {
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((found) => {
    const [, language = '', text = ''] = found;
    const from = found.index + '```'.length + language.length + 1;
    return {
      line: page.slice(0, found.index).split('\n').length,
      language,
      text,
      from,
      to: from + text.length,
    };
  });
}

/** The commands of a page, in order, including hidden setup commands. */
export function commandBlocks(page: string): readonly CommandBlock[] {
  const blocks: { at: number; block: CommandBlock }[] = [];
  for (const { 1: commands = '', index } of page.matchAll(/^<!-- setup\n([\s\S]*?)^-->$/gm)) {
    const line = page.slice(0, index).split('\n').length + 1;
    blocks.push({ at: index, block: { line, commands, exits: [] } });
  }
  const codes = codeBlocks(page);
  for (const [at, code] of codes.entries()) {
    if (code.language !== 'sh') continue;
    const directives = directivesBefore(page, code);
    const next = codes[at + 1];
    const between =
      next === undefined ? 'x' : page.slice(code.to + '```\n'.length, next.from - '```text\n'.length);
    const isShown = next?.language === 'text' && between.trim() === '';
    blocks.push({
      at: code.from,
      block: {
        line: code.line + 1,
        commands: code.text,
        exits: (directives.get('exit') ?? '').split(/[ ,]+/).filter(Boolean).map(Number),
        ...(directives.has('terminal') ? { answer: directives.get('terminal') ?? '' } : {}),
        ...(directives.has('not run') ? { notRun: directives.get('not run') ?? '' } : {}),
        ...(isShown ? { shown: { text: next.text, from: next.from, to: next.to } } : {}),
      },
    });
  }
  return blocks.sort((one, other) => one.at - other.at).map(({ block }) => block);
}

/** The comments directly above a block. */
function directivesBefore(page: string, { from, language }: CodeBlock): ReadonlyMap<string, string> {
  const lines = page
    .slice(0, from - '```\n'.length - language.length)
    .split('\n')
    .slice(0, -1);
  const found = new Map<string, string>();
  for (
    let line = lines.pop();
    line !== undefined && (line === '' || line.startsWith('<!--'));
    line = lines.pop()
  ) {
    const [, name, value = ''] = /^<!-- (exit|terminal|not run): (.*) -->$/.exec(line) ?? [];
    if (name !== undefined) found.set(name, value);
  }
  return found;
}

/** Each command line of the block that calls octavo; continued lines are joined. */
export function octavoLines(commands: string): readonly string[] {
  return commands
    .replace(/\\\n\s*/g, ' ')
    .replace(/"\$\([^)]*\)"/g, 'filled-in')
    .split('\n')
    .flatMap((line) =>
      [...line.matchAll(/(?:^|[|&;(]\s*|npx )(octavo [^|&;#)]*)/g)].map(([, call = '']) => call.trim()),
    );
}
