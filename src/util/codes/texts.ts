/** Each a sentence without a final period. */
export type DiagnosticTexts = readonly [meaning: string, example: string, wayOut: string];
