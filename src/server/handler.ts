/** The form of a handler: the compiler demands one for each operation of the contract. */
import type { z } from 'zod';
import type { OperationId, OperationOutput, operations } from '../contract/index.ts';
import type { Context } from './context.ts';

/** Parameters of a path, by the contract's names. */
export type PathParams = Readonly<Record<string, string>>;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** A request that the contract has let through. */
interface HandlerInput<Id extends OperationId> {
  readonly params: PathParams;
  readonly query: Parsed<(typeof operations)[Id]['query']>;
  readonly body: Parsed<(typeof operations)[Id]['body']>;
}

type Result<T> = [T] extends [undefined] ? undefined : T;

/** Answers one operation: the body of the success that the document lists, or nothing. */
type Handler<Id extends OperationId> = (
  context: Context,
  input: HandlerInput<Id>,
) => Result<OperationOutput<Id>>;

/** A handler for each operation. */
export type Handlers = { readonly [Id in OperationId]: Handler<Id> };

/** The handlers of one area's table of operations. */
export type HandlersOf<Table> = { readonly [Id in keyof Table & OperationId]: Handler<Id> };
