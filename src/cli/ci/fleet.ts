/** `octavo ci matrix` and `octavo ci join`: distribute the organizations of a fleet over CI jobs, and join the results of those jobs. */
import { registry } from '../../kinds/index.ts';
import { loadManifests } from '../../past/workspace.ts';
import { asText } from '../../report/blocks.ts';
import { joinedReport } from '../../report/results/joined-report.ts';
import { matrixGithub, matrixGitlab, matrixReport } from '../../report/results/matrix.ts';
import { asMarkdown } from '../../report/text/markdown-blocks.ts';
import { changedOrganizations } from '../../run/plan-run.ts';
import { parseFile } from '../../run/read-file.ts';
import { joinRuns, type NamedRun } from '../../run/results/join-runs.ts';
import { runDocumentSchema } from '../../run/results/run-schema.ts';
import { shardText, splitTrees } from '../../run/shard.ts';
import { isRecord } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import { openCommandSession } from '../service/session.ts';
import { textOptions } from '../show/view-for.ts';
import { appendForGithub } from '../world/ci-event.ts';
import { baseOf } from './base.ts';
import { type Pipeline, say } from './pipeline.ts';

const mostJobs = { github: 256, gitlab: 200, none: 1000 } as const;

export async function ciMatrix(pipeline: Pipeline): Promise<number> {
  const { invocation, settings, run } = pipeline;
  const { shards: of } = settings.ci;
  const forge = run?.forge ?? 'none';
  if (of === undefined)
    throw userError(
      'shard',
      'into how many shards?',
      'set shards under ci: in octavo.config.yaml, for example shards: 4',
    );
  if (of > mostJobs[forge])
    throw userError('shard', `${of} shards are too many: here a matrix has at most ${mostJobs[forge]} jobs`);
  const { trees, changed } = await foundTrees(pipeline);
  // A job without organizations is not worth starting.
  const count = Math.min(of, trees.length);
  const shards = splitTrees(trees, count)
    .map((part, at) => ({
      shard: shardText({ index: at + 1, of: count }),
      part: part.filter(({ label }) => changed?.has(label) !== false),
    }))
    .filter(({ part }) => part.length > 0)
    .map(({ shard, part }) => ({
      shard,
      organizations: part.map(({ label }) => label),
      objects: part.reduce((sum, { nodes }) => sum + nodes.size, 0),
    }));
  appendForGithub(invocation, 'GITHUB_OUTPUT', `matrix=${matrixGithub(shards)}`);
  if (forge === 'gitlab') invocation.output.result(matrixGitlab(shards));
  else invocation.output.report(asText(matrixReport)(shards, textOptions(invocation)));
  return 0;
}

/** `changed: true` selects the organizations that a request changes. */
async function foundTrees(pipeline: Pipeline) {
  const { invocation, settings, run } = pipeline;
  const { cwd, env, flags } = invocation;
  const { files, overlays } = settings;
  const request = run?.request;
  if (settings.ci.changed !== true || request === undefined)
    return {
      ...(await loadManifests({ cwd, env, files, overlays, registry, purpose: 'check' })),
      changed: undefined,
    };
  const { base = settings.base, text } = await baseOf(pipeline, request.target);
  say(pipeline, `only organizations that the request changes, base ${text}`);
  const ahead = base === 'none' ? {} : { ahead: 'merge' as const };
  const given = { ...invocation, flags: { ...flags, ...ahead } };
  const { session } = await openCommandSession(given, { ...settings, base });
  try {
    return { trees: session.workspace.trees, changed: changedOrganizations(session) };
  } finally {
    await session.service.close();
  }
}

/** `files`: the `apply.json` of each shard's job. */
export function ciJoin({ invocation }: Pipeline, files: readonly string[]): number {
  const { cwd } = invocation;
  const report = joinRuns(files.map((file) => readRun(cwd, file)));
  const options = textOptions(invocation);
  appendForGithub(invocation, 'GITHUB_STEP_SUMMARY', asMarkdown(joinedReport)(report, options) ?? '');
  invocation.output.report(asText(joinedReport)(report, options));
  return report.outcome === 'complete' ? 0 : 1;
}

function readRun(cwd: string, file: string): NamedRun {
  const wrong = (why: string) =>
    userError(
      'report-merge',
      `${file} is not the JSON of a run: ${why}`,
      'pass the files that octavo ci apply wrote: octavo-ci/*/apply.json of each job',
    );
  const value = parseFile(cwd, file, wrong);
  if (isRecord(value) && value.joined === true) throw wrong('it is joined already');
  const parsed = runDocumentSchema.safeParse(value);
  if (parsed.success) return { file, document: parsed.data };
  const [issue] = parsed.error.issues;
  throw wrong(
    issue === undefined ? 'it has another form' : `${issue.path.join('.') || 'it'}: ${issue.message}`,
  );
}
