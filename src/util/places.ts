/** Places as text. An object from a template has two: the line of the template, and the record or `use` that creates the object. */
import type { Diagnostic, SourceRange } from './diagnostic.ts';

/** Example: `site.yaml:5:3, used in list.yaml:12`. */
export function placeText(at: SourceRange): string {
  return `${at.file}:${at.line}:${at.column}${otherText(at)}`;
}

/** Example: `list.yaml:12, for site.yaml:5`. */
export function lineText(at: SourceRange): string {
  return `${at.file}:${at.line}${otherText(at)}`;
}

/** Begins with a comma; empty without another place. */
export function otherText({ usedAt, template }: SourceRange): string {
  if (template !== undefined) return `, for ${template.file}:${template.line}`;
  return usedAt === undefined ? '' : `, used in ${usedAt.file}:${usedAt.line}`;
}

/** Name of the template that made the object, or the outermost one. */
export function templateAt(at: SourceRange | undefined): string | undefined {
  return (at?.usedAt ?? at?.template)?.name;
}

export function placeAlone({ usedAt: _use, template: _template, ...place }: SourceRange): SourceRange {
  return place;
}

/** Adds the other place of an object from a template. */
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
