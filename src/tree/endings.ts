/** Access that ends: entries of a tree with a last day. */
import * as z from 'zod';
import { once } from '../contract/once.ts';
import { countOf } from '../util/count.ts';
import { list, object } from '../util/data-schema.ts';
import { sourceRangeSchema } from '../util/diagnostic-schema.ts';

const text = z.string();

const endingSchema = once(() =>
  object({
    address: text,
    field: text.exactOptional().describe('`members`; absent if the object itself ends'),
    key: text.exactOptional().describe('Key of the entry that ends, with `field`'),
    until: text.describe('The last day (UTC): `2027-01-31`'),
    at: sourceRangeSchema,
  }),
);

export const endingsSchema = once(() =>
  object({
    day: text.describe(
      'The day (UTC) that the tree is for: it lacks what ended before. Empty if it has everything',
    ),
    entries: list(endingSchema()),
  }),
);

export type Endings = z.infer<ReturnType<typeof endingsSchema>>;
export type Ending = Endings['entries'][number];

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Example: `members.ada@acme.dev`; empty for an object. */
export function entryName({ field, key = '' }: Pick<Ending, 'field' | 'key'>): string {
  return field === undefined ? '' : `${field}.${key}`;
}

/** True if the last day was before the day of the tree. */
export function hasEnded({ day }: Pick<Endings, 'day'>, { until }: Ending): boolean {
  return until < day;
}

/** The last day of an object. */
export function lastDayOf(
  endings: Endings,
  address: string,
): { readonly until: string; readonly isOver: boolean } | undefined {
  const own = endings.entries.find((one) => one.field === undefined && one.address === address);
  return own && { until: own.until, isOver: hasEnded(endings, own) };
}

const oneDay = 24 * 3600 * 1000;
/** Unit: days. The end of an entry is reported this long before. */
const reportedFor = 14;

/** Entries that have ended or end soon, with a text: `members.ada@acme.dev ends on 2027-01-31, in 3 days`. */
export function endingSoon(
  endings: Endings | undefined,
): readonly { readonly ending: Ending; readonly text: string }[] {
  if (endings === undefined || endings.day === '') return [];
  return endings.entries.flatMap((ending) => {
    const { until } = ending;
    const days = (Date.parse(until) - Date.parse(endings.day)) / oneDay;
    if (days > reportedFor) return [];
    const left = days === 0 ? 'today' : `in ${countOf(days, 'day')}`;
    const when = days < 0 ? `ended on ${until}` : `ends on ${until}, ${left}`;
    return [{ ending, text: `${entryName(ending)} ${when}`.trim() }];
  });
}
