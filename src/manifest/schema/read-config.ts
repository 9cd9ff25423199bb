import type { Diagnostic } from '../../util/diagnostic.ts';
import { Problems } from '../../yaml/problems.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { readValue } from '../build/read-value.ts';
import { type Config, configSchema } from './config.ts';

/** With errors, `config` has defaults alone. */
export async function parseConfig(
  file: string,
  content: string,
): Promise<{ readonly config: Config; readonly diagnostics: readonly Diagnostic[] }> {
  const problems = new Problems();
  const [document, second] = await readYaml(file, content, problems);
  if (second !== undefined) {
    problems.error('config', 'the configuration must be one document', second.at, {
      suggestion: 'remove the line ---',
    });
  }
  const read = document && readValue(configSchema, document, { name: '', problems, secrets: 'refused' });
  return { config: read?.value ?? configSchema.parse({}), diagnostics: problems.sorted() };
}
