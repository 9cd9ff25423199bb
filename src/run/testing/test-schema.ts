/** The form of a test file: expectations for a plan of the manifests. The type, the reader and `schemas/test.schema.json` come from it. */
import * as z from 'zod';
import { toSchema } from '../../manifest/schema/json-schema-parts.ts';
import { actionSchema } from '../../plan/plan.ts';
import { byName, list, oneOrMore, strictObject } from '../../util/data-schema.ts';

const text = z.string().min(1);
const actions = z.union([actionSchema, list(actionSchema)]);
const anything = z.unknown();

const state = {
  manifests: oneOrMore(text)
    .exactOptional()
    .meta({
      description: 'Files and folders, relative to this file and inside of the project.',
      examples: ['../docs'],
    }),
  overlays: oneOrMore(text)
    .exactOptional()
    .meta({ description: 'Overlays to merge over them: names or files.', examples: ['production'] }),
  variables: byName(z.string())
    .exactOptional()
    .meta({
      description: 'Values of ${env:…} and ${secret:…}; the environment is not read.',
      examples: [{ ORG_ID: 'org_acme' }],
    }),
};

const change = strictObject({
  from: anything.exactOptional().describe('Before the plan; null for none.'),
  to: anything.exactOptional().describe('After it.'),
});

export const testSchema = strictObject({
  given: strictObject({
    seed: text.exactOptional().meta({
      description: 'State of the service: a seed, which is a JSON file, or sample.',
      examples: ['seed.json'],
    }),
    ...state,
  })
    .exactOptional()
    .describe('The live state before the plan, and its base if it is given as manifests (default: nothing).'),
  ...state,
  expect: strictObject({
    steps: byName(
      z.union([actions, strictObject({ action: actions, fields: byName(change).exactOptional() })]),
    )
      .exactOptional()
      .meta({
        description: 'All changes of the plan: actions by address, with fields if they matter.',
        examples: [{ 'teams/writers': 'create' }],
      }),
    refusals: list(strictObject({ address: text, guard: text }))
      .default([])
      .meta({
        description: 'All changes that guards refuse (default: none).',
        examples: [[{ address: 'sites/status', guard: 'protected' }]],
      }),
    findings: list(strictObject({ address: text, rule: text }))
      .default([])
      .meta({
        description:
          'All violations of the rules of the project, with the address of the object, or organization (default: none).',
        examples: [[{ address: 'sites/status', rule: 'no-site-deletes' }]],
      }),
    access: list(strictObject({ person: text, on: text, from: text, to: text }))
      .exactOptional()
      .meta({
        description:
          'All lines of who gains and who loses access: e-mail address, address, and what they can do before and after.',
        examples: [[{ person: 'ben@acme.dev', on: 'collections/handbook', from: 'none', to: 'edit' }]],
      }),
    converges: z
      .boolean()
      .exactOptional()
      .describe(
        'Whether the plan is applied, and another plan must be empty (default: true, unless refusals are expected).',
      ),
  }).describe('What the plan must show; omitted parts are not compared.'),
});

export const testFileSchema = strictObject({
  tests: byName(testSchema).meta({ description: 'Tests by name.', entry: 'key' }),
});

export type ConfigurationTest = z.infer<typeof testSchema>;

export type TestState = Pick<ConfigurationTest, keyof typeof state>;

export function testJsonSchema(): Readonly<Record<string, unknown>> {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  return { $schema, title: 'Octavo tests of configuration', ...toSchema(testFileSchema) };
}
