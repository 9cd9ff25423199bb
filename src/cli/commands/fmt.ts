import { registry } from '../../kinds/index.ts';
import { patchText } from '../../report/results/acceptance.ts';
import { safeText } from '../../report/text/safe-text.ts';
import { formatFiles, formatOne } from '../../run/format/format-files.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import { Problems } from '../../yaml/problems.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, toggle } from '../line/flags.ts';
import { diagnosticsText } from '../show/notes.ts';

const flags = flagTable('Other flags', {
  check: toggle('Write nothing; exit with 3 when a file is not formatted'),
  diff: toggle('Show what changes in the files'),
});

type FmtInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  words: { name: 'paths', many: true },
  flags,
  run,
});

async function run(invocation: FmtInvocation): Promise<number> {
  const { words, flags, cwd, output, interrupt, folder } = invocation;
  if (words.includes('-')) {
    if (words.length > 1)
      throw userError(
        'usage',
        '- cannot be combined with paths',
        'format stdin and files one after the other',
      );
    return formatStdin(invocation);
  }
  const { check = false, diff = false } = flags;
  const paths = words.length === 0 ? ['.'] : words;
  const isInterrupted = () => interrupt.requested;
  const done = await formatFiles({ paths, cwd, registry, check, diff, folder, isInterrupted });
  for (const file of done.files) output.result(diff ? `${patchText(file)}\n` : `${safeText(file.name)}\n`);
  for (const name of done.skipped) output.note(`${safeText(name)}: skipped: no "octavo:" key`);
  showProblems(invocation, done.problems, done.sources);
  if (done.isInterrupted) return interrupt.wroteNothing();
  if (done.problems.length > 0) return 1;
  return check && done.files.length > 0 ? 3 : 0;
}

/** Writes the formatted text to stdout; with --check only the exit code matters. */
async function formatStdin(invocation: FmtInvocation): Promise<number> {
  const { flags, output, world } = invocation;
  const pieces: Buffer[] = [];
  for await (const piece of world.stdin) pieces.push(Buffer.from(piece as Buffer | string));
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(pieces));
  const problems = new Problems();
  const name = '<stdin>';
  const after = formatOne({ name, text: before, registry }, problems);
  if (after === undefined) {
    showProblems(invocation, problems.sorted(), new Map([[name, before]]));
    return 1;
  }
  if (flags.diff === true && after !== before) output.result(`${patchText({ name, before, after })}\n`);
  if (flags.check !== true && flags.diff !== true) output.result(after);
  return flags.check === true && after !== before ? 3 : 0;
}

function showProblems(
  { output }: FmtInvocation,
  problems: readonly Diagnostic[],
  sources: ReadonlyMap<string, string>,
): void {
  if (problems.length > 0) output.error(diagnosticsText(output, problems, sources));
}
