/**
 * All codes of diagnostics. The compiler allows no other; `docs/reference/diagnostics.md` is made from this table. A new
 * code is one entry in the part that fits.
 */
import { authoringCodes } from './codes/authoring.ts';
import { commandCodes } from './codes/commands.ts';
import { connectingCodes } from './codes/connecting.ts';
import { editingCodes } from './codes/editing.ts';
import { lintCodes } from './codes/lint.ts';
import { manifestCodes } from './codes/manifests.ts';
import { planningCodes } from './codes/planning.ts';

/** Meaning, example and way out of every code, by part of the program. */
export const diagnosticCodes = {
  Manifests: manifestCodes,
  Lint: lintCodes,
  Planning: planningCodes,
  Connecting: connectingCodes,
  Commands: commandCodes,
  Authoring: authoringCodes,
  Editing: editingCodes,
} as const;

/** The code of a diagnostic. */
export type DiagnosticCode =
  | keyof typeof manifestCodes
  | keyof typeof lintCodes
  | keyof typeof planningCodes
  | keyof typeof connectingCodes
  | keyof typeof commandCodes
  | keyof typeof authoringCodes
  | keyof typeof editingCodes;

/** The name of a guard, as its refusals carry it: `limits` for the code `refused-limits`. */
export type GuardName = DiagnosticCode extends infer Code
  ? Code extends `refused-${infer Name}`
    ? Name
    : never
  : never;
