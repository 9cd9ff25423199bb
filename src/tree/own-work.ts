/**
 * The work of runs of Octavo since the last record, from their journals, by object. Neither the base nor the record has it: a base is
 * what a commit declares.
 *
 * Example: a run replaces the site-space s1 with s2, and dies before it deletes s1.
 *   ids         sites/shop/spaces/main: s2
 *   objects     s2, created by the run
 *   superseded  s1, at sites/shop/spaces/main
 *   owed        the condition of s1, which no manifest declares and s2 does not have yet
 */
import * as z from 'zod';
import { once } from '../contract/once.ts';
import type { Fields } from '../kinds/parts/payload.ts';
import { byName, each, flag, list, object, typed } from '../util/data-schema.ts';
import { rememberedIn } from '../util/remembered.ts';
import { type ObjectRef, RefMap } from './refs.ts';

const text = z.string();

const ownObjectSchema = once(() =>
  object({
    ...each(text, 'kind', 'id', 'address', 'run'),
    params: byName(text).exactOptional().describe('Parameters of its first request'),
    made: flag('True if the run created the object'),
    isOver: z.boolean().describe('False while the run may still be at work'),
    sent: list(text).describe('Fields, and phases (`#move`), whose requests may have taken effect'),
    before: typed<Fields>().exactOptional().describe('Values of these fields before the run'),
    carried: list(text).exactOptional().describe('Of these fields, those with values of a replaced object'),
  }),
);

const uncertainCreateSchema = once(() =>
  object({
    ...each(text, 'kind', 'address', 'run'),
    since: text.describe('When the request was sent, as ISO 8601'),
    operation: text,
    params: byName(text),
    fields: typed<Fields>().describe('Values in the request; references are { $id: address }'),
    response: z
      .enum(['lost', 'without-id', 'unknown'])
      .describe('Unknown if the request may not have been sent'),
    others: list(text).describe('Ids of objects that existed before'),
  }).describe('A create whose object is not known: its response was lost, or had no id'),
);

export const ownWorkSchema = once(() =>
  object({
    ids: byName(text).describe('Ids of objects that runs created or found, by address'),
    objects: list(ownObjectSchema()).describe('Newest first'),
    superseded: list(object({ address: text, kind: text, id: text })).describe(
      'Replaced objects, with the address that has their successor',
    ),
    owed: byName(typed<Fields>()).describe(
      'Undeclared values of replaced objects that their successors may lack, by address',
    ),
    uncertain: list(uncertainCreateSchema()),
    restored: list(text).exactOptional().describe('Ids of objects that undos made again'),
  }),
);

export type OwnWork = z.infer<ReturnType<typeof ownWorkSchema>>;

export type OwnObject = z.infer<ReturnType<typeof ownObjectSchema>>;

export type UncertainCreate = z.infer<ReturnType<typeof uncertainCreateSchema>>;

export const noOwnWork: OwnWork = { ids: {}, objects: [], superseded: [], owed: {}, uncertain: [] };

export function joinOwnWork(later: OwnWork, earlier = noOwnWork): OwnWork {
  return {
    ...earlier,
    ...later,
    ids: { ...earlier.ids, ...later.ids },
    objects: [...later.objects, ...earlier.objects],
    superseded: [...later.superseded, ...earlier.superseded],
    owed: { ...earlier.owed, ...later.owed },
    uncertain: [...later.uncertain, ...earlier.uncertain],
  };
}

export class OwnObjects {
  readonly work: OwnWork;
  readonly #sent = new RefMap<Set<string>>();
  readonly #made = new RefMap<true>();

  constructor(work: OwnWork = noOwnWork) {
    this.work = work;
    for (const one of work.objects) {
      const sent = rememberedIn(this.#sent, one, () => new Set<string>());
      for (const what of one.sent) sent.add(what);
      if (one.made === true) this.#made.set(one, true);
    }
  }

  made(ref: ObjectRef | undefined): boolean {
    return ref !== undefined && this.#made.has(ref);
  }

  /** True if a run may have deleted the object of an address. */
  deletedAt(kind: string, address: string): boolean {
    return this.work.objects.some(
      (one) => one.kind === kind && one.address === address && one.sent.includes('#delete'),
    );
  }

  /** True if a run may have changed one of these fields, or taken one of these phases. */
  sent(ref: ObjectRef | undefined, ...what: readonly string[]): boolean {
    const sent = ref && this.#sent.get(ref);
    return sent !== undefined && what.some((one) => sent.has(one));
  }
}
