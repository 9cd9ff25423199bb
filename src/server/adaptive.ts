/** Checks the schema of a site's visitor attributes: a JSON Schema draft-07 of an object. */
import { Ajv } from 'ajv';
import { invalid } from './errors.ts';

/** Refuses anything but a draft-07 schema of an object. */
export function demandSchema(jsonSchema: Record<string, unknown>): void {
  if (jsonSchema.type !== 'object') throw invalid('body.jsonSchema: type must be "object"');
  const { $schema } = jsonSchema;
  if ($schema !== undefined && !/^http:\/\/json-schema\.org\/draft-07\/schema#?$/.test(String($schema))) {
    throw invalid('body.jsonSchema: $schema must name draft-07');
  }
  const ajv = new Ajv({ strict: false, allErrors: false, logger: false });
  if (ajv.validateSchema(jsonSchema) !== true) {
    throw invalid(`body.jsonSchema: ${ajv.errorsText(ajv.errors, { dataVar: 'jsonSchema' })}`);
  }
}
