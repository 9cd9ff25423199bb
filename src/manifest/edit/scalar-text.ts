/**
 * Scalars as text, in the style of what was there before: plain only where every reader of YAML sees the same text. Text is
 * taken as it is to be written, `${…}` included.
 */
import { parse } from 'yaml';
import type { SourceScalar } from './source.ts';

/** Where and how a scalar is written. */
export interface ScalarStyle {
  /** The style of the text that it replaces, or of its neighbours. */
  readonly like?: SourceScalar['style'] | undefined;
  /** True inside braces or brackets. */
  readonly inFlow?: boolean | undefined;
}

const schemas = ['core', 'yaml-1.1'] as const;

/** Characters that are only written as escapes: nobody sees them, or they change how text around them looks. */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFF]/;

/** A scalar on one line. */
export function scalarText(value: null | boolean | number | string, style: ScalarStyle = {}): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return JSON.stringify(value).replace(/^(-?\d+)e/, '$1.0e');
  return textScalar(value, style);
}

function textScalar(text: string, { like, inFlow }: ScalarStyle): string {
  const isHidden = hidden.test(text) || /\p{Surrogate}/u.test(text);
  if (like === 'single' && !isHidden) return `'${text.replaceAll("'", "''")}'`;
  if (like !== 'double' && !isHidden && isPlain(text, inFlow === true)) return text;
  return JSON.stringify(text).replace(
    /[\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** True for a text that needs no quotes, whoever reads it. */
export function isPlain(text: string, inFlow: boolean): boolean {
  if (text === '' || text.trim() !== text || /[\n\r\t]|: |:$| #|^[-?:,[\]{}#&*!|>'"%@`=<]/.test(text))
    return false;
  if (inFlow && /[,[\]{}]/.test(text)) return false;
  if (/^(?:~|---|\.\.\.|<<)|^\d[\d_:.-]*$/.test(text)) return false;
  return schemas.every((schema) => {
    try {
      return parse(text, { schema, logLevel: 'error' }) === text;
    } catch {
      return false;
    }
  });
}

/** A key as text, without its colon. */
export function keyText(key: string, style: ScalarStyle = {}): string {
  return textScalar(key, style);
}

/** The header and the lines of a literal block that means exactly a text; undefined where none does. */
export function literalBlock(
  text: string,
): { readonly header: string; readonly lines: readonly string[] } | undefined {
  const inner = text.replace(/\n+$/, '');
  const ended = text.length - inner.length;
  if (!text.includes('\n') || inner === '' || /^[ \t\n]|[ \t]$|[ \t]\n/.test(inner)) return undefined;
  if (hidden.test(inner.replaceAll('\n', '').replaceAll('\t', '')) || /\p{Surrogate}/u.test(inner))
    return undefined;
  if (ended > 1) return undefined;
  return { header: ended === 0 ? '|-' : '|', lines: inner.split('\n') };
}
