/** What the reference says about one code. */

/** Meaning, an example that causes it, and the way out: a sentence each, without a final period. */
export type DiagnosticTexts = readonly [meaning: string, example: string, wayOut: string];
