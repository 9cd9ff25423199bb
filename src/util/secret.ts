/**
 * Text from `${secret:NAME}`. Comparisons and requests use its value; anything else (JSON, strings, inspection) shows
 * only the template as written.
 */

const hidden = new WeakMap<Secret, string>();

/** All live secrets of this process, so that none is shown in a text from outside. */
const known = new Set<WeakRef<Secret>>();

/** A string that may be compared and sent, never shown, saved or logged. */
export class Secret {
  /** As written in the manifest, with `${secret:NAME}` in place of the value. */
  readonly template: string;

  constructor(template: string, value: string) {
    this.template = template;
    hidden.set(this, value);
    if (value !== '') known.add(new WeakRef(this));
  }

  /** Only for comparison and for the request that carries it. */
  reveal(): string {
    return hidden.get(this) ?? '';
  }

  toJSON(): { $secret: string } {
    return { $secret: this.template };
  }

  toString(): string {
    return '(secret)';
  }
}

export function revealSecrets(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(revealSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revealSecrets(inner)]));
}

export function fillSecrets(
  template: string,
  secretOf: (name: string) => string | undefined,
): string | undefined {
  let isMissing = false;
  const text = template.replace(/\$\$\{|\$\{secret:([^{}]*)\}/g, (part, name: string | undefined) => {
    if (name === undefined) return part.slice(1);
    const value = secretOf(name);
    if (value === undefined) isMissing = true;
    return value ?? '';
  });
  return isMissing ? undefined : text;
}

/** Longest first, so that no part of one is left. */
export function knownSecrets(): readonly string[] {
  const values = new Set<string>();
  for (const reference of known) {
    const secret = reference.deref();
    if (secret === undefined) known.delete(reference);
    else values.add(secret.reveal());
  }
  return [...values].sort((left, right) => right.length - left.length);
}
