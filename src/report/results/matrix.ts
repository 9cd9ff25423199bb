import { countOf } from '../../util/count.ts';
import { stableStringify } from '../../util/json.ts';
import { line, type Report, table } from '../blocks.ts';

export interface MatrixShard {
  /** Example: `2/16`, the format of --shard. */
  readonly shard: string;
  readonly organizations: readonly string[];
  readonly objects: number;
}

export const matrixReport: Pick<Report<readonly MatrixShard[]>, 'document'> = {
  document: (shards) => {
    const rows = shards.map(({ shard, organizations, objects }) => {
      const names = organizations.slice(0, 3).join(', ');
      const more = organizations.length > 3 ? ', …' : '';
      const counts = `${countOf(organizations.length, 'organization')}, ${countOf(objects, 'object')}`;
      return [shard, `${counts}: ${names}${more}`];
    });
    const all = shards.flatMap(({ organizations }) => organizations);
    const title = `${countOf(all.length, 'organization')} in ${countOf(shards.length, 'shard')}:`;
    return [[line(title), table(rows)]];
  },
};

/** The value of `strategy.matrix` in a GitHub workflow, in one line, as step outputs require. */
export function matrixGithub(shards: readonly MatrixShard[]): string {
  const include = shards.map((one) => ({ ...one, organizations: one.organizations.length }));
  return `${stableStringify({ include })}\n`;
}

/** The value of `parallel: matrix` in a GitLab job, in one line: JSON is YAML. Octavo reads the variable by itself. */
export function matrixGitlab(shards: readonly MatrixShard[]): string {
  return `${stableStringify([{ OCTAVO_SHARD: shards.map(({ shard }) => shard) }])}\n`;
}
