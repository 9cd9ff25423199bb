/** Access that ends: entries of a tree with a last day. */
import * as z from 'zod';
import { once } from '../contract/once.ts';
import { countOf } from '../util/count.ts';
import { list, object } from '../util/data-schema.ts';
import { sourceRangeSchema } from '../util/diagnostic-schema.ts';
import { grouped } from '../util/group.ts';
import { remembered } from '../util/remembered.ts';

const text = z.string();

export const endingsSchema = once(() =>
  object({
    day: text.describe('The day (UTC) that the tree is for. Empty: nothing has ended'),
    entries: list(
      object({
        address: text,
        field: text.exactOptional().describe('`members`; absent if the object itself ends'),
        key: text.exactOptional().describe('Key of the entry that ends, with `field`'),
        until: text.describe('The last day (UTC): `2027-01-31`'),
        isOver: z.boolean().describe('True if the tree lacks the entry, because it ended'),
        at: sourceRangeSchema,
      }),
    ),
  }),
);

export type Endings = z.infer<ReturnType<typeof endingsSchema>>;
export type Ending = Endings['entries'][number];

/** A tree, of which only the endings are needed. */
interface EndingTree {
  readonly data: { readonly endings?: Endings };
}

const byAddress = remembered(({ entries }: Endings) => grouped(entries, ({ address }) => address));

/** Ending entries of an object, or the ending of the object itself. */
export function endingsOf({ data: { endings } }: EndingTree, address: string): readonly Ending[] {
  return (endings && byAddress(endings).get(address)) ?? [];
}

/** Example: `members.ada@acme.dev`; empty for an object. */
export function entryName({ field, key = '' }: Pick<Ending, 'field' | 'key'>): string {
  return field === undefined ? '' : `${field}.${key}`;
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

const oneDay = 24 * 3600 * 1000;
/** Unit: days. The end of an entry is reported this long before. */
const reportedFor = 14;

/** Entries that have ended or end soon, with a text: `members.ada@acme.dev ends on 2027-01-31, in 3 days`. */
export function endingSoon({ data: { endings } }: EndingTree) {
  const { day = '', entries = [] } = endings ?? {};
  return entries.flatMap((ending) => {
    const { until, isOver } = ending;
    const days = (Date.parse(until) - Date.parse(day)) / oneDay;
    if (day === '' || days > reportedFor) return [];
    const left = days === 0 ? 'today' : `in ${countOf(days, 'day')}`;
    const when = isOver ? `ended on ${until}` : `ends on ${until}, ${left}`;
    return [{ ...ending, text: `${entryName(ending)} ${when}`.trim() }];
  });
}
