/** Collects the problems of a workspace, so that all of them are reported together. */
import { countOf } from '../util/count.ts';
import { defined } from '../util/defined.ts';
import type { Diagnostic, SourceRange } from '../util/diagnostic.ts';
import type { DiagnosticCode } from '../util/diagnostic-codes.ts';
import { compareTexts } from '../util/lists.ts';
import { rememberedIn } from '../util/remembered.ts';

export interface ProblemDetails {
  readonly address?: string | undefined;
  readonly suggestion?: string | undefined;
  readonly related?: Diagnostic['related'];
}

export class Problems {
  readonly #found: Diagnostic[] = [];
  readonly #lost = new Set<string>();

  /** Each returns undefined, in place of the value that cannot be read. */
  readonly error = this.#adding('error');
  readonly warn = this.#adding('warning');
  readonly hint = this.#adding('hint');

  #adding(severity: Diagnostic['severity']) {
    return (
      code: DiagnosticCode,
      message: string,
      at: SourceRange | undefined,
      details: ProblemDetails = {},
    ): undefined => {
      this.#found.push({ severity, code, message, ...defined({ at, ...details }) });
    };
  }

  /** Marks objects of a kind (`*`: any) as possibly missing because of a problem: references to them are not checked. */
  lose(kind = '*'): void {
    this.#lost.add(kind);
  }

  hasLost(kind: string): boolean {
    return this.#lost.has('*') || this.#lost.has(kind);
  }

  hasErrors(): boolean {
    return this.#found.some(({ severity }) => severity === 'error');
  }

  get count(): number {
    return this.#found.length;
  }

  addAll(others: Problems, isWanted: (problem: Diagnostic) => boolean = () => true): void {
    for (const problem of others.#found) if (isWanted(problem)) this.#found.push(problem);
  }

  sorted(): readonly Diagnostic[] {
    const alike = new Map<string, { readonly problem: Diagnostic; count: number }>();
    for (const problem of new Map(this.#found.map((one) => [JSON.stringify(one), one])).values()) {
      rememberedIn(alike, cause(problem), () => ({ problem, count: 0 })).count += 1;
    }
    return [...alike.values()].map(withCount).sort(byPlace);
  }
}

/** Problems without a place come first. */
export function byPlace({ at: left }: Diagnostic, { at: right }: Diagnostic): number {
  return (
    compareTexts(left?.file ?? '', right?.file ?? '') ||
    (left?.line ?? 0) - (right?.line ?? 0) ||
    (left?.column ?? 0) - (right?.column ?? 0)
  );
}

/** A line of a template is the same problem in all of its uses. */
function cause(problem: Diagnostic): string {
  const { at, address, ...rest } = problem;
  if (at?.usedAt === undefined) return JSON.stringify(problem);
  const { usedAt: _use, ...line } = at;
  return JSON.stringify({ ...rest, at: line });
}

function withCount({ problem, count }: { readonly problem: Diagnostic; readonly count: number }): Diagnostic {
  if (count === 1) return problem;
  const more = `and in ${countOf(count - 1, 'more use')} of the template`;
  return { ...problem, related: [...(problem.related ?? []), { message: more }] };
}

export function startOf(file: string): SourceRange {
  return { file, line: 1, column: 1, endLine: 1, endColumn: 1 };
}
