/** Finds the operation that a method and path name. Built from the contract; holds no path of its own. */
import { type Method, type OperationId, operationIds, operationOf } from '../contract/index.ts';
import { invalid } from './errors.ts';

/** What a request's path means. `methods` are those that the path has when the asked one is not among them. */
export type Route =
  | { readonly type: 'operation'; readonly id: OperationId; readonly params: Record<string, string> }
  | { readonly type: 'wrong-method'; readonly methods: readonly string[] }
  | { readonly type: 'unknown' };

interface Node {
  readonly literal: Map<string, Node>;
  any: Node | null;
  readonly operations: Map<Method, OperationId>;
}

const root = node();
for (const id of operationIds) add(id);

function node(): Node {
  return { literal: new Map(), any: null, operations: new Map() };
}

function add(id: OperationId): void {
  const { method, path } = operationOf(id);
  let at = root;
  for (const segment of path.slice(1).split('/')) {
    let next = segment.startsWith('{') ? at.any : at.literal.get(segment);
    if (next === undefined || next === null) {
      next = node();
      if (segment.startsWith('{')) at.any = next;
      else at.literal.set(segment, next);
    }
    at = next;
  }
  at.operations.set(method, id);
}

/** The route of a method and an undecoded path. Throws a 400 where a segment is not valid percent-encoding. */
export function route(method: string, path: string): Route {
  const values: string[] = [];
  const found = walk(root, path.slice(1).split('/'), 0, values);
  if (found === null) return { type: 'unknown' };
  const id = found.operations.get(method as Method);
  if (id === undefined) return { type: 'wrong-method', methods: [...found.operations.keys()] };
  const params: Record<string, string> = {};
  for (const [at, name] of operationOf(id).params.entries()) params[name] = decode(values[at] ?? '');
  return { type: 'operation', id, params };
}

/** Literal segments win over placeholders: `latest` is never an id. */
function walk(at: Node, segments: readonly string[], index: number, values: string[]): Node | null {
  const segment = segments[index];
  if (segment === undefined) return at.operations.size > 0 ? at : null;
  const literal = at.literal.get(segment);
  if (literal !== undefined) {
    const found = walk(literal, segments, index + 1, values);
    if (found !== null) return found;
  }
  if (at.any === null || segment === '') return null;
  values.push(segment);
  const found = walk(at.any, segments, index + 1, values);
  if (found === null) values.pop();
  return found;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalid(`the path segment "${segment}" is not valid percent-encoding`);
  }
}
