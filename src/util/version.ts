/** Inserted at build time. */
declare const OCTAVO_VERSION: string | undefined;

/** `0.0.0` if the sources run without a build, as in tests. */
export const version: string = typeof OCTAVO_VERSION === 'string' ? OCTAVO_VERSION : '0.0.0';
