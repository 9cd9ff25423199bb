import type { AccessReview } from '../../run/facts/access-review.ts';
import { countOf } from '../../util/count.ts';
import { line, type Report, strong, table } from '../blocks.ts';
import { csvText } from '../text/csv.ts';

export const accessReport: Report<AccessReview> = {
  document: ({ organizations, rows }) => {
    if (rows.length === 0) return [[line('No access.')]];
    const cells = rows.map(({ organization, person, role, on, level, from, until }) => [
      ...(organizations.length > 1 ? [organization] : []),
      strong(person),
      role,
      on,
      level,
      until === undefined ? from : `${from}, until ${until}`,
    ]);
    const people = new Set(rows.map(({ person }) => person)).size;
    const objects = new Set(rows.map(({ organization, on }) => `${organization}/${on}`)).size;
    const counted = `${people === 1 ? '1 person' : `${people} people`}, ${countOf(objects, 'object')}`;
    const [only, ...more] = rows;
    const declared = more.length === 0 ? (only?.declared ?? []) : [];
    const since = declared.map((one) => line(`Since when, and by whom: octavo history ${one}`));
    return [[table(cells, { indent: 0 })], [line(`${counted}.`), ...since]];
  },
  data: ({ rows }) => ({ format: 1, rows }),
};

const columns = ['organization', 'person', 'role', 'on', 'level', 'source', 'from', 'until'] as const;

export function accessCsv({ rows }: AccessReview): string {
  return csvText(columns, rows);
}
