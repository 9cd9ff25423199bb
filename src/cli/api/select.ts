/** `--select`: a JMESPath expression. `items[].title` selects each title, `items[0].id` one id. Pure. */
import { compile } from '@jmespath-community/jmespath';
import { evaluate, flawOf } from '../../util/expression.ts';
import { isRecord } from '../../util/json.ts';
import { nearest } from '../../util/nearest.ts';
import { userError } from '../../util/user-error.ts';

export interface Selector {
  readonly text: string;
  readonly tree: unknown;
}

export interface Selection {
  /** The entries of a list, or the one value; null if there is none. */
  readonly values: readonly unknown[];
  /** A probable typo, as a sentence without final period. */
  readonly doubt: string | undefined;
}

/** Throws a DiagnosticError that names the column. */
export function parseSelector(text: string): Selector {
  const flaw = flawOf(text);
  if (flaw === undefined) return { text, tree: compile(text) };
  throw userError(
    'path',
    `--select is not a JMESPath expression: ${flaw.problem} at column ${flaw.column} of "${text}"`,
    text.startsWith('.')
      ? 'leave out the dot at the start, for example items[].title'
      : 'for example items[].title, items[0].id or "odd key"; see https://jmespath.site',
  );
}

/** Throws a DiagnosticError if a function does not fit the response. */
export function select(value: unknown, { text, tree }: Selector): Selection {
  const selected = selectFrom(value, text);
  const isNothing = selected === null || (Array.isArray(selected) && selected.length === 0);
  return {
    values: Array.isArray(selected) ? selected : [selected],
    doubt: isNothing ? doubtOf(value, tree) : undefined,
  };
}

function selectFrom(value: unknown, text: string): unknown {
  try {
    return evaluate(value, text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const name = /function: (\w+)|^Invalid type: (\w+)/.exec(message);
    const at = text.indexOf(`${name?.[1] ?? name?.[2] ?? ''}(`) + 1;
    const place = name === null || at === 0 ? '' : ` at column ${at} of "${text}"`;
    throw userError('path', `--select failed${place}: ${message.replace(/\.$/, '')}`);
  }
}

/** Names the first field of the expression that the response does not have anywhere, and the nearest one that it has. */
function doubtOf(value: unknown, tree: unknown): string | undefined {
  const keys = new Set([...keysIn(value), ...namesIn(tree, 'KeyValuePair')]);
  const unknown = namesIn(tree, 'Field').find((name) => !keys.has(name));
  if (unknown === undefined) return undefined;
  const meant = nearest(unknown, keys);
  return `nothing in the response has "${unknown}"${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

function keysIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (!isRecord(value)) return [];
  return [...Object.keys(value), ...Object.values(value).flatMap(keysIn)];
}

function namesIn(tree: unknown, type: string): readonly string[] {
  if (Array.isArray(tree)) return tree.flatMap((inner) => namesIn(inner, type));
  if (!isRecord(tree)) return [];
  const own = tree.type === type && typeof tree.name === 'string' ? [tree.name] : [];
  return [...own, ...Object.values(tree).flatMap((inner) => namesIn(inner, type))];
}
