/** One change in full, as a folded difference in Markdown. Pure. */
import type { FieldChange } from '../plan/plan.ts';
import { actionSigns } from './change-lines.ts';
import { cascadeText, valuesOf } from './change-texts.ts';
import { fenced, htmlCode } from './markdown-safe.ts';
import type { ObjectChange } from './object-changes.ts';
import { safeText } from './safe-text.ts';
import type { DiffLine, ShownChange } from './values.ts';

/** One object with all its fields, as a difference. */
export function changeDetails(change: ObjectChange, address: string): string {
  const { action, noun, title, reasons, place, detours } = change;
  const about = [title === undefined ? noun : `${noun} ${JSON.stringify(title)}`, ...reasons];
  const lines = [
    `# ${safeText(about.join(', '))}`,
    ...change.fields.flatMap((field) => fieldLines(change, field)),
    ...(place === undefined ? [] : [`! moved ${safeText(place)}`]),
    ...detours.map((detour) => `# ${safeText(detour)}`),
    ...(change.cascade.length === 0 ? [] : [`- also deletes ${safeText(cascadeText(change.cascade))}`]),
    ...change.risks.map((risk) => `! ${safeText(risk)}`),
  ];
  const summary = `<summary>${actionSigns[action]} ${htmlCode(address)}</summary>`;
  return [`<details>${summary}`, '', ...fenced(lines, 'diff'), '', '</details>', ''].join('\n');
}

function fieldLines({ action }: ObjectChange, field: FieldChange): readonly string[] {
  const name = safeText(field.field);
  const shown: ShownChange = valuesOf(action, field);
  const remark = field.forcesReplacement === true ? '  (forces replacement)' : '';
  const conflict = field.cause === 'conflict' ? '  (conflict)' : '';
  if (shown.type === 'lines') {
    return [`@@ ${name}${remark}${conflict} @@`, ...shown.lines.map(diffLine)];
  }
  const { before, after } = shown;
  if (before !== undefined) return [`- ${name}: ${before}`, `+ ${name}: ${after}${remark}${conflict}`];
  return [`${action === 'delete' ? '-' : '+'} ${name}: ${after}`];
}

function diffLine({ type, text }: DiffLine): string {
  const signs = { added: '+', removed: '-', changed: '!', same: ' ', gap: '#' };
  return `${signs[type]} ${text}`;
}
