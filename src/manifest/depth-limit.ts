/** How deep manifests may be nested, whatever reads them. */

/** A manifest is never nested deeper. */
export const maxDepth = 200;
