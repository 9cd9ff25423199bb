/**
 * Paths into JSON, as `octavo api` takes them: `.items[].title`, `.items[0].id`, `."odd key"`. Only selects, never
 * computes. Pure.
 */
import { isRecord } from '../../util/json.ts';
import { nearest } from '../../util/nearest.ts';
import { userError } from '../../util/user-error.ts';

/** One step of a path: a key, an index (from the end where it is negative), or each entry. */
export type PathStep =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'each' };

/** What a path selects. */
export interface Selection {
  readonly values: readonly unknown[];
  /** What was probably written wrong, as a sentence without final period; undefined where all is well. */
  readonly doubt?: string;
}

const plainKey = /^[^\s."'[\]=|(){},]+/;

/** Reads a path that begins with a dot or a bracket; `.` alone is the whole. Throws a DiagnosticError. */
export function parsePath(text: string): readonly PathStep[] {
  if (!/^[.[]/.test(text)) throw badPath(text, 0, 'a path begins with a dot');
  return text === '.' ? [] : stepsOf(text);
}

/** Reads the path of a field, for example `adaptiveContent.enabled`: keys alone, the first one without a dot. */
export function parseFieldPath(text: string): readonly string[] {
  return stepsOf(`.${text}`).map((step) => {
    if (step.type !== 'key')
      throw badPath(text, 0, 'a field is named by keys; lists are given by repeating it');
    return step.key;
  });
}

function stepsOf(text: string): readonly PathStep[] {
  const steps: PathStep[] = [];
  for (let at = 0; at < text.length; ) {
    const { step, length } = readStep(text, at);
    steps.push(step);
    at += length;
  }
  return steps;
}

function readStep(text: string, at: number): { readonly step: PathStep; readonly length: number } {
  const rest = text.slice(at);
  const bracket = /^\.?\[(-?\d{1,9})?\]/.exec(rest);
  if (bracket !== null) {
    const step: PathStep =
      bracket[1] === undefined ? { type: 'each' } : { type: 'index', index: Number(bracket[1]) };
    return { step, length: bracket[0].length };
  }
  const quoted = /^(?:\.("(?:[^"\\]|\\.)*")|\.?\[("(?:[^"\\]|\\.)*")\])/s.exec(rest);
  if (quoted !== null) {
    return {
      step: { type: 'key', key: unquote(text, at, quoted[1] ?? quoted[2] ?? '') },
      length: quoted[0].length,
    };
  }
  const plain = rest.startsWith('.') ? plainKey.exec(rest.slice(1)) : null;
  if (plain !== null) return { step: { type: 'key', key: plain[0] }, length: plain[0].length + 1 };
  throw badPath(text, at, 'a key, ."odd key", [0] or [] is expected');
}

function unquote(text: string, at: number, quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw badPath(text, at, 'the text in quotes is not as JSON writes it');
  }
}

function badPath(text: string, at: number, reason: string): Error {
  const place = at === 0 ? '' : ` after ${JSON.stringify(text.slice(0, at))}`;
  return userError(
    'path',
    `the path ${JSON.stringify(text)} cannot be read${place}: ${reason}`,
    'for example .items[].title, .items[0].id or ."odd key"',
  );
}

/** The values at a path, in order. A key that is absent gives null, as an index past the end does. */
export function select(value: unknown, path: readonly PathStep[]): Selection {
  let values: readonly unknown[] = [value];
  let doubt: string | undefined;
  for (const [at, step] of path.entries()) {
    doubt ??= doubtOf(values, step);
    const before = pathText(path.slice(0, at));
    values = values.flatMap((one) => stepInto(one, step, before));
  }
  return { values, ...(doubt === undefined ? {} : { doubt }) };
}

function stepInto(value: unknown, step: PathStep, before: string): readonly unknown[] {
  if (step.type === 'key') {
    if (isRecord(value)) return [Object.hasOwn(value, step.key) ? value[step.key] : null];
    if (value === null) return [null];
    throw userError(
      'path',
      `${before} is ${formOf(value)} and has no keys, so ${pathText([step])} selects nothing`,
      Array.isArray(value)
        ? `for each entry: ${before === '.' ? '' : before}[]${pathText([step])}`
        : undefined,
    );
  }
  if (step.type === 'each') {
    if (isRecord(value)) return Object.values(value);
    if (Array.isArray(value)) return value;
    if (value === null) return [];
  } else {
    if (Array.isArray(value)) return [value.at(step.index) ?? null];
    if (value === null) return [null];
  }
  throw userError('path', `${before} is ${formOf(value)}, not a list`);
}

/** Says so where no object has the key, with what may be meant. */
function doubtOf(values: readonly unknown[], step: PathStep): string | undefined {
  if (step.type !== 'key') return undefined;
  const records = values.filter(isRecord);
  if (records.length === 0 || records.some((record) => Object.hasOwn(record, step.key))) return undefined;
  const meant = nearest(step.key, new Set(records.flatMap((record) => Object.keys(record))));
  return `nothing has ${pathText([step])}${meant === undefined ? '' : `; did you mean ${pathText([{ type: 'key', key: meant }])}?`}`;
}

function formOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isRecord(value) ? 'an object' : `a ${typeof value}`;
}

function pathText(path: readonly PathStep[]): string {
  if (path.length === 0) return '.';
  return path
    .map((step) => {
      if (step.type === 'each') return '[]';
      if (step.type === 'index') return `[${step.index}]`;
      return plainKey.exec(step.key)?.[0] === step.key ? `.${step.key}` : `.${JSON.stringify(step.key)}`;
    })
    .join('');
}
