/** Common parts of sections, groups, links and site-spaces, for services that sort a whole site with one operation. */
import * as z from 'zod';
import type { OperationId } from '../../contract/index.ts';
import { once } from '../../contract/once.ts';
import { sameJson } from '../../util/json.ts';
import type { Anchor, CallContext, ContainerRef, KindSpec, Remote } from '../kind.ts';
import { conditionRisk, visitorCondition } from './access.ts';
import { conditionRemark } from './conditions.ts';
import type { ValueField } from './field.ts';
import { body } from './fields.ts';
import { type Call, type Id, mapOf, type Payload, type Value } from './payload.ts';
import { iconRemark } from './remarks.ts';

const pointerTypes: Readonly<Record<string, string>> = {
  section: 'site-section',
  sectionGroup: 'site-section-group',
  link: 'site-external-link',
  siteSpace: 'site-space',
};

/** Loss if a redirect's target is created again, at services with redirects. */
export const lostRedirects = 'redirects to it that are not in this plan lead nowhere';

/** Lists one kind from the structure response. */
export function structureList(kind: string): KindSpec['reads'] {
  return { list: { operation: 'structure.get', per: 'site', object: pointerTypes[kind] ?? kind } };
}

/** Moves an object next to the anchor, or to the end. */
export function sorting(kind: string): Pick<KindSpec['calls'], 'move' | 'anchors'> {
  return {
    move: ({ params, id }, anchor) => ({
      operation: 'structure.sort',
      params,
      body: { item: pointer({ kind, id }), position: position(anchor, pointer) },
    }),
    anchors: kind === 'siteSpace' ? ['siteSpace'] : ['section', 'sectionGroup', 'link'],
  };
}

/** A move with a separate operation: next to the anchor, or to the end. */
export function moving(
  operation: OperationId,
  sibling: (anchor: ContainerRef) => Payload,
): NonNullable<KindSpec['calls']['move']> {
  return ({ params }, anchor) => ({
    operation,
    params,
    body: anchor === undefined ? {} : { position: position(anchor, sibling) },
  });
}

function position(anchor: Anchor | undefined, sibling: (anchor: ContainerRef) => Payload): Payload {
  if (anchor === undefined) return {};
  return anchor.before !== undefined ? { before: sibling(anchor.before) } : { after: sibling(anchor.after) };
}

function pointer({ kind, id }: ContainerRef<Id>): Payload {
  return { type: pointerTypes[kind] ?? kind, id };
}

/**
 * Calls of a kind whose update names its group. A move between existing groups needs no `detach`, because one request changes
 * the group; a new group accepts only objects without a group.
 */
export function grouping(operation: OperationId, field: string): Partial<KindSpec['calls']> {
  const put = ({ params }: CallContext, group: Id | null): Call => ({
    operation,
    params,
    body: { [field]: group },
  });
  return {
    detach: (context, from) => {
      const { container } = context;
      const goesOn =
        container.kind === 'sectionGroup' && typeof container.id === 'string' && container.id !== from.id;
      return from.kind !== 'sectionGroup' || goesOn ? undefined : put(context, null);
    },
    attach: (context) =>
      context.container.kind === 'sectionGroup' ? put(context, context.container.id) : undefined,
    attachedAnywhere: true,
  };
}

// biome-ignore format: a list of words
/** Navigation fields of sections and links; site-spaces and groups have some of them. */
export const entryFields = [
  'icon', 'description', 'condition', 'draft', 'localizedTitle', 'localizedDescription',
] as const;

/** A field whose schema comes from requests. */
type FieldOfBody = KindSpec['fields'][string];

/** The icon in the navigation. */
export function iconField(example: string): FieldOfBody {
  const description = 'Name of an icon; null removes it.';
  return { remark: iconRemark, description, example, nullable: 'removes' };
}

/** `what`: names the object, for example `the section`. */
export function conditionField(what: string): FieldOfBody {
  return {
    description: `Expression that decides who sees ${what}; null shows it to everyone.`,
    example: 'visitor.claims.unsigned.beta',
    nullable: 'removes',
    risk: conditionRisk(what),
    remark: conditionRemark,
    trait: visitorCondition,
  };
}

/** The group that a response names. */
export function groupOf(id: unknown): Pick<Remote, 'container'> {
  return typeof id === 'string' ? { container: { kind: 'sectionGroup', id } } : {};
}

/** `what`: names the object, for example `the section`. */
export function draftField(what: string): ValueField {
  return {
    type: 'value',
    schema: once(() => z.boolean()),
    description: 'Whether it is a draft, which visitors do not see.',
    example: true,
    absent: false,
    needs: '2026',
    trait: { is: 'draft' },
    risk: (before, after) => {
      if (before === true && after === false)
        return { text: `visitors can see ${what}`, past: `${what} was shown to visitors` };
      if (before !== true && before !== undefined && after === true)
        return { text: `hides ${what} from visitors`, past: `${what} was hidden from visitors` };
      return undefined;
    },
  };
}

/** A text in further languages, each with this maximum length. */
export function localizedField(name: string, longest: number): ValueField {
  return {
    type: 'value',
    schema: once(() => z.record(z.string().min(1), z.string().min(1).max(longest))),
    description: `The ${name} in languages other than that of the site.`,
    example: { de: 'Anleitungen' },
    absent: {},
    needs: '2026',
    same: (sent, live) => sameJson(tidied(sent), tidied(live)),
  };
}

/** Drops removed languages. Services may trim texts, and compose letters with their marks. */
function tidied(texts: Value): Value {
  return Object.fromEntries(
    Object.entries(mapOf(texts) ?? {}).flatMap(([language, text]) =>
      typeof text === 'string' ? [[language, text.trim().normalize('NFC')]] : [],
    ),
  );
}

/** An update with one operation. */
export function structureUpdate(operation: OperationId): NonNullable<KindSpec['calls']['update']> {
  return (context, changed) => [{ operation, params: context.params, body: structureBody(context, changed) }];
}

/** Values for a request. Removed languages are null, since a service may merge the others. */
export function structureBody(
  { fields, before }: CallContext,
  names: readonly string[],
): Record<string, Payload> {
  const values = body(fields, names);
  for (const name of names.filter((one) => one.startsWith('localized'))) {
    const gone = Object.keys(mapOf(before[name]) ?? {});
    const none = Object.fromEntries(gone.map((language) => [language, null]));
    values[name] = { ...none, ...mapOf(values[name]) };
  }
  return values;
}
