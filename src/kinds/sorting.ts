/** Moves in the structure of a site where one operation sorts everything next to everything. */
import type { Anchor, CallContext, ContainerRef } from './kind.ts';
import type { Call, Id, Payload } from './payload.ts';

const pointerTypes: Readonly<Record<string, string>> = {
  section: 'site-section',
  sectionGroup: 'site-section-group',
  siteSpace: 'site-space',
};

/** The move of a kind: next to the anchor, or to the end. */
export function sorting(kind: string): (context: CallContext, anchor: Anchor | undefined) => Call {
  return ({ params, id }, anchor) => ({
    operation: 'structure.sort',
    params,
    body: { item: pointer({ kind, id }), position: position(anchor) },
  });
}

function position(anchor: Anchor | undefined): Payload {
  if (anchor === undefined) return {};
  return anchor.before !== undefined ? { before: pointer(anchor.before) } : { after: pointer(anchor.after) };
}

function pointer({ kind, id }: ContainerRef<Id>): Payload {
  return { type: pointerTypes[kind] ?? kind, id };
}
