/** Turns every failure into one message on stderr and an exit code. Shows a stack trace only with --verbose. */

import path from 'node:path';
import { clean } from '../../client/service-message.ts';
import { ApiError } from '../../contract/api.ts';
import { type Failure, failureMarkdown } from '../../report/diagnostics/markdown.ts';
import { annotationLines, annotationOf } from '../../report/text/github.ts';
import { byteLength, mostBytes } from '../../report/text/markdown.ts';
import { apiErrorDiagnostic } from '../../run/reads/api-error.ts';
import type { RunEnd } from '../../run/results/run-event.ts';
import { defined } from '../../util/defined.ts';
import { type Diagnostic, DiagnosticError } from '../../util/diagnostic.ts';
import { stableStringify } from '../../util/json.ts';
import { systemReason } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';
import type { Output } from '../world/output.ts';
import { formatsIn } from './formats.ts';
import { diagnosticsText } from './notes.ts';
import { pathInRepository } from './report-context.ts';
import { textOptions } from './view-for.ts';

export function explain(output: Output, error: unknown, invocation?: Invocation): RunEnd {
  const interrupted = invocation?.interrupt.requested === true;
  if (interrupted && (!(error instanceof Error) || isInterruption(error))) {
    output.error('Interrupted.');
    return { exitCode: invocation.interrupt.exitCode, interrupted, diagnostics: [] };
  }
  const diagnostics = diagnosticsOf(error)?.map((one) => withPath(one, invocation));
  if (diagnostics === undefined) {
    const message = clean(error instanceof Error ? error.message : String(error));
    const bug = { severity: 'error', code: 'bug', message } as const;
    if (invocation !== undefined) showAsMarkdown(invocation, [bug]);
    output.error(
      `error[bug]: this is a bug in octavo: ${bug.message}\n  help: run with --verbose for a stack trace, and report it`,
    );
    if (invocation?.flags.verbose === true && error instanceof Error) output.error(error.stack ?? '');
    return { exitCode: 1, interrupted, diagnostics: [bug] };
  }
  if (invocation !== undefined) {
    showAsDocument(invocation, diagnostics);
    showAsMarkdown(invocation, diagnostics);
  }
  const sources = error instanceof DiagnosticError ? error.sources : new Map<string, string>();
  output.error(diagnosticsText(output, diagnostics, sources));
  return { exitCode: 1, interrupted, diagnostics };
}

function showAsDocument(invocation: Invocation, diagnostics: readonly Diagnostic[]): void {
  const { flags, output, env, cwd } = invocation;
  const format = formatsIn(flags).stdout;
  if (format === 'json' && !invocation.writesJson)
    output.result(`${stableStringify({ format: 1, diagnostics }, 2)}\n`);
  if (format === 'ndjson') output.result(`${stableStringify({ type: 'failure', diagnostics })}\n`);
  if (format !== 'github') return;
  const pathOf = (file: string) => pathInRepository(file, { env, cwd });
  output.result(annotationLines(diagnostics.map(annotationOf), { stop: '', pathOf }));
}

/** Pull request comments are made from this file, so it must explain a missing result. An existing result follows the failure. */
function showAsMarkdown(invocation: Invocation, diagnostics: Failure['diagnostics']): void {
  const { commandName, output, cwd, folder } = invocation;
  const { stdout, files } = formatsIn(invocation.flags);
  const failure = {
    command: `octavo ${commandName}`,
    ...defined({ overlays: invocation.flags.overlay }),
    diagnostics,
  };
  const text = () => failureMarkdown(failure, textOptions(invocation));
  if (stdout === 'markdown') output.report(text());
  for (const { format, file } of files) {
    if (format !== 'markdown') continue;
    try {
      const both = `${text()}\n${output.texts.get(file) ?? ''}`;
      const shown = byteLength(both) > mostBytes ? text() : both.trimEnd().concat('\n');
      folder.put(path.resolve(cwd, file), shown);
      output.texts.set(file, shown);
    } catch {
      // The error on stderr is the one to show.
    }
  }
}

/** Empty for a bug in Octavo. */
export function problemsOf(error: unknown): readonly Diagnostic[] {
  return diagnosticsOf(error) ?? [];
}

function isInterruption(error: Error): boolean {
  return (error instanceof ApiError && error.type === 'cancelled') || error.name === 'AbortError';
}

function diagnosticsOf(error: unknown): readonly Diagnostic[] | undefined {
  if (error instanceof DiagnosticError) return error.diagnostics;
  if (error instanceof ApiError) return [apiErrorDiagnostic(error)];
  const reason = systemReason(error);
  if (reason === undefined) return undefined;
  const { path } = error as { path?: unknown };
  const message = typeof path === 'string' ? `${path}: ${reason}` : reason;
  return [{ severity: 'error', code: 'system', message }];
}

/** A base URL whose path the service does not have also makes organizations "not found". */
function withPath(diagnostic: Diagnostic, invocation: Invocation | undefined): Diagnostic {
  const url = invocation?.flags.baseUrl ?? invocation?.env.OCTAVO_BASE_URL ?? '';
  const path =
    /^https?:/i.test(url) && URL.canParse(url) ? new URL(url).pathname.replace(/\/(?:v1\/?)?$/, '') : '';
  if (diagnostic.code !== 'organization-not-found' || path === '') return diagnostic;
  const hint = `check the base URL too: its path ${path} may be wrong; pass the address before /v1`;
  return { ...diagnostic, suggestion: [diagnostic.suggestion, hint].filter(Boolean).join('\n') };
}
