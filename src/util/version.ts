/** The version of this Octavo; put in by the build. */
declare const OCTAVO_VERSION: string | undefined;

/** For example `1.2.0`; `0.0.0` where the sources run without a build, as in tests. */
export const version: string = typeof OCTAVO_VERSION === 'string' ? OCTAVO_VERSION : '0.0.0';
