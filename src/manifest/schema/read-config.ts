import type { Diagnostic } from '../../util/diagnostic.ts';
import type { Located } from '../../yaml/located.ts';
import { Problems } from '../../yaml/problems.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { readValue } from '../build/read-value.ts';
import { type Config, configSchema } from './config.ts';

export async function parseConfig(file: string, content: string) {
  const problems = new Problems();
  const config = readConfig(await readYaml(file, content, problems), problems);
  const diagnostics: readonly Diagnostic[] = problems.sorted();
  return { config, diagnostics };
}

function readConfig([document, second]: readonly Located[], problems: Problems): Config {
  if (second !== undefined) {
    problems.error('config', 'the configuration must be one document', second.at, {
      suggestion: 'remove the line ---',
    });
  }
  const read = document && readValue(configSchema, document, { name: '', problems, secrets: 'refused' });
  return read?.value ?? configSchema.parse({});
}
