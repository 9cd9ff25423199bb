import { joinRuns, type NamedRun } from '../../run/join-runs.ts';
import { parseFile } from '../../run/read-file.ts';
import { runDocumentSchema } from '../../run/run-schema.ts';
import { isRecord } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import { defineCommand, type Invocation } from '../line/command.ts';
import { chosenViews } from '../show/view-for.ts';
import { reportViews } from '../show/views.ts';

export const command = defineCommand({
  words: {
    name: 'words',
    description: 'merge, then the files that --format json=FILE wrote',
    many: true,
    completes: 'files',
  },
  flags: {},
  views: reportViews,
  exitCodes: [['1', 'an error, or a shard is missing or incomplete']],
  examples: [
    'octavo report merge reports/*.json',
    'octavo report merge --format json a.json b.json > all.json',
  ],
  guide: 'fleets',
  run,
});

async function run(invocation: Invocation): Promise<number> {
  const { words, cwd } = invocation;
  const [action, ...files] = words;
  if (action !== 'merge') {
    throw userError(
      'usage',
      action === undefined
        ? 'octavo report needs a word: merge'
        : `octavo report cannot ${JSON.stringify(action)}`,
      'write octavo report merge, then the files that --format json=FILE wrote',
    );
  }
  const report = joinRuns(files.map((file) => readRun(cwd, file)));
  (await chosenViews(invocation, reportViews)).all((view, options) => view(report, options));
  return report.outcome === 'complete' ? 0 : 1;
}

function readRun(cwd: string, file: string): NamedRun {
  const wrong = (why: string) =>
    userError(
      'report-merge',
      `${file} is not the JSON of a run: ${why}`,
      'pass files that --format json=FILE of plan, apply, undo or drift wrote',
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
