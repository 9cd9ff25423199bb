import { structuredPatch } from 'diff';
import type { FieldChange } from '../../plan/plan.ts';
import type { ReviewedPlan } from '../../review/reviewed-plan.ts';
import type { Acceptance, WrittenChange } from '../../run/write-back/acceptance.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { grouped } from '../../util/group.ts';
import { placeText } from '../../util/places.ts';
import { type Block, type Document, faint, heading, line, type Report, strong, table } from '../blocks.ts';
import { fieldInBrief } from '../plan/change-lines.ts';
import { safeText } from '../text/safe-text.ts';

/** The changes with their values and risks. A mapping is written entry by entry, but shown as one change. */
export function reported(acceptance: Pick<Acceptance, 'accepted' | 'refused' | 'reverting'>) {
  const { accepted, refused, reverting } = acceptance;
  const shown = grouped(withValues(accepted, reverting), ({ label, address, at, value, what, id }) =>
    JSON.stringify([label, address, at?.file, id, value ?? what]),
  );
  return {
    accepted: [...shown.values()].flatMap((alike) => alike.slice(0, 1)),
    refused: withValues(refused, reverting),
  };
}

function withValues<T extends WrittenChange>(changes: readonly T[], { organizations }: ReviewedPlan) {
  return changes.map((change) => {
    const plan = organizations.find(({ label }) => label === change.label);
    const steps = plan?.steps.filter(({ address }) => address === change.address) ?? [];
    const name = change.what.split('.')[0];
    const field = steps.flatMap(({ fields }) => fields).find((one) => one.field === name);
    const reverted = steps.flatMap((step) =>
      (plan?.review?.risks[step.id] ?? []).filter((risk) => risk.outside === true && risk.field === name),
    );
    const risks = [...reverted.map(({ text }) => text), ...(change.risks ?? [])];
    // In git so far, and live.
    const value = field && fieldInBrief('update', reversed(field));
    return { ...change, ...defined({ value, risks: risks.length === 0 ? undefined : risks }) };
  });
}

function reversed({ before, after, base: _base, cause: _cause, ...field }: FieldChange): FieldChange {
  return { ...field, ...defined({ before: after, after: before ?? null }) };
}

export const acceptanceReport: Report<Acceptance> = {
  document: (acceptance) => [
    ...changeSections(acceptance, acceptance.pins === 'only' ? 'Not pinned' : 'Not accepted'),
    [heading(closing(acceptance))],
  ],
  data: ({ dryRun, files, ...rest }) => {
    const { accepted, refused } = reported(rest);
    return {
      format: 1,
      dryRun,
      accepted,
      refused,
      files: files.map((file) => ({ name: file.name, diff: patchText(file) })),
      counts: { accepted: accepted.length, refused: refused.length, files: files.length },
    };
  },
};

/** Sections without the summary. `notDone`: heading of the refused differences. */
export function changeSections(acceptance: Acceptance, notDone: string): Document {
  const { dryRun, files, several } = acceptance;
  const { accepted, refused } = reported(acceptance);
  const addressOf = ({ label, address }: WrittenChange) => (several ? `${label}/${address}` : address);
  const written = [...new Set(accepted.map(({ at }) => at?.file ?? ''))]
    .sort()
    .map((file): readonly Block[] => {
      const own = accepted.filter(({ at }) => (at?.file ?? '') === file).sort(byLine);
      return [
        heading(file),
        table(
          own.map((one) => [
            [{ text: '✓', as: 'added' }, ` ${addressOf(one)}`],
            [
              one.value ?? one.what,
              ...(one.risks ?? []).map((text) => ({ text: `  ! ${text}`, as: 'risk' }) as const),
            ],
          ]),
        ),
      ];
    });
  const items = refused.map((one) => ({
    line: [{ text: '✗', as: 'removed' } as const, ` ${addressOf(one)}  ${one.what}`],
    below: [
      `${one.reason}${one.at === undefined ? '' : ` (${placeText(one.at)})`}`,
      ...(one.help === undefined ? [] : [`→ ${one.help}`]),
    ],
  }));
  return [
    ...(dryRun
      ? files.map((file): readonly Block[] => [{ type: 'code', language: 'diff', lines: patchLines(file) }])
      : []),
    ...written,
    items.length === 0 ? [] : [line(`${notDone}:`), { type: 'list', items }],
  ];
}

export function patchText(file: Acceptance['files'][number]): string {
  return patchLines(file)
    .map((one) => safeText(typeof one === 'string' ? one : one.text))
    .join('\n');
}

function patchLines({ name, before, after }: Acceptance['files'][number]) {
  const { hunks } = structuredPatch(name, name, before, after, undefined, undefined, { context: 3 });
  const body = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    faint(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...lines.map((text) => patchLine(text.replace(/\r$/, ''))),
  ]);
  return [strong(`--- ${name}`), strong(`+++ ${name}`), ...body];
}

function patchLine(text: string) {
  if (text.startsWith('+')) return { text, as: 'added' } as const;
  return text.startsWith('-') ? ({ text, as: 'removed' } as const) : text;
}

function byLine(left: WrittenChange, right: WrittenChange): number {
  return (left.at?.line ?? 0) - (right.at?.line ?? 0) || (left.at?.column ?? 0) - (right.at?.column ?? 0);
}

/** Example: `Accepted 2 differences and pinned 3 objects in 2 files; 1 difference not accepted.` */
function closing(acceptance: Acceptance): string {
  const { files, dryRun, pins } = acceptance;
  const { accepted, refused } = reported(acceptance);
  const [thing, done] = pins === 'only' ? ['object', 'pinned'] : ['difference', 'accepted'];
  const left = refused.length === 0 ? '' : `; ${countOf(refused.length, thing)} not ${done}`;
  if (accepted.length === 0) {
    if (refused.length > 0) return `Nothing ${done}${left}.`;
    return pins === 'only'
      ? 'Nothing to pin: every declared live object is pinned or matched by its key.'
      : 'Nothing to accept.';
  }
  const ids = accepted.filter(({ id }) => id !== undefined).length;
  const [accept, pin] = dryRun ? ['accept', 'pin'] : ['accepted', 'pinned'];
  const parts = [
    ...(accepted.length > ids ? [`${accept} ${countOf(accepted.length - ids, 'difference')}`] : []),
    ...(ids > 0 ? [`${pin} ${countOf(ids, 'object')}`] : []),
  ];
  const text = parts.join(' and ');
  const sentence = dryRun ? `Would ${text}` : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
  return `${sentence} in ${countOf(files.length, 'file')}${left}.`;
}
