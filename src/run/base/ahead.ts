/**
 * A base that is ahead of the manifests: it has commits that they lack. Planned against it, an old branch would undo what
 * others did since.
 *
 *   main     A ── B ── C   adds team "writers", and was applied
 *   branch   A ── D        knows nothing of it: against main, the plan would delete the team
 */

import type { Repository } from '../../manifest/git.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import type { DiagnosticError } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';

/** Two commits, and what they are called. */
export interface BaseAndHead {
  /** The base as it was named, for messages. */
  readonly name: string;
  readonly base: string;
  readonly head: string;
}

/** What a base has that HEAD lacks. */
export interface Ahead {
  readonly count: number;
  /** Commits that touch the manifests, newest first: a short id and a subject. */
  readonly touching: readonly string[];
  /** The newest commit that both have; undefined where they have no common history. */
  readonly mergeBase?: string;
}

/** Commits that are listed by name; more are counted. */
const listed = 5;

/** What the base has that HEAD lacks; undefined where HEAD contains the base. */
export async function aheadOf(
  { git, root }: Repository,
  { name, base, head }: BaseAndHead,
  paths: readonly string[],
): Promise<Ahead | undefined> {
  if (base === head || (await git.isAncestor(root, base, head))) return undefined;
  const range = `${head}..${base}`;
  const [count = '0'] = await git.lines(root, ['rev-list', '--count', range]);
  const touching = await git.lines(root, ['log', '--format=%h %s', range, '--', ...paths]);
  const found = await git.attempt(root, ['merge-base', head, base]);
  const mergeBase = String(found.stdout).trim() || undefined;
  const [isShallow] = await git.lines(root, ['rev-parse', '--is-shallow-repository']);
  if (mergeBase === undefined && isShallow === 'true') {
    throw userError(
      'base',
      `cannot tell whether HEAD contains ${name}: this is a shallow clone`,
      'fetch the history first: git fetch --unshallow (in GitHub Actions, fetch-depth: 0)',
    );
  }
  return { count: Number(count), touching, ...defined({ mergeBase }) };
}

/** The refusal of such a base, with the ways on. */
export function baseAhead(name: string, { count, touching }: Ahead): DiagnosticError {
  const rest = touching.length - listed;
  const commits = [...touching.slice(0, listed), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
  const which =
    touching.length === 0
      ? 'none of them touches the manifests'
      : `${touching.length} ${touching.length === 1 ? 'touches' : 'touch'} the manifests: ${commits}`;
  return userError(
    'base-ahead',
    `${name} has ${countOf(count, 'commit')} that HEAD lacks; ${which}`,
    [
      'merge or rebase first; or pass one of',
      '  --merge          with plan: plan what a merge of both gives',
      "  --merge-base     with plan: plan this branch's own change, against the common ancestor",
      '  --allow-behind   go back to what HEAD has, on purpose',
    ].join('\n'),
  );
}
