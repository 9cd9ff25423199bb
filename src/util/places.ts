/** Places as text. What a template made has two: the line of the template, and the record or `use` that it is made for. */
import type { Diagnostic, SourceRange } from './diagnostic.ts';

/** For example `site.yaml:5:3, used in list.yaml:12`. */
export function placeText(at: SourceRange): string {
  return `${at.file}:${at.line}:${at.column}${otherText(at)}`;
}

/** For example `list.yaml:12, for site.yaml:5`. */
export function lineText(at: SourceRange): string {
  return `${at.file}:${at.line}${otherText(at)}`;
}

/** Begins with a comma; empty without another place. */
export function otherText({ usedAt, template }: SourceRange): string {
  if (template !== undefined) return `, for ${template.file}:${template.line}`;
  return usedAt === undefined ? '' : `, used in ${usedAt.file}:${usedAt.line}`;
}

export function placeAlone({ usedAt: _use, template: _template, ...place }: SourceRange): SourceRange {
  return place;
}

/** With the other place of what a template made. */
export function relatedOf({
  at,
  related = [],
}: Pick<Diagnostic, 'at' | 'related'>): NonNullable<Diagnostic['related']> {
  const { usedAt, template } = at ?? {};
  return [
    ...(template === undefined ? [] : [{ message: 'for this line of the template', at: template }]),
    ...(usedAt === undefined || template !== undefined ? [] : [{ message: 'used here', at: usedAt }]),
    ...related,
  ];
}
