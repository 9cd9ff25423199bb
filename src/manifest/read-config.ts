/** Reads the text of `octavo.config.yaml`, with every problem at its place. */
import type { Diagnostic } from '../util/diagnostic.ts';
import { type Config, configSchema } from './config.ts';
import type { Located } from './located.ts';
import { Problems } from './problems.ts';
import { readValue } from './read-value.ts';
import { readYaml } from './read-yaml.ts';

/** Reads the text of the file; an empty one sets nothing. Never throws for what is in it. */
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
