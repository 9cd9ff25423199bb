/** What overlays are called. */

/** A name that is text in YAML and a word on a command line. */
export const overlayNamePattern = /^[A-Za-z][A-Za-z0-9_.-]*$/;
