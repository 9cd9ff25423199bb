import * as z from 'zod';
import { describeProperties, describeSchema } from '../../contract/describe-schema.ts';
import { knownValues } from '../../contract/values.ts';
import { type Field, isExactList, referenceOf } from '../../kinds/field.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Value } from '../../kinds/payload.ts';
import { neededToCreate, settersOf } from '../../kinds/probe.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { ExplainedFact, ExplainedPart, Explanation } from '../../report/results/explanation.ts';
import { unwrapped } from '../../util/data-schema.ts';
import { anchorOf, exampleOf, fact, facts, operationLine, plain } from './example.ts';
import type { FieldSpot } from './walk.ts';

export function explainField(registry: Registry, { kind, others, name, path }: FieldSpot): Explanation {
  const field = kind.fields[name];
  if (field === undefined) throw new Error(`${kind.name} has no field ${name}`);
  const rows = partsOf(field);
  return {
    topic: path,
    what: `field of ${kind.noun}`,
    description: field.description,
    facts: facts(
      fact('Value', valueText(registry, field)),
      fact('Required', neededToCreate(registry, kind).includes(name) ? 'for new objects' : undefined),
      fact('Left out', leftOutText(field)),
      fact('null', nullText(field)),
      fact('Change', ...changeTexts(kind, name, field)),
      fact('Unique', uniqueText(registry, kind, name)),
      fact('Matching', matchingText(kind, name)),
      ...operationFacts(registry, kind, name),
      fact('Risks', ...riskTexts(field)),
      fact(
        'Also',
        others.length === 0 ? undefined : `a field of ${others.map(({ noun }) => noun).join(', ')}`,
      ),
    ),
    ...(rows.length === 0 ? {} : { parts: { title: 'Parts', rows } }),
    example: exampleOf(registry, kind, name),
    reference: `docs/reference/kinds.md#${anchorOf(kind.noun)}`,
  };
}

export function valueText(registry: Registry, field: Field): string {
  const text = bareText(registry, field);
  return isExactList(field) ? `${text}, or { add: … }, which keeps what others added` : text;
}

function bareText(registry: Registry, field: Field): string {
  const text = plain(describeSchema(field.schema()));
  const reference = referenceOf(field);
  if (reference === undefined) return field.type === 'set' ? `${text}, in any order` : text;
  const nouns = reference.kinds.map((kind) => registry.byName(kind).noun).join(' or ');
  if (field.type === 'reference') {
    const isPlain = unwrapped(field.schema()) instanceof z.ZodUnion;
    return isPlain ? `key of a ${nouns}, its address, or { id: … }` : `${text}, where it names a ${nouns}`;
  }
  return `${text}; each key names a ${nouns}`;
}

export function partsOf(field: Field): readonly ExplainedPart[] {
  const schema = unwrapped(field.schema());
  if (!(schema instanceof z.ZodObject)) return [];
  return describeProperties(schema).map(({ name, required, value, meaning }) => ({
    name,
    depth: 0,
    value: plain(value),
    description: plain(meaning),
    ...(required ? { required: true as const } : {}),
  }));
}

function leftOutText({ change, absent }: Field): string {
  if (change === 'create') return 'nothing is said of how the object is made';
  const usual = 'not managed: the live value stays';
  return absent === undefined
    ? usual
    : `${usual}; where the service returns none, it is ${JSON.stringify(absent)}`;
}

function nullText({ nullable, reads }: Field): string {
  if (nullable === undefined) return 'not allowed; leave the line out instead';
  if (nullable === 'removes') return 'clears it';
  return reads === 'role' ? 'a value of its own: a guest' : 'a value of its own';
}

function changeTexts(kind: Kind, name: string, field: Field): readonly (string | undefined)[] {
  const { change = 'update', inherits } = field;
  const texts = {
    update: 'in place',
    replace: `forces replacement: a new ${kind.noun} is created and the former one deleted`,
    create: 'only at creation; it is not compared later',
  };
  const isKey = kind.manifest.key?.is === 'field' && kind.manifest.key.field === name;
  const cost =
    change === 'replace' && kind.deletion.cost !== undefined
      ? `What that costs: ${kind.deletion.cost}`
      : undefined;
  return [
    isKey && change === 'create' ? 'it is the key of the object, and says which one is meant' : texts[change],
    cost,
    ...oneWayTexts(field),
    inherits === undefined ? undefined : `${inherits} means: as its container has it`,
    field.type === 'value' && field.requires !== undefined ? `True needs: ${field.requires.kind}` : undefined,
  ];
}

function oneWayTexts(field: Field): readonly string[] {
  const texts = valuesOf(field).map((value) => field.oneWay?.(value));
  return [...new Set(texts)].filter((text) => text !== undefined);
}

function uniqueText(registry: Registry, kind: Kind, name: string): string | undefined {
  const within = kind.identity.unique?.find(({ field }) => field === name)?.within;
  if (within === undefined) return undefined;
  return within === 'parent' ? 'inside its parent' : `inside its ${registry.byName(within).noun}`;
}

function matchingText({ identity: { by: identities } }: Kind, name: string): string | undefined {
  const at = identities.findIndex(({ field }) => field === name);
  if (at < 0) return undefined;
  return at === 0
    ? 'the live object is recognised by it first'
    : 'the live object is recognised by it where nothing stronger matches';
}

function operationFacts(
  registry: Registry,
  kind: Kind,
  name: string,
): readonly (ExplainedFact | undefined)[] {
  const { list, get } = kind.reads;
  const detail = kind.fields[name]?.detail?.operation;
  const read = detail ?? list?.operation ?? get?.operation;
  return [
    fact('Set by', ...settersOf(registry, kind, name).map(operationLine)),
    fact('Read by', read === undefined ? undefined : operationLine(read)),
  ];
}

/** Risks that plans report, over all known values. */
function riskTexts(field: Field): readonly string[] {
  const { risk } = field;
  if (risk === undefined) return [];
  const situation = {
    isNew: false,
    inherited: { before: undefined, after: undefined },
    container: 'its container',
    isSetBelow: () => true,
  };
  const values = valuesOf(field);
  const found = new Map<string, string>();
  for (const before of values) {
    for (const after of values.filter((value) => value !== before)) {
      const risky = risk(before, after, situation);
      const text = typeof risky === 'string' ? risky : risky?.text;
      if (text !== undefined && !found.has(text)) found.set(text, wordOf(after));
    }
  }
  // A role that widens access is the same risk from any other role.
  const shown = [...found].filter(([text]) => !text.includes('→') && !/ (?:the role|the level) /.test(text));
  const isAboutValues = knownValues(field.schema()).length > 0 || isSwitch(field);
  return shown.map(([text, value]) => (isAboutValues || value === 'null' ? `${value}: ${text}` : text));
}

function isSwitch(field: Field): boolean {
  return unwrapped(field.schema()) instanceof z.ZodBoolean;
}

function wordOf(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Sample values for the field's functions. */
function valuesOf(field: Field): readonly Value[] {
  const known: readonly Value[] = isSwitch(field) ? [false, true] : knownValues(field.schema());
  const sample = field.example as Value;
  const own: readonly Value[] = known.length > 0 ? known : [sample, otherThan(sample)];
  return field.nullable === undefined ? own : [...own, null];
}

function otherThan(value: Value): Value {
  if (typeof value === 'string') return `${value}-2`;
  if (Array.isArray(value)) return [];
  return value !== null && typeof value === 'object' && 'enabled' in value ? { enabled: false } : {};
}
