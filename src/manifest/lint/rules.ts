import type { LintRule } from './rule.ts';
import { duplicateLabel } from './rules/duplicate-label.ts';
import { redirectProblems } from './rules/redirects.ts';
import { swallowedText } from './rules/swallowed-text.ts';
import { unknownAttribute } from './rules/unknown-attribute.ts';
import { unreachable } from './rules/unreachable.ts';
import { unusedFile } from './rules/unused-file.ts';
import { widerAudience } from './rules/wider-audience.ts';

/** The order does not matter: findings are sorted by place. */
export const lintRules: readonly LintRule[] = [
  duplicateLabel,
  redirectProblems,
  swallowedText,
  unknownAttribute,
  unreachable,
  unusedFile,
  widerAudience,
];
