/** The error of a command line that cannot be understood; what is said of it is in `usage.ts`. */

/** A command line that cannot be understood; the message may hold a line with help. */
export class UsageError extends Error {}
