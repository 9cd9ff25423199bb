/**
 * Text that came from `${secret:NAME}`. It takes part in comparisons and requests by its value, and shows itself
 * everywhere else (JSON, strings, inspection) only as the template it was written as.
 */

const hidden = new WeakMap<Secret, string>();

/** A string that may be compared and sent, never shown, saved or logged. */
export class Secret {
  /** The text as written in the manifest, with `${secret:NAME}` in place of the value. */
  readonly template: string;

  constructor(template: string, value: string) {
    this.template = template;
    hidden.set(this, value);
  }

  /** The value itself; for comparison and for the request that carries it. */
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

/** The value with every secret inside it replaced by its value. */
export function revealSecrets(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(revealSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revealSecrets(inner)]));
}

/** A template, filled in; undefined where a secret has no value. */
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
