/**
 * Analyzes conditions without a full grammar, which the API document does not define: finds the attributes that they name, and
 * conditions that are never true. Doubtful cases are not reported.
 */

export interface NamedAttribute {
  /** Example: `['unsigned', 'beta']`, the names after the prefix. */
  readonly path: readonly string[];
  readonly text: string;
}

const texts = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs;

/** `prefix`: for example `visitor.claims`. Quoted text is ignored. */
export function attributesIn(condition: string, prefix: string): readonly NamedAttribute[] {
  // Quoted text in brackets is a name; other quoted text is a value.
  const named = condition.replace(/\[\s*(["'])([\w-]+)\1\s*\]/g, '.$2').replace(texts, '""');
  const start = prefix.replace(/[.]/g, '\\.');
  const pattern = new RegExp(`(?<![\\w.$-])${start}((?:\\??\\.[A-Za-z_$][\\w$-]*)+)(\\s*\\()?`, 'g');
  return [...named.matchAll(pattern)].map(([, names = '', call]) => {
    const path = names.split(/\??\./).slice(1);
    // The last name of a call is a method. Example: visitor.claims.plan.startsWith("a")
    const own = call === undefined ? path : path.slice(0, -1);
    return { path: own, text: [prefix, ...own].join('.') };
  });
}

export function isNeverTrue(condition: string): boolean {
  const text = condition.replace(texts, (quoted) => quoted.replace(/[&|!()]/g, '_')).trim();
  const stripped = withoutParentheses(text);
  if (/\|\||[?()]/.test(stripped)) return false;
  const terms = stripped.split('&&').map((term) => term.trim().replace(/\s+/g, ' '));
  if (terms.some((term) => /^(?:false|!\s?true)$/.test(term))) return true;
  return terms.some((term) => terms.includes(`!${term}`) || terms.includes(`! ${term}`));
}

function withoutParentheses(text: string): string {
  const inner = /^\(([^()]*)\)$/s.exec(text)?.[1];
  return inner === undefined ? text : inner.trim();
}
