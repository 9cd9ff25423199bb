/**
 * Scalars as text, in the style of what was there before: plain only where every reader of YAML sees the same text. Text is
 * taken as it is to be written, `${…}` included.
 */
import { isPlain, numberText, quoted } from '../emit/scalar-text.ts';
import type { SourceScalar } from './source.ts';

/** Where and how a scalar is written. */
export interface ScalarStyle {
  /** The style of the text that it replaces, or of its neighbours. */
  readonly like?: SourceScalar['style'] | undefined;
  /** True inside braces or brackets. */
  readonly inFlow?: boolean | undefined;
}

/** A scalar on one line. */
export function scalarText(value: null | boolean | number | string, style: ScalarStyle = {}): string {
  if (typeof value === 'number') return numberText(value);
  return typeof value === 'string' ? textScalar(value, style) : String(value);
}

/** A key, without its colon. */
export function keyText(key: string, style: ScalarStyle = {}): string {
  return textScalar(key, style);
}

function textScalar(text: string, { like, inFlow }: ScalarStyle): string {
  if (like !== 'single' && like !== 'double' && isPlain(text, inFlow === true ? 'flow' : 'block'))
    return text;
  const json = quoted(text);
  const hasEscapes = /\\[^"\\]/.test(json.replaceAll('\\\\', ''));
  return like === 'single' && !hasEscapes ? `'${text.replaceAll("'", "''")}'` : json;
}
