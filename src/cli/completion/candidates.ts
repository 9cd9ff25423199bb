/** Candidates for the word at the cursor. Pure, except that it asks its source about manifests, at most once. */
import { type Command, type CompletedWords, choicesOf, flagsOf } from '../line/command.ts';
import { type FlagSpec, flagName } from '../line/flags.ts';
import { commandNames, summaries } from '../line/names.ts';
import { type CursorPlace, cursorPlace } from './line.ts';

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** `files`: file names as well. `open`: no space after a candidate, since more may follow. */
  readonly also: 'files' | 'open' | 'nothing';
}

interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** Data that is not in the tables. Never throws: an error in a manifest must not prevent other completions. */
export interface CompletionSource {
  readonly addresses: (place: CursorPlace) => Promise<readonly string[]>;
  readonly overlays: (place: CursorPlace) => Promise<readonly string[]>;
  readonly topics: () => Promise<readonly string[]>;
  readonly operations: () => Promise<readonly string[]>;
  readonly kinds: () => Promise<readonly string[]>;
  /** Newest first. */
  readonly runs: () => Promise<readonly string[]>;
}

const nothing: Completion = { candidates: [], also: 'nothing' };

/** More candidates than this are shortened to the next part of their paths. */
const shownAtMost = 100;

/** The last word is unfinished; the name of the program is not included. */
export async function complete(words: readonly string[], source: CompletionSource): Promise<Completion> {
  const place = await cursorPlace(words);
  const { command, word, flagValue } = place;
  if (words.length <= 1) return among(commandWords(), word);
  if (command === undefined)
    return words[0] === 'help' && words.length === 2 ? among(commandWords(), word) : nothing;
  if (flagValue !== undefined) return completeValue(command, place, source);
  if (word.startsWith('-')) return among(flagWords(command, place), word);
  const { many, choices, completes } = command.words ?? {};
  if (many !== true && place.arguments.length > 0) return nothing;
  if (choices !== undefined) return among(choices.map(bare), word);
  return completeWords(completes, place, source);
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
    ...open.flatMap(([flag, { type, description, no }]): readonly Candidate[] => {
      const own = { word: `--${flagName(flag)}`, about: description };
      const canBeOff = no !== undefined || (type === 'boolean' && isNegative) || flag === 'color';
      return canBeOff ? [own, { word: `--no-${flagName(flag)}`, about: `Not: ${description}` }] : [own];
    }),
    { word: '--help', about: 'Show the help of the command' },
  ];
}

async function completeValue(
  command: Command,
  place: CursorPlace,
  source: CompletionSource,
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
  if (choices !== undefined) return leading(among(choices.map(bare), typed));
  return leading(await completeWords(completedBy(flag, spec), { ...place, word: typed }, source));
}

/** By the placeholder of the value in help. */
function completedBy(flag: string, { value }: FlagSpec): CompletedWords | undefined {
  if (value === 'glob' || value === 'address') return 'addresses';
  if (value === 'kind') return 'kinds';
  if (flag === 'overlay') return 'overlays';
  return value === 'path' ? 'files' : undefined;
}

async function completeWords(
  what: CompletedWords | undefined,
  place: CursorPlace,
  source: CompletionSource,
): Promise<Completion> {
  const { word } = place;
  switch (what) {
    case undefined:
      return nothing;
    case 'files':
      return { candidates: [], also: 'files' };
    case 'addresses':
      return byPart(await source.addresses(place), word, '/');
    case 'overlays':
      return { ...among((await source.overlays(place)).map(bare), word), also: 'files' };
    case 'topics':
      return byPart(await source.topics(), word, '.');
    case 'operations':
      return place.arguments.length > 0 ? nothing : byPart(await source.operations(), word, '.');
    case 'runs':
      return among((await source.runs()).map(bare), word);
    default:
      return place.arguments.length > 0 ? nothing : among((await source.kinds()).map(bare), word);
  }
}

function bare(word: string): Candidate {
  return { word, about: '' };
}

function among(candidates: readonly Candidate[], typed: string): Completion {
  return { candidates: candidates.filter(({ word }) => word.startsWith(typed)), also: 'nothing' };
}

/** Many paths are completed segment by segment, like files. */
function byPart(words: readonly string[], typed: string, separator: string): Completion {
  const matching = [...new Set(words)].filter((word) => word.startsWith(typed));
  if (matching.length <= shownAtMost) return { candidates: matching.map(bare), also: 'nothing' };
  const next = matching.map((word) => {
    const end = word.indexOf(separator, typed.length);
    return end < 0 ? word : word.slice(0, end + 1);
  });
  return { candidates: [...new Set(next)].map(bare), also: 'open' };
}
