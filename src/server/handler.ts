/** The compiler requires a handler for each operation of the contract. */
import type { z } from 'zod';
import type { OperationId, OperationOutput, operations } from '../contract/index.ts';
import type { Context } from './context.ts';

export type PathParams = Readonly<Record<string, string>>;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

interface HandlerInput<Id extends OperationId> {
  readonly params: PathParams;
  readonly query: Parsed<(typeof operations)[Id]['query']>;
  readonly body: Parsed<(typeof operations)[Id]['body']>;
}

type Result<T> = [T] extends [undefined] ? undefined : T;

type Handler<Id extends OperationId> = (
  context: Context,
  input: HandlerInput<Id>,
) => Result<OperationOutput<Id>>;

export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

export type HandlersOf<Table> = { readonly [Id in keyof Table & OperationId]: Handler<Id> };
