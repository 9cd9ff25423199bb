/** What a command line requests, and how the values that a parser found become flags. */
import type { Command } from './command-table.ts';
import { commonFlags } from './flag-groups.ts';
import { type Flags, flagName, flagSpecs } from './flags.ts';
import { UsageError } from './usage-error.ts';

/** A command to run, with what it was called with. */
export interface CommandLine {
  readonly command: Command;
  readonly flags: Flags;
  readonly argument: string | undefined;
  readonly words: readonly string[];
}

/** The flags of a command, from values by the names that flags have on the command line. Throws a UsageError. */
export function flagsOf(command: Command, given: Readonly<Record<string, unknown>>): Flags {
  const entries = flagNamesOf(command).flatMap((name): [string, unknown][] => {
    const { type, list } = flagSpecs[name];
    const value = given[flagName(name)];
    if (value === undefined) return [];
    if (list !== true && Array.isArray(value))
      throw new UsageError(`--${flagName(name)} is set more than once`);
    if (type !== 'boolean' && [value].flat().includes(false)) return [[name, negated(command, name)]];
    if (type !== 'number') return [[name, value]];
    if (!/^\d{1,9}$/.test(String(value)))
      throw new UsageError(
        `--${flagName(name)} must be a whole number, is ${JSON.stringify(value)}\n  help: see octavo ${command.name} --help`,
      );
    return [[name, Number(value)]];
  });
  return Object.fromEntries(entries);
}

/** All flags that a command takes. */
export function flagNamesOf({ flags }: Command): readonly (keyof Flags)[] {
  return [...flags, ...commonFlags];
}

/** What `--no-<flag>` stands for. */
function negated(command: Command, name: keyof Flags): string {
  const { no } = flagSpecs[name];
  if (no !== undefined) return no;
  throw new UsageError(`unknown flag --no-${flagName(name)}\n  help: see octavo ${command.name} --help`);
}
