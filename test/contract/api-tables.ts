/** Reads `api-tables.md`, the facts with which the contract is compared. Independent of the contract. */
import { readFileSync } from 'node:fs';

/** One documented field of a query or body. `bounds` is `min-max`, either side may be missing. */
export interface FieldFact {
  readonly name: string;
  readonly optional: boolean;
  readonly type: string;
  readonly bounds: string;
  readonly pattern: string;
  readonly values: readonly string[];
  readonly nullable: boolean;
}

/** One row of the tables. */
export interface OperationFact {
  readonly section: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly FieldFact[];
  readonly body: readonly FieldFact[];
  readonly success: number;
}

const pagedFacts = 'page? string; limit? number -1000';

/** All rows of the tables, in order. */
export function readOperationFacts(): OperationFact[] {
  const lines = readFileSync(new URL('./api-tables.md', import.meta.url), 'utf8').split('\n');
  const facts: OperationFact[] = [];
  let section = '';
  for (const line of lines) {
    if (line.startsWith('### ')) section = line.slice(4).trim();
    const row = /^\| (GET|POST|PUT|PATCH|DELETE) *\| (\S+) *\|(.*)\| (\d{3}) *\|$/.exec(line);
    if (row === null) continue;
    const [, method = '', path = '', input = '', success = ''] = row;
    const query = /query: (.*?)(?= body: |$)/.exec(input.trim())?.[1] ?? '';
    const body = /body: (.*)$/.exec(input.trim())?.[1] ?? '';
    facts.push({ section, method, path, query: fields(query), body: fields(body), success: Number(success) });
  }
  return facts;
}

function fields(text: string): FieldFact[] {
  return text
    .replace(/\bpaged\b/, pagedFacts)
    .split(';')
    .map((field) => field.trim())
    .filter((field) => field !== '')
    .map(fieldFact);
}

function fieldFact(text: string): FieldFact {
  const pattern = /`(.*)`/.exec(text)?.[1] ?? '';
  const rest = text.replace(/`.*`/, '').trim();
  const match = /^(\w+)(\??) (enum\(([^)]*)\)|enum\*|\w+)(?: (\d*-\d*))?\s*(\/ null)?$/.exec(rest);
  if (match === null) throw new Error(`cannot read the field "${text}"`);
  const [, name = '', optional, type = '', values, bounds = '', nullable] = match;
  return {
    name,
    optional: optional === '?',
    type: type.startsWith('enum(') ? 'enum' : type,
    bounds,
    pattern,
    values: values?.split(' ') ?? [],
    nullable: nullable !== undefined,
  };
}
