/**
 * What can be said of a condition without knowing its whole grammar, which the API document does not give: which attributes
 * it names, and whether it is never true. Where there is doubt, nothing is said. Pure.
 */

/** An attribute that a condition names, and where it starts in the text. */
export interface NamedAttribute {
  /** The names after the prefix: `['unsigned', 'beta']`. */
  readonly path: readonly string[];
  readonly text: string;
}

const texts = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs;

/** The attributes after a prefix such as `visitor.claims`; none of those in quoted text. */
export function attributesIn(condition: string, prefix: string): readonly NamedAttribute[] {
  // Text in brackets is a name, any other is a value.
  const named = condition.replace(/\[\s*(["'])([\w-]+)\1\s*\]/g, '.$2').replace(texts, '""');
  const start = prefix.replace(/[.]/g, '\\.');
  const pattern = new RegExp(`(?<![\\w.$-])${start}((?:\\??\\.[A-Za-z_$][\\w$-]*)+)(\\s*\\()?`, 'g');
  return [...named.matchAll(pattern)].map(([, names = '', call]) => {
    const path = names.split(/\??\./).slice(1);
    // What is called is no attribute: visitor.claims.plan.startsWith("a")
    const own = call === undefined ? path : path.slice(0, -1);
    return { path: own, text: [prefix, ...own].join('.') };
  });
}

/** True where no visitor fulfils the condition: it is false itself, or demands a thing and its contrary. */
export function isNeverTrue(condition: string): boolean {
  const text = condition.replace(texts, (quoted) => quoted.replace(/[&|!()]/g, '_')).trim();
  const bare = withoutParentheses(text);
  if (/\|\||[?()]/.test(bare)) return false;
  const terms = bare.split('&&').map((term) => term.trim().replace(/\s+/g, ' '));
  if (terms.some((term) => /^(?:false|!\s?true)$/.test(term))) return true;
  return terms.some((term) => terms.includes(`!${term}`) || terms.includes(`! ${term}`));
}

/** Parentheses around the whole. */
function withoutParentheses(text: string): string {
  const inner = /^\(([^()]*)\)$/s.exec(text)?.[1];
  return inner === undefined ? text : inner.trim();
}
