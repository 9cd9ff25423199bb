/** How the organizations of a repository are split over jobs, as text and in the forms that CI systems take. Pure. */
import { countOf } from '../util/count.ts';
import { stableStringify } from '../util/json.ts';
import { safeText } from './safe-text.ts';

/** One job. */
export interface MatrixShard {
  /** For example `2/16`, as --shard takes it. */
  readonly shard: string;
  /** Labels of its organizations. */
  readonly organizations: readonly string[];
  /** How many objects they declare. */
  readonly objects: number;
}

/** One line per shard; ends with a line break. */
export function matrixText(shards: readonly MatrixShard[]): string {
  const lines = shards.map(({ shard, organizations, objects }) => {
    const names = organizations.slice(0, 3).map(safeText).join(', ');
    const more = organizations.length > 3 ? ', …' : '';
    return `  ${shard}  ${countOf(organizations.length, 'organization')}, ${countOf(objects, 'object')}: ${names}${more}\n`;
  });
  const all = shards.flatMap(({ organizations }) => organizations);
  return `${countOf(all.length, 'organization')} in ${countOf(shards.length, 'shard')}:\n${lines.join('')}`;
}

/** Every shard with all its organizations; ends with a line break. */
export function matrixJson(shards: readonly MatrixShard[]): string {
  return `${stableStringify({ format: 1, shards }, 2)}\n`;
}

/** The value of `strategy.matrix` of a GitHub workflow, in one line, as step outputs take it. */
export function matrixGithub(shards: readonly MatrixShard[]): string {
  const include = shards.map(({ shard, organizations, objects }) => ({
    shard,
    organizations: organizations.length,
    objects,
  }));
  return `${stableStringify({ include })}\n`;
}

/** The value of `parallel: matrix` of a GitLab job, in one line: JSON is YAML. Octavo reads the variable by itself. */
export function matrixGitlab(shards: readonly MatrixShard[]): string {
  return `${stableStringify([{ OCTAVO_SHARD: shards.map(({ shard }) => shard) }])}\n`;
}
