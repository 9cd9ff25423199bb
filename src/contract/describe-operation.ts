/** Describes the parameters and responses of an operation, for reference pages and for `octavo api`. Pure. */
import type { z } from 'zod';
import { describeProperties } from './describe-schema.ts';
import { needsText } from './form.ts';
import type { Operation } from './operation.ts';

/** One parameter of an operation. */
export interface OperationParameter {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly required: boolean;
  readonly text: string;
}

/** Parameters of the path and of the query, and fields of the body. */
export function parametersOf(operation: Operation): readonly OperationParameter[] {
  return [
    ...operation.params.map(
      (name): OperationParameter => ({ name, place: 'path', required: true, text: 'string' }),
    ),
    ...parametersIn(operation.query, 'query'),
    ...parametersIn(operation.body, 'body'),
    ...newerParameters(operation),
  ];
}

function newerParameters({ newer, body }: Operation): readonly OperationParameter[] {
  if (newer === undefined) return [];
  const known = new Set(Object.keys(body?.shape ?? {}));
  return parametersIn(newer.body, 'body')
    .filter(({ name }) => !known.has(name))
    .map((one) => ({ ...one, text: `${one.text}. ${needsText(newer.needs)}` }));
}

function parametersIn(schema: z.ZodObject | null, place: 'query' | 'body'): readonly OperationParameter[] {
  if (schema === null) return [];
  return describeProperties(schema).map(({ name, required, value, meaning }) => ({
    name,
    place,
    required,
    text: meaning === '' ? value : `${value}. ${meaning}`,
  }));
}

/** Example: `Responds with 200 and a list`. */
export function describeResponse({ response, paged, success }: Operation): string {
  if (response === null) return `Responds with ${success} and no content`;
  return `Responds with ${success}${paged ? ' and a list' : ''}`;
}
