/** Pieces of explanations that several topics share. Pure. */
import { type OperationId, operationOf } from '../../contract/index.ts';
import type { ExplainedFact } from '../../report/explanation.ts';

/** A fact with one text or several; undefined where there is nothing to say. */
export function fact(label: string, ...texts: readonly (string | undefined)[]): ExplainedFact | undefined {
  const said = texts.filter((text) => text !== undefined && text !== '').map((text) => plain(String(text)));
  return said.length === 0 ? undefined : { label, texts: said };
}

/** The facts of which something is known. */
export function facts(...all: readonly (ExplainedFact | undefined)[]): readonly ExplainedFact[] {
  return all.filter((one) => one !== undefined);
}

/** Markdown as terminals show it. */
export function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}

/** For example `sections.update: PATCH /v1/orgs/{organizationId}/…`. */
export function operationLine(id: OperationId): string {
  const { method, path } = operationOf(id);
  return `${id}: ${method} ${path}`;
}

/** The heading of a kind or of an entry, as links write it. */
export function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
