/** Names a run: in the journal, in records, in locks and in logs. */
import type { Clock } from '../client/pacing.ts';

/** A name for a run that starts now, for example `r-mdlq2v9k-03fa`. Later runs have greater ones, up to the last part. */
export function newRunId({ now, random }: Pick<Clock, 'now' | 'random'>): string {
  const suffix = Math.floor(random() * 0x10000)
    .toString(16)
    .padStart(4, '0');
  return `r-${now().toString(36)}-${suffix}`;
}
