/** The compiler requires a handler for each operation of the contract. */
import type { z } from 'zod';
import type { Operation, operations } from '../contract/index.ts';
import type { Context, PathParams } from './context.ts';

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

type Handler<Row extends Operation> = (
  context: Context,
  input: {
    readonly params: PathParams;
    readonly query: Parsed<Row['query']>;
    readonly body: Parsed<Row['body']>;
  },
) => Parsed<Row['response']>;

export type HandlersOf<Table extends Readonly<Record<string, Operation>>> = {
  readonly [Id in keyof Table]: Handler<Table[Id]>;
};

export type Handlers = HandlersOf<typeof operations>;
