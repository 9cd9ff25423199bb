import type { WorkFolder } from '../../manifest/files/work-folder.ts';
import type { LastEvents, RunEvent } from '../../run/results/run-event.ts';
import type { Views } from '../show/views.ts';
import type { Interrupt } from '../world/interrupt.ts';
import type { Output } from '../world/output.ts';
import type { World } from '../world/world.ts';
import {
  commonFlags,
  type FlagSpec,
  type FlagTable,
  formatFlag,
  type InferFlags,
  type SharedFlags,
} from './flags.ts';
import type { CommandName } from './names.ts';

export type CompletedWords = 'files' | 'addresses' | 'overlays' | 'topics' | 'operations' | 'runs';

export interface CommandWords {
  readonly name: string;
  readonly many?: true;
  /** Free text if absent. */
  readonly choices?: readonly string[];
  readonly completes?: CompletedWords;
}

/** A command without its name and summary, which help lists without loading the command, and without the rest of its help. */
interface CommandDefinition<T extends FlagTable> {
  readonly words?: CommandWords;
  readonly flags: T;
  /** Formats of the result by name, the default first. Adds `--format`. */
  readonly views?: Views<unknown>;
  /** It makes one plan, and its JSON is that of the run. */
  readonly makesPlan?: true;
  run(invocation: InvocationWith<NoInfer<T>>): Promise<number>;
}

export type Command = Omit<CommandDefinition<FlagTable>, 'run'> & {
  run(invocation: Invocation): Promise<number>;
};

/** Gives `run` the types of its flags. */
export function defineCommand<const T extends FlagTable>(definition: CommandDefinition<T>) {
  return definition;
}

export function flagsOf({ flags, views }: Pick<Command, 'flags' | 'views'>): FlagTable {
  return { ...flags, ...(views && formatFlag), ...commonFlags };
}

export function choicesOf({ views }: Pick<Command, 'views'>, name: string, spec: FlagSpec) {
  return name === 'format' && views !== undefined ? Object.keys(views) : spec.choices;
}

export interface Invocation<F = SharedFlags> {
  readonly commandName: string;
  readonly flags: F;
  /** As a person would write them. */
  readonly args: readonly string[];
  /** Words after the command that are neither flags nor their values. */
  readonly words: readonly string[];
  readonly env: World['env'];
  readonly cwd: string;
  readonly world: World;
  readonly folder: WorkFolder;
  readonly runId: string;
  /** Its JSON is written when the run ends. */
  readonly writesJson: boolean;
  readonly output: Output;
  readonly interrupt: Interrupt;
  readonly observe: (event: RunEvent) => void;
  /** Runs another command, or this in place of its `run`; it shows its own failure. */
  readonly runOther: (
    other: Pick<Invocation, 'args' | 'flags' | 'words'> & {
      readonly name: CommandName;
      readonly run?: Command['run'] | undefined;
    },
  ) => Promise<CommandRan>;
}

export interface CommandRan extends Pick<Output, 'texts'> {
  readonly exitCode: number;
  readonly last: LastEvents;
}

export type InvocationWith<T extends FlagTable> = Invocation<
  InferFlags<T> & InferFlags<typeof commonFlags & typeof formatFlag>
>;

/** The message may include a line with help. */
export class UsageError extends Error {}
