/** All rules about manifests, one line each. Nothing else lists them. */

import type { LintRule } from './rule.ts';
import { duplicateLabel } from './rules/duplicate-label.ts';
import { unknownAttribute } from './rules/unknown-attribute.ts';
import { unreachable } from './rules/unreachable.ts';
import { unusedFile } from './rules/unused-file.ts';
import { widerAudience } from './rules/wider-audience.ts';

/** In no order that matters: findings are sorted by their places. */
export const lintRules: readonly LintRule[] = [
  duplicateLabel,
  unknownAttribute,
  unreachable,
  unusedFile,
  widerAudience,
];
