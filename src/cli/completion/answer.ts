/**
 * Answers requests of the shells' functions: `octavo __complete line "octavo plan --t"`, or the words separately. The first line
 * is an instruction to the shell; candidates with descriptions follow. Modules are loaded when they are needed.
 */
import type { Workspace } from '../../manifest/load-workspace.ts';
import { safeText } from '../../report/text/safe-text.ts';
import { unreachable } from '../../util/unreachable.ts';
import { type Command, type CompletedWords, choicesOf, flagsOf } from '../line/command.ts';
import { type FlagSpec, flagName } from '../line/flags.ts';
import { loadCommand } from '../line/list.ts';
import { commandNames, isCommandName, summaries } from '../line/names.ts';
import { parse } from '../line/read-line.ts';
import type { World } from '../world/world.ts';

interface Completion {
  readonly candidates: readonly Candidate[];
  /** `files`: also complete file names. `open`: no space after a candidate, since more may follow. */
  readonly also: 'files' | 'open' | 'nothing';
}

interface Candidate {
  readonly word: string;
  readonly about: string;
}

type CompletionWorld = Pick<World, 'env' | 'cwd' | 'journals'>;

const nothing: Completion = { candidates: [], also: 'nothing' };

/** More candidates than this are shortened to the next part of their paths. */
const shownAtMost = 100;

/** Prints no candidates if anything fails, since a shell shows all output. */
export async function answerShell(args: readonly string[], world: World): Promise<void> {
  const [form, ...words] = args;
  try {
    // The first word of a line is the name of the program.
    const own = form === 'line' ? splitLine(words.join(' ')).slice(1) : words;
    const { candidates, also } = await complete(own, world);
    const lines = candidates
      // Words with terminal control characters are not offered.
      .filter(({ word }) => safeText(word) === word)
      .map(({ word, about }) => (about === '' ? word : `${word}\t${about}`));
    world.stdout.write(`${[also, ...lines].join('\n')}\n`);
  } catch {
    world.stdout.write('nothing\n');
  }
}

/** The last word is unfinished; the name of the program is not included. */
async function complete(words: readonly string[], world: CompletionWorld): Promise<Completion> {
  const place = await cursorPlace(words);
  const { command, word, flagValue } = place;
  if (words.length <= 1) return among(commandWords(), word);
  if (command === undefined)
    return words[0] === 'help' && words.length === 2 ? among(commandWords(), word) : nothing;
  if (flagValue !== undefined) return completeValue(command, place, world);
  if (word.startsWith('-')) return among(flagWords(command, place), word);
  const { many, choices, completes } = command.words ?? {};
  const isFirst = place.arguments.length === 0;
  if (many !== true && !isFirst) return nothing;
  if (choices !== undefined && (isFirst || completes === undefined)) return among(choices.map(plain), word);
  return completeWords(completes, place, world);
}

function commandWords(): readonly Candidate[] {
  return [
    ...commandNames.map((name) => ({ word: name, about: summaries[name] })),
    { word: 'help', about: 'Show help' },
  ];
}

function flagWords(command: Command, { values, word }: CursorPlace): readonly Candidate[] {
  const open = Object.entries(flagsOf(command)).filter(
    ([flag, { list }]) => list === true || !values.has(flag),
  );
  const isNegative = word.startsWith('--no');
  return [
    ...open.flatMap(([flag, { type, description }]): readonly Candidate[] => {
      const own = { word: `--${flagName(flag)}`, about: description };
      const canBeOff = (type === 'boolean' && isNegative) || flag === 'color';
      return canBeOff ? [own, { word: `--no-${flagName(flag)}`, about: `Not: ${description}` }] : [own];
    }),
    { word: '--help', about: 'Show the help of the command' },
  ];
}

async function completeValue(
  command: Command,
  place: CursorPlace,
  world: CompletionWorld,
): Promise<Completion> {
  const { word, flagValue } = place;
  if (flagValue === undefined) return nothing;
  const { flag, lead } = flagValue;
  const typed = word.slice(lead.length);
  const leading = ({ candidates, also }: Completion): Completion => ({
    candidates: candidates.map((one) => ({ ...one, word: `${lead}${one.word}` })),
    also,
  });
  // A format may be written to a file.
  if (flag === 'format' && typed.includes('=')) return { candidates: [], also: 'files' };
  const spec = flagsOf(command)[flag];
  if (spec === undefined || spec.type === 'boolean') return nothing;
  const choices = choicesOf(command, flag, spec);
  if (choices !== undefined) return leading(among(choices.map(plain), typed));
  return leading(await completeWords(completedBy(flag, spec), { ...place, word: typed }, world));
}

/** Chooses completions by the placeholder of the value in help. */
function completedBy(flag: string, { value }: FlagSpec): CompletedWords | undefined {
  if (value === 'glob' || value === 'address') return 'addresses';
  if (flag === 'overlay') return 'overlays';
  return value === 'path' ? 'files' : undefined;
}

/** Long lists are completed part by part, which this character separates. */
const separators: Readonly<Partial<Record<CompletedWords, string>>> = {
  addresses: '/',
  topics: '.',
  operations: '.',
};

async function completeWords(
  what: CompletedWords | undefined,
  place: CursorPlace,
  world: CompletionWorld,
): Promise<Completion> {
  const { word } = place;
  if (what === undefined || (what === 'operations' && place.arguments.length > 0)) return nothing;
  const words = await wordsOf(what, place, world);
  const separator = separators[what];
  if (separator !== undefined) return byPart(words, word, separator);
  return {
    ...among(words.map(plain), word),
    also: what === 'overlays' || what === 'files' ? 'files' : 'nothing',
  };
}

/** Never throws: an error in a manifest must not prevent other completions. */
async function wordsOf(
  what: CompletedWords,
  place: CursorPlace,
  world: CompletionWorld,
): Promise<readonly string[]> {
  switch (what) {
    case 'files':
      return [];
    case 'addresses': {
      const { outlines = [] } = (await outlined(place, world)) ?? {};
      return outlines.flatMap(({ label, nodes }) =>
        [...nodes.keys()].map((address) => (outlines.length > 1 ? `${label}/${address}` : address)),
      );
    }
    case 'overlays': {
      const { selected = [], others = [] } = (await outlined(place, world))?.overlays ?? {};
      return [...selected, ...others];
    }
    case 'topics': {
      const { topicNames } = await import('../explain/topics.ts');
      return topicNames((await import('../../kinds/index.ts')).registry);
    }
    case 'operations':
      return (await import('../../contract/index.ts')).operationIds;
    case 'runs':
      return [...(await world.journals(world.cwd)).runs()].reverse();
    default:
      return unreachable(what);
  }
}

async function outlined(
  { values }: CursorPlace,
  { env, cwd }: CompletionWorld,
): Promise<Workspace | undefined> {
  const [file, overlay] = [values.get('file'), values.get('overlay')];
  try {
    const [{ readSettings }, { loadWorkspace }, { registry }] = await Promise.all([
      import('../service/settings.ts'),
      import('../../manifest/load-workspace.ts'),
      import('../../kinds/index.ts'),
    ]);
    const flags = { ...(file && { file }), ...(overlay && { overlay }) };
    const { files: paths, overlays } = await readSettings({ flags, env, cwd });
    const given = { paths, overlays, env, cwd, registry };
    return await loadWorkspace({ ...given, purpose: 'check', choose: () => [] });
  } catch {
    return undefined;
  }
}

function plain(word: string): Candidate {
  return { word, about: '' };
}

function among(candidates: readonly Candidate[], typed: string): Completion {
  return { candidates: candidates.filter(({ word }) => word.startsWith(typed)), also: 'nothing' };
}

/** Completes many paths segment by segment, like files. */
function byPart(words: readonly string[], typed: string, separator: string): Completion {
  const matching = [...new Set(words)].filter((word) => word.startsWith(typed));
  if (matching.length <= shownAtMost) return { candidates: matching.map(plain), also: 'nothing' };
  const next = matching.map((word) => {
    const end = word.indexOf(separator, typed.length);
    return end < 0 ? word : word.slice(0, end + 1);
  });
  return { candidates: [...new Set(next)].map(plain), also: 'open' };
}

interface CursorPlace {
  readonly command: Command | undefined;
  readonly word: string;
  /** The flag whose value is completed; `lead` is the part of the word before that value. */
  readonly flagValue: { readonly flag: string; readonly lead: string } | undefined;
  /** Earlier words that are neither flags nor their values, without the command. */
  readonly arguments: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
}

const shellWord = /(?:[^\s"'\\]|\\.?|"(?:[^"\\]|\\.)*"?|'[^']*'?)+/gs;
const quotes = /\\(.?)|"((?:[^"\\]|\\.)*)"?|'([^']*)'?/gs;

/** Splits like a shell, for plain lines: spaces, quotes and backslashes. The last word is unfinished. */
export function splitLine(line: string): readonly string[] {
  const words = (line.match(shellWord) ?? []).map((written) =>
    written.replace(quotes, (_, escaped = '', double = '', single = '') => `${escaped}${double}${single}`),
  );
  return /^$|\s$/.test(line) ? [...words, ''] : words;
}

/** The last word is unfinished; the name of the program is not included. */
async function cursorPlace(words: readonly string[]): Promise<CursorPlace> {
  const last = words.at(-1) ?? '';
  const [first, ...rest] = words.slice(0, -1);
  const command = isCommandName(first) ? await loadCommand(first) : undefined;
  const flags = command === undefined ? {} : flagsOf(command);
  // The only error of the parser is a last flag without its value.
  const isOpen = parse(rest, flags).error !== null;
  const { _: others, '--': after = [], ...given } = parse(isOpen ? rest.slice(0, -1) : rest, flags).argv;
  const values = Object.keys(flags).flatMap((flag) => {
    const value: unknown = given[flagName(flag)];
    return value === undefined ? [] : [[flag, [value].flat().map(String)] as const];
  });
  const [, name = '', equals = ''] = /^(--[^=]+)(=)/.exec(last) ?? [];
  const written = isOpen ? (rest.at(-1) ?? '') : equals === '' ? '' : name;
  // Accepts `-f` and `--no-color`, too.
  const bare = written.replace(/^--?(?:no-)?/, '');
  const [flag] =
    Object.entries(flags).find(([one, { alias }]) => flagName(one) === bare || alias === bare) ?? [];
  const lead = isOpen ? '' : `${name}=`;
  const flagValue = flag === undefined ? undefined : { flag, lead };
  const earlier = [...others, ...after].map(String);
  return { command, word: last, flagValue, arguments: earlier, values: new Map(values) };
}
