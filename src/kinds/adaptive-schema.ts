/** Schema of the visitor attributes that a site's content adapts to. It can be set and changed, but not removed. */

import * as z from 'zod';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { defined } from '../util/defined.ts';
import { type CallContext, defineKind, type Kind } from './kind.ts';
import type { Call, Value } from './parts/payload.ts';

/** API document, "Sites", adaptive schema. */
export const adaptiveSchema: Kind = defineKind({
  name: 'adaptiveSchema',
  noun: 'adaptive schema',
  description: 'JSON Schema (draft-07) of the visitor attributes.',
  manifest: { places: [{ parent: 'site', key: 'adaptiveSchema', shape: 'single' }], whole: 'jsonSchema' },
  fields: {
    jsonSchema: {
      schema: once(() => z.record(z.string(), z.unknown())),
      description: 'JSON Schema (draft-07) of the visitor attributes.',
      example: {
        type: 'object',
        properties: { unsigned: { type: 'object', properties: { beta: { type: 'boolean' } } } },
      },
    },
  },
  identity: { scope: 'site' },
  reads: { get: { operation: 'sites.getAdaptiveSchema' } },
  fromRemote: ({ jsonSchema }: OperationOutput<'sites.getAdaptiveSchema'>) => ({
    id: '',
    fields: defined({ jsonSchema: jsonSchema as Value | undefined }),
  }),
  calls: {
    create: (context) => ({ call: put(context), fields: { jsonSchema: context.fields.jsonSchema ?? {} } }),
    update: (context) => [put(context)],
  },
});

function put(context: CallContext): Call {
  return {
    operation: 'sites.putAdaptiveSchema',
    params: context.params,
    body: { jsonSchema: context.fields.jsonSchema ?? {} },
  };
}
