/** What may be written where the cursor is. Pure, but for what it asks its source about manifests, which it does once at most. */
import { type Command, commands, flagChoices } from '../command-table.ts';
import { commonFlags } from '../flag-groups.ts';
import { type Flags, flagName, flagSpecs } from '../flags.ts';
import { type CursorPlace, cursorPlace } from './line.ts';
import type { CompletedWords } from './shells.ts';

/** What can be written next, and what the shell is to do beside it. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** `files`: names of files as well. `open`: no space after a candidate, for more may follow. */
  readonly also: 'files' | 'open' | 'nothing';
}

/** One word, whole. */
interface Candidate {
  readonly word: string;
  /** A few words; empty for none. */
  readonly about: string;
}

/** Knows what is not in the tables. Never throws: a mistake in a manifest is no reason to complete nothing else. */
export interface CompletionSource {
  readonly addresses: (place: CursorPlace) => Promise<readonly string[]>;
  readonly overlays: (place: CursorPlace) => Promise<readonly string[]>;
  readonly topics: () => Promise<readonly string[]>;
  readonly operations: () => Promise<readonly string[]>;
  readonly kinds: () => Promise<readonly string[]>;
  /** The newest first. */
  readonly runs: () => Promise<readonly string[]>;
}

const nothing: Completion = { candidates: [], also: 'nothing' };

/** Candidates beyond this number are shortened to what comes next in their paths. */
const shownAtMost = 100;

/** What may follow the words, the last of which is unfinished; without the name of the program. */
export async function complete(words: readonly string[], source: CompletionSource): Promise<Completion> {
  const place = cursorPlace(words);
  const { command, word, flagValue } = place;
  if (words.length <= 1) return among(commandWords(), word);
  if (command === undefined)
    return words[0] === 'help' && words.length === 2 ? among(commandWords(), word) : nothing;
  if (flagValue !== undefined) return completeValue(command, place, source);
  if (word.startsWith('-')) return among(flagWords(command, place), word);
  const { argument, words: many } = command;
  const isFull = argument !== undefined && place.arguments.length > 0;
  if (isFull) return nothing;
  if (argument?.choices !== undefined && many === undefined) return among(argument.choices.map(bare), word);
  return completeWords((argument ?? many)?.completes, place, source);
}

function commandWords(): readonly Candidate[] {
  return [
    ...commands.map(({ name, summary }) => ({ word: name, about: summary })),
    { word: 'help', about: 'Show help' },
  ];
}

/** Flags that are not there yet, or may be there again. */
function flagWords(command: Command, { values, word }: CursorPlace): readonly Candidate[] {
  const open = [...command.flags, ...commonFlags].filter(
    (flag) => flagSpecs[flag].list === true || !values.has(flag),
  );
  const isNegative = word.startsWith('--no');
  return [
    ...open.flatMap((flag): readonly Candidate[] => {
      const { type, description, no } = flagSpecs[flag];
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
  // A format may go to a file.
  if (flag === 'format' && typed.includes('=')) return { candidates: [], also: 'files' };
  const choices = flagChoices(command, flag);
  if (choices !== undefined) return leading(among(choices.map(bare), typed));
  const { type, value = '' } = flagSpecs[flag];
  if (type === 'boolean') return nothing;
  return leading(await completeWords(completedBy(flag, value), { ...place, word: typed }, source));
}

/** What the value of a flag is, by what help calls it. */
function completedBy(flag: keyof Flags, value: string): CompletedWords | undefined {
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
    case 'topics': {
      const topics = [...(await source.topics()), ...(await source.addresses(place))];
      return byPart(topics, word, word.includes('/') ? '/' : '.');
    }
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

/** Many paths are completed part by part, as files are. */
function byPart(words: readonly string[], typed: string, separator: string): Completion {
  const matching = [...new Set(words)].filter((word) => word.startsWith(typed));
  if (matching.length <= shownAtMost) return { candidates: matching.map(bare), also: 'nothing' };
  const next = matching.map((word) => {
    const end = word.indexOf(separator, typed.length);
    return end < 0 ? word : word.slice(0, end + 1);
  });
  return { candidates: [...new Set(next)].map(bare), also: 'open' };
}
