/**
 * Text from `${secret:NAME}`. Comparisons and requests use its value; anything else (JSON, strings, inspection) shows
 * only the template as written.
 */

import { mapInside } from './json.ts';

const hidden = new WeakMap<Secret, Filled>();

/** A template with its secrets filled in, and the secrets by themselves. */
export interface Filled {
  readonly text: string;
  readonly secrets: readonly string[];
}

export interface KnownSecret {
  readonly text: string;
  /** Number of characters before the first secret; undefined if the whole text is secret. */
  readonly before?: number;
}

/** All live secrets of this process, so that external texts never show them. */
const known = new Set<WeakRef<Secret>>();

/** Stands in for a template whose secrets are unavailable. */
export const unfilled: Filled = { text: '', secrets: [] };

/** A string that may be compared and sent, never shown, saved or logged. */
export class Secret {
  /** The value as written in the manifest, with `${secret:NAME}` instead of the secret. */
  readonly template: string;

  /** `secrets`: secret parts of the value; defaults to the whole value, and is empty for a value that manifests show. */
  constructor(template: string, value: string, secrets: readonly string[] = [value]) {
    this.template = template;
    hidden.set(this, { text: value, secrets });
    if (value !== '' && secrets.length > 0) known.add(new WeakRef(this));
  }

  /** Call only for comparisons and for the request that contains the value. */
  reveal(): string {
    return hidden.get(this)?.text ?? '';
  }

  toJSON(): { $secret: string } {
    return { $secret: this.template };
  }

  toString(): string {
    return '(secret)';
  }
}

export function revealSecrets(value: unknown): unknown {
  return value instanceof Secret ? value.reveal() : mapInside(value, revealSecrets);
}

export function holdsSecret(value: unknown): boolean {
  if (value instanceof Secret) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsSecret);
}

export function holdsUnfilled(value: unknown): boolean {
  if (value instanceof Secret) return value.reveal() === '';
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsUnfilled);
}

export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return [];
  return Object.values(value).flatMap(textsIn);
}

export function fillSecrets(
  template: string,
  secretOf: (name: string) => string | undefined,
): Filled | undefined {
  let isMissing = false;
  const secrets: string[] = [];
  const text = template.replace(/\$\$\{|\$\{secret:([^{}]*)\}/g, (part, name: string | undefined) => {
    if (name === undefined) return part.slice(1);
    const value = secretOf(name);
    if (value === undefined) isMissing = true;
    else secrets.push(value);
    return value ?? '';
  });
  return isMissing ? undefined : { text, secrets };
}

/** Texts to hide. */
export function knownSecrets(): readonly KnownSecret[] {
  const all = new Map<string, KnownSecret>();
  for (const reference of known) {
    const secret = reference.deref();
    const filled = secret && hidden.get(secret);
    if (filled === undefined) {
      known.delete(reference);
      continue;
    }
    const { text, secrets } = filled;
    if (!all.has(text)) all.set(text, { text, before: text.indexOf(secrets[0] ?? '') });
    for (const one of secrets) all.set(one, { text: one });
  }
  return [...all.values()];
}

/** Matches private keys of any kind in PEM form. */
export const privateKeyPattern = /-----BEGIN [A-Z ]*PRIVATE KEY\b/;
