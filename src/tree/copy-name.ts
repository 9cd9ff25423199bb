/** Text that a service adds before or after the original name: `(copy)`, `- Copy 2`, `Copy of`. */
const copyWord = /^[\s\-–—_.,:([#]*(?:copy|copie|kopie|duplicate)?(?:\s+(?:of|de|von))?[\s#]*\d*[\s)\]:]*$/i;

/** True for the original name and a copy's: `Guide (copy)`, possibly shortened. */
export function isCopyName(name: string, original: string): boolean {
  if (name === original) return true;
  if (original === '') return false;
  const at = name.indexOf(original);
  if (at >= 0) return copyWord.test(name.slice(0, at)) && copyWord.test(name.slice(at + original.length));
  // The name may have been cut to make room for the mark.
  const copied = /^(.*\S)\s*\((?:copy|copie|kopie|duplicate)[^)]*\)$/i.exec(name)?.[1];
  return copied !== undefined && copied.length >= 20 && original.startsWith(copied);
}
