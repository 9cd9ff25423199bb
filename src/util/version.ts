/** Inserted at build time. */
declare const OCTAVO_VERSION: string | undefined;
declare const OCTAVO_COMMIT: string | undefined;

/** `0.0.0` if the sources run without a build, as in tests. */
export const version: string = typeof OCTAVO_VERSION === 'string' ? OCTAVO_VERSION : '0.0.0';

/** With the commit that it was built from; `+` if files had changed since. Example: `0.1.0 (b89b022)`. */
export const build: string = typeof OCTAVO_COMMIT === 'string' ? version + OCTAVO_COMMIT : version;
