/** Text that a service adds before or after the original name: `(copy)`, `- Copy 2`, `Copy of`. */
const mark = /^[\s\-–—_.,:([#]*(?:copy|copie|kopie|duplicate)?(?:\s+(?:of|de|von))?[\s#]*\d*[\s)\]:]*$/i;

/** True for the original name and a copy's: `Guide (copy)`, possibly shortened. */
export function isCopyName(name: string, original: string): boolean {
  if (name === original) return true;
  if (original === '') return false;
  const at = name.indexOf(original);
  if (at >= 0) return mark.test(name.slice(0, at)) && mark.test(name.slice(at + original.length));
  // The name may have been cut to make room for the mark.
  const marked = /^(.*\S)\s*\((?:copy|copie|kopie|duplicate)[^)]*\)$/i.exec(name)?.[1];
  return marked !== undefined && marked.length >= 20 && original.startsWith(marked);
}
