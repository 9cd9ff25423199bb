/** `octavo fmt`: lays out manifests the one way, in place; or the text on stdin. Asks no service. */
import { registry } from '../../kinds/index.ts';
import { Problems } from '../../manifest/problems.ts';
import { patchText } from '../../report/acceptance.ts';
import { renderDiagnostics } from '../../report/diagnostics.ts';
import { safeText } from '../../report/safe-text.ts';
import { formatFiles, formatOne } from '../../run/format/format-files.ts';
import type { Diagnostic } from '../../util/diagnostic.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../invocation.ts';

/** Exit code 0; 3 with --check when a file is not formatted; 1 when one cannot be formatted; 130 when interrupted. */
export async function run(invocation: Invocation): Promise<number> {
  const { words, flags, cwd, output, interrupt, world } = invocation;
  if (words.includes('-')) {
    if (words.length > 1)
      throw userError(
        'usage',
        '- cannot be combined with paths',
        'format stdin and files one after the other',
      );
    return formatStdin(invocation);
  }
  world.saveMemory?.();
  const { check = false, diff = false } = flags;
  const paths = words.length === 0 ? ['.'] : words;
  const isInterrupted = () => interrupt.requested;
  const done = await formatFiles({ paths, cwd, registry, check, isInterrupted });
  for (const file of done.files) output.result(diff ? `${patchText(file)}\n` : `${safeText(file.name)}\n`);
  for (const name of done.skipped) output.note(`${safeText(name)}: skipped: no "octavo:" key`);
  showProblems(invocation, done.problems, done.sources);
  if (done.isInterrupted) {
    output.error('Interrupted. Nothing was written.');
    return interrupt.exitCode;
  }
  if (done.problems.length > 0) return 1;
  return check && done.files.length > 0 ? 3 : 0;
}

/** The formatted text goes to stdout; with --check only the exit code says something. */
async function formatStdin(invocation: Invocation): Promise<number> {
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
  { output }: Invocation,
  problems: readonly Diagnostic[],
  sources: ReadonlyMap<string, string>,
): void {
  if (problems.length === 0) return;
  const { errorColor: color, errorWidth: width } = output;
  output.error(renderDiagnostics(problems, sources, { color, width }).trimEnd());
}
