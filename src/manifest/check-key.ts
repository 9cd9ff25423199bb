/** Keys of objects: what every key must be, and what the kind of the object demands of it. */
import type { Kind } from '../kinds/kind.ts';
import { rootAddress } from '../tree/desired.ts';
import { describeIssue, withArticle } from './issue-text.ts';
import type { LocatedEntry } from './located.ts';
import type { Problems } from './problems.ts';
import { repaired } from './repair.ts';
import { metaOf } from './schema-part.ts';

/** False for a key that cannot be used, which is then among the problems. `address`: of the parent. */
export function isUsableKey(
  kind: Kind,
  { key, keyAt }: LocatedEntry,
  { address, problems }: { readonly address: string; readonly problems: Problems },
): boolean {
  if (key === rootAddress) {
    const message = `reserved key ${JSON.stringify(key)}: it is the address of the organization itself`;
    problems.error('key', message, keyAt, { address, suggestion: 'rename it' });
    return false;
  }
  if (key === '' || key.includes('/') || /\p{Cc}/u.test(key)) {
    const message = `invalid key ${JSON.stringify(key)}: a key is not empty and has no / or control characters`;
    problems.error('key', message, keyAt, {
      address,
      suggestion: key === '' ? 'write a name' : `for example ${key.replace(/[/\p{Cc}]+/gu, '-')}`,
    });
    return false;
  }
  const keySchema = kind.keySchema?.();
  const checked = keySchema?.safeParse(key);
  if (checked === undefined || checked.success) return true;
  for (const issue of checked.error.issues) {
    const { message } = describeIssue(`the key of ${withArticle(kind.noun)}`, issue, key);
    const near = keySchema === undefined ? undefined : repaired(keySchema, key);
    problems.error('key', message, keyAt, {
      address,
      suggestion: near === undefined ? metaOf(keySchema, 'help') : `did you mean ${near}?`,
    });
  }
  return false;
}
