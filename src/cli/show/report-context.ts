/** The commit and the page of a run, from the variables of CI systems. */
import path from 'node:path';
import type { ReportContext } from '../../report/view.ts';
import { defined } from '../../util/defined.ts';
import { ciRunUrl, headCommitOf } from '../world/ci-event.ts';
import type { World } from '../world/world.ts';

/** Empty outside of CI; `now`: milliseconds since 1970. */
export function reportContext(env: World['env'], now: number): ReportContext {
  // Without characters that need escaping.
  const run = ciRunUrl(env)?.replace(/[()'&<>"]/g, encodeURIComponent);
  const head = headCommitOf(env);
  if (run === undefined && head === undefined) return {};
  const time = `${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return { time, ...defined({ run, head }) };
}

/** Path from the root of the repository with slashes, as GitHub uses it; unchanged outside of a repository. */
export function pathInRepository(
  file: string,
  { env, cwd }: { readonly env: World['env']; readonly cwd: string },
): string {
  const root = env.GITHUB_WORKSPACE;
  if (root === undefined || root === '') return file;
  const inside = path.relative(root, path.resolve(cwd, file));
  return inside.startsWith('..') || path.isAbsolute(inside) ? file : inside.split(path.sep).join('/');
}
