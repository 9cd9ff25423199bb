/** Spaces: content, in a collection or at the top level. Older services create one only by duplicating another. */

import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { openEnum } from '../contract/values.ts';
import { defined } from '../util/defined.ts';
import { sameJson } from '../util/json.ts';
import { valueMisfit } from './custom-field.ts';
import {
  type Anchor,
  type CallContext,
  type Creation,
  defineKind,
  type Kind,
  type KindSpec,
  type Unsupported,
} from './kind.ts';
import { levelField } from './parts/access.ts';
import { emojiPattern, emojiPoints, emojiText } from './parts/emoji.ts';
import { body, bodyField, pick, referenceField, textOf, valueField } from './parts/fields.ts';
import { spaceWriter } from './parts/git-sync.ts';
import { grantFields, withGrants } from './parts/grants.ts';
import { mergeRuleFields, mergeRulesIn, rulesNotTaken, withMergeRules } from './parts/merge-rules.ts';
import { type Call, mapOf, type Payload, referredAddress, type Value } from './parts/payload.ts';

const notEmoji = { error: 'an emoji such as 👋, or its code points in hex' };

const patched = ['title', 'emoji', 'editMode', 'defaultLevel', 'language'] as const;

const reads: KindSpec['reads'] = {
  list: { operation: 'collections.listSpaces', per: 'collection' },
  get: { operation: 'spaces.get' },
  search: { operation: 'orgs.search', field: 'title', parameter: 'query', thenGet: true },
  links: {
    operation: 'spaces.links',
    targets: (items: OperationOutput<'spaces.links'>['items']) =>
      items.flatMap(({ targetReference }) => targetReference?.space?.id ?? []),
  },
};

const calls: KindSpec['calls'] = {
  copies: { field: 'duplicateOf', name: 'title' },
  createdOutside: true,
  create,
  notDone: rulesNotTaken,
  update: withGrants(
    'spaces',
    withMergeRules((context, changed) => {
      const plain = changed.filter((name) => name !== 'customFields');
      const calls: Call[] = [];
      if (plain.length > 0) {
        calls.push({ operation: 'spaces.update', params: context.params, body: body(context.fields, plain) });
      }
      if (changed.includes('customFields')) calls.push(valueChanges(context));
      return calls;
    }),
  ),
  delete: 'spaces.delete',
  restore: 'spaces.restore',
  move: (context, anchor) => ({
    operation: 'spaces.move',
    params: context.params,
    body: position(anchor),
  }),
  anchors: ['space'],
  attach: enter,
  attachAnchored: true,
};

/** API document, "Spaces". */
export const space: Kind = defineKind({
  name: 'space',
  noun: 'space',
  description:
    'A space. Services of the form `2026` create it; at others it must exist already, or be a duplicate of another one.',
  manifest: {
    places: [
      { parent: 'organization', key: 'spaces' },
      { parent: 'collection', key: 'spaces', ordered: true },
    ],
  },
  body: 'spaces.update',
  fields: {
    title: valueField('Title of the space.', 'Onboarding', { trait: { is: 'title' } }),
    emoji: {
      schema: once(() => {
        const text = bodyField('spaces.update', 'emoji')();
        return text instanceof z.ZodString ? text.regex(emojiPattern, notEmoji) : text;
      }),
      description: 'Emoji in front of the title, as a character or as its code points in hexadecimal.',
      example: '👋',
      reads: 'word',
      normalize: (value) => emojiText(String(value)),
      same: (desired, live) => emojiPoints(String(desired)) === emojiPoints(String(live)),
    },
    editMode: valueField('live: people edit the space directly; locked: no one can edit it.', 'locked', {
      reads: 'word',
      risk: (before, after) =>
        after === 'locked'
          ? 'no one can edit it'
          : before === undefined || before === after
            ? undefined
            : 'people can edit it directly',
    }),
    defaultLevel: {
      ...levelField,
      description: 'Level of everyone in the organization on the space; null for none.',
      trait: { is: 'level' },
    },
    language: valueField('Language of the content.', 'de', { needs: '2026', reads: 'word' }),
    ...mergeRuleFields('space'),
    ...grantFields('spaces'),
    customFields: {
      type: 'map',
      needs: 'document',
      keysOf: 'customField',
      misfit: valueMisfit,
      schema: once(() =>
        z.record(
          z.string().min(1),
          z.union([z.string().max(256), z.number(), z.boolean(), z.array(z.string())]),
        ),
      ),
      description: 'Values of custom fields by name; a value can be changed, but not unset.',
      example: { 'owner-team': 'people' },
      detail: { operation: 'spaces.getCustomFields', read: readValues },
    },
    duplicateOf: referenceField('The space to copy when this one does not exist yet; ignored afterwards.', {
      example: 'api-guide',
      kinds: ['space'],
      within: 'organization',
      change: 'create',
    }),
    create: {
      needs: 'document',
      schema: once(() => openEnum('empty', 'sample')),
      description:
        'Content of a space that a new site creates with itself, if the site shows this space alone and has no sections; ignored once the space exists.',
      example: 'empty',
      change: 'create',
      reads: 'word',
      trait: { is: 'madeWith', entry: 'siteSpace', field: 'space' },
    },
    template: valueField(
      'Template of a new space; ignored once the space exists.',
      { id: 'api-docs' },
      { needs: '2026', schema: bodyField('spaces.create', 'template'), change: 'create' },
    ),
  },
  identity: { by: [{ field: 'title' }], idParam: 'spaceId' },
  reads,
  // Search results of the organization and site-spaces contain only part of a space: missing fields are unknown.
  fromRemote: (remote: Partial<OperationOutput<'spaces.get'>>) => {
    const parent = textOf(remote.parent);
    return {
      id: remote.id ?? '',
      fields: {
        ...pick(remote, patched),
        ...defined({ emoji: emojiOf(remote.emoji) }),
        ...mergeRulesIn(remote),
      },
      ...(parent === undefined ? {} : { container: { kind: 'collection', id: parent } }),
      ...defined({ deletedAt: textOf(remote.deletedAt) }),
      ...spaceWriter(remote.gitSync),
    };
  },
  calls,
  mayBeSynced: true,
  newer: {
    reads: {
      ...reads,
      list: {
        operation: 'spaces.list',
        per: 'organization',
        places: { operation: 'collections.listSpaces', per: 'collection' },
      },
    },
    calls: { ...calls, create: createAnywhere, attach },
    display: {},
  },
  deletion: {
    protected: true,
    restorableDays: 7,
    openWork: { operation: 'changeRequests.list', query: { status: 'open' }, noun: 'open change request' },
    cost: 'its content is deleted with it; a deleted space can be restored for 7 days',
    again: {
      impossible: () => 'a deleted space can be restored for 7 days only, and this one no longer exists',
    },
  },
  display: { unseen: 'spaces that are neither in a collection nor on a site' },
});

/** Converts any spelling of the service to a character. */
function emojiOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : emojiText(text);
}

const pinIt = 'pin it with id: (see its address in the app)';

function create(context: CallContext): Creation | Unsupported {
  const source = context.fields.duplicateOf;
  if (typeof source !== 'string' && referredAddress(source) === undefined) {
    const isNew = context.fields.create !== undefined;
    return {
      unsupported: isNew
        ? 'create: applies only to a space that a new site without sections shows alone'
        : 'it was found neither by title in its collection, nor in a site, nor by search',
      suggestion: isNew
        ? `${pinIt}, or create it with duplicateOf: another-space`
        : `${pinIt}, create it with duplicateOf: another-space, or let a new site create it, with create: empty`,
      missing: 'object',
    };
  }
  return {
    call: {
      operation: 'spaces.duplicate',
      params: { ...context.params, spaceId: source as string },
    },
    fields: {},
  };
}

const made = ['title', 'emoji', 'language', 'editMode'] as const;

function createAnywhere(context: CallContext): Creation | Unsupported {
  const { duplicateOf, template } = context.fields;
  if (duplicateOf !== undefined && template !== undefined) {
    return {
      unsupported: 'duplicateOf and template exclude each other',
      suggestion: 'keep either duplicateOf or template',
    };
  }
  if (duplicateOf !== undefined) return create(context);
  const fields = body(context.fields, made);
  const parent = context.container.kind === 'collection' ? { parent: context.container.id } : {};
  const content = template === undefined ? { empty: true } : { template };
  return {
    call: {
      operation: 'spaces.create',
      params: context.params,
      body: { ...fields, ...parent, ...content },
    },
    fields: { ...fields, ...defined({ template }) },
  };
}

function enter(context: CallContext, anchor: Anchor | undefined): Call {
  return {
    operation: 'spaces.move',
    params: context.params,
    body: {
      parent: context.container.kind === 'collection' ? context.container.id : null,
      ...position(anchor),
    },
  };
}

/** Copies are created outside their container and must be moved; other new objects need no move. */
function attach(context: CallContext, anchor: Anchor | undefined): Call | undefined {
  const isCreated = typeof context.id !== 'string' && context.fields.duplicateOf === undefined;
  return isCreated ? undefined : enter(context, anchor);
}

function position(anchor: Anchor | undefined): Record<string, Payload> {
  if (anchor === undefined) return {};
  return anchor.before !== undefined
    ? { position: { before: { type: 'space', space: anchor.before.id } } }
    : { position: { after: { type: 'space', space: anchor.after.id } } };
}

function valueChanges(context: CallContext): Call {
  const after = mapOf(context.fields.customFields) ?? {};
  const before = mapOf(context.before.customFields) ?? {};
  const values: Record<string, Payload> = {};
  for (const [name, value] of Object.entries(after)) {
    if (!sameJson(value, before[name])) values[name] = { value };
  }
  return { operation: 'spaces.updateCustomFields', params: context.params, body: { values } };
}

function readValues(response: OperationOutput<'spaces.getCustomFields'>) {
  const values: [string, Value][] = [];
  for (const { customField, value } of response) {
    if (customField !== undefined && customField !== null && value !== undefined && value !== null)
      values.push([customField.name, value]);
  }
  return { value: Object.fromEntries(values.sort(([left], [right]) => (left < right ? -1 : 1))) };
}
