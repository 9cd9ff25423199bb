/**
 * All codes of diagnostics; the compiler accepts no other. `docs/reference/diagnostics.md` is generated from this
 * table.
 */

import { commandCodes } from './codes/commands.ts';
import { connectingCodes } from './codes/connecting.ts';
import { lintCodes } from './codes/lint.ts';
import { authoringCodes, editingCodes, manifestCodes } from './codes/manifests.ts';
import { planningCodes } from './codes/planning.ts';

export const diagnosticCodes = {
  Manifests: manifestCodes,
  Lint: lintCodes,
  Planning: planningCodes,
  Connecting: connectingCodes,
  Commands: commandCodes,
  Authoring: authoringCodes,
  Editing: editingCodes,
} as const;

export type DiagnosticCode =
  | keyof typeof manifestCodes
  | keyof typeof lintCodes
  | keyof typeof planningCodes
  | keyof typeof connectingCodes
  | keyof typeof commandCodes
  | keyof typeof authoringCodes
  | keyof typeof editingCodes;

/** Example: `limits` for the code `refused-limits`. */
export type GuardName = DiagnosticCode extends infer Code
  ? Code extends `refused-${infer Name}`
    ? Name
    : never
  : never;
