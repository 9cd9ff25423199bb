import * as z from 'zod';
import { describeProperties, describeSchema } from '../../contract/describe-schema.ts';
import { kinds } from '../../kinds/index.ts';
import { configSchema } from '../../manifest/schema/config.ts';
import { ruleSchema } from '../../manifest/schema/rules.ts';
import type { ExplainedPart, Explanation } from '../../report/results/explanation.ts';
import { formerNamesSchema, lifecycleSchema } from '../../tree/lifecycle.ts';
import { settingsSchema } from '../../tree/settings.ts';
import { unwrapped } from '../../util/data-schema.ts';
import { fact, facts, plain } from './example.ts';
import type { UnknownSpot } from './walk.ts';

interface SchemaTopic {
  readonly schema: () => z.ZodType;
  readonly description: string;
  readonly where: string;
  /** Default: settings. */
  readonly page?: string;
  readonly heading: string;
}

const topics: Readonly<Record<string, SchemaTopic | undefined>> = {
  settings: {
    schema: () => settingsSchema(kinds.map(({ name }) => name)),
    description: 'What may be deleted and how much may change.',
    where: 'once per organization, at the top of a manifest',
    heading: 'settings',
  },
  lifecycle: {
    schema: () => lifecycleSchema(z.string()),
    description: 'How an object is treated over its life.',
    where: 'on any object',
    heading: 'lifecycle',
  },
  was: {
    schema: () => formerNamesSchema,
    description: formerNamesSchema.description ?? '',
    where: 'on any object',
    heading: 'was',
  },
  config: {
    schema: () => configSchema,
    description: 'What a folder sets for every command. Flags and environment variables come first.',
    where: 'octavo.config.yaml, in the working folder or above it in its repository',
    heading: 'octavoconfigyaml',
  },
  rule: {
    schema: ruleSchema,
    description: 'What a repository demands of its plans.',
    where: 'octavo.rules.yaml, at the root of the repository, under rules:',
    page: 'rules',
    heading: 'rules',
  },
};

/** Including parts: `settings.limits.deletes`. */
export function schemaTopicNames(): readonly string[] {
  return Object.entries(topics).flatMap(([name, topic]) =>
    topic === undefined ? [] : [name, ...namesIn(topic.schema(), name)],
  );
}

function namesIn(schema: z.ZodType, path: string): readonly string[] {
  const inner = unwrapped(schema);
  if (!(inner instanceof z.ZodObject)) return [];
  return Object.entries(inner.shape).flatMap(([name, part]) => [
    `${path}.${name}`,
    ...namesIn(part as z.ZodType, `${path}.${name}`),
  ]);
}

/** Undefined if the path does not start with one of these topics. */
export function explainSchema(written: string): Explanation | UnknownSpot | undefined {
  const [first = '', ...rest] = written.replace(/^octavo\.config\.yaml/, 'config').split('.');
  const topic = Object.hasOwn(topics, first) ? topics[first] : undefined;
  if (topic === undefined) return undefined;
  let schema = topic.schema();
  let meaning = topic.description;
  for (const [at, word] of rest.entries()) {
    const inner = unwrapped(schema);
    const shape = inner instanceof z.ZodObject ? inner.shape : {};
    const next = Object.hasOwn(shape, word) ? shape[word] : undefined;
    const path = [first, ...rest.slice(0, at)].join('.');
    if (!(inner instanceof z.ZodObject) || next === undefined)
      return { type: 'unknown', word, path, known: Object.keys(shape) };
    // Without a description of its own, it gets that of the mapping around it.
    const own = describeProperties(inner).find(({ name }) => name === word)?.meaning ?? '';
    if (own !== '') meaning = own;
    schema = next as z.ZodType;
  }
  const path = [first, ...rest].join('.');
  return explanationOf({ topic, path, schema, meaning, isPart: rest.length > 0 });
}

interface FoundSchema {
  readonly topic: SchemaTopic;
  readonly path: string;
  readonly schema: z.ZodType;
  readonly meaning: string;
  readonly isPart: boolean;
}

function explanationOf({ topic, path, schema, meaning, isPart }: FoundSchema): Explanation {
  const rows = rowsOf(schema);
  const help = helpOf(schema);
  return {
    topic: path,
    what: isPart ? `setting of ${path.split('.').slice(0, -1).join('.')}` : 'setting',
    description: plain(meaning),
    facts: facts(
      fact('Where', topic.where),
      fact('Value', rows.length > 0 ? 'mapping' : describeSchema(schema)),
      fact('Help', help),
    ),
    ...(rows.length === 0 ? {} : { parts: { title: 'Keys', rows } }),
    reference: `docs/reference/${topic.page ?? 'settings'}.md#${topic.heading}`,
  };
}

function rowsOf(schema: z.ZodType): readonly ExplainedPart[] {
  const inner = unwrapped(schema);
  if (!(inner instanceof z.ZodObject)) return [];
  return describeProperties(inner).map(({ name, value, meaning }) => ({
    name,
    depth: 0,
    // A mapping is explained by its own path.
    value: value.startsWith('{') ? 'mapping' : plain(value),
    description: plain(meaning),
  }));
}

/** For users who wrote a wrong value; undefined if the schema has none. */
function helpOf(schema: z.ZodType): string | undefined {
  for (const one of [schema, unwrapped(schema)]) {
    const { help } = (one.meta() ?? {}) as { readonly help?: unknown };
    if (typeof help === 'string') return help;
  }
  return undefined;
}
