/**
 * Values of variables in the last apply, as salted digests in the record. They distinguish a changed variable from a change in the app.
 * Secrets have no digest.
 */
import { createHash } from 'node:crypto';
import type { Field } from '../../kinds/parts/field.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { WasApplied } from '../../plan/past.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { isRecord, stableStringify } from '../../util/json.ts';
import { holdsSecret } from '../../util/secret.ts';
import type { AppliedRecord } from './applied-record.ts';

type Inputs = NonNullable<AppliedRecord['inputs']>;

export function inputsOf(tree: DesiredTree, registry: Registry, salt: string): Inputs {
  const digests = [...tree.nodes.values()].flatMap(({ address, kind, fields, inputs = {} }) =>
    Object.keys(inputs).flatMap((name) => {
      const [field, value] = [registry.byName(kind).fields[name], fields[name]];
      if (field === undefined || value === undefined || holdsSecret(value)) return [];
      return [[keyOf(address, name), digestOf(salt, value, field)] as const];
    }),
  );
  return { salt, digests: Object.fromEntries(digests) };
}

export function appliedInputs({ inputs }: Pick<AppliedRecord, 'inputs'>): WasApplied {
  return ({ address, name, field }, value) => {
    const known = inputs?.digests[keyOf(address, name)];
    if (inputs === undefined || known === undefined || holdsSecret(value)) return undefined;
    return digestOf(inputs.salt, value, field) === known;
  };
}

function keyOf(address: string, name: string): string {
  return `${address} ${name}`;
}

/** A list is ordered unless its field declares otherwise. */
export function digestOf(salt: string, value: unknown, field?: Field): string {
  const tidied = tidy(value);
  const ordered =
    field?.type === 'set' && Array.isArray(tidied)
      ? tidied.map((one) => stableStringify(one)).sort()
      : tidied;
  return createHash('sha256')
    .update(`${salt} ${stableStringify(ordered)}`)
    .digest('hex')
    .slice(0, 32);
}

/** Services normalize texts. */
function tidy(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC').replace(/\s+/g, ' ').trim();
  if (Array.isArray(value)) return value.map(tidy);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, tidy(inner)]));
}
