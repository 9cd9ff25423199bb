import type { Diagnostic } from '../../util/diagnostic.ts';
import { version } from '../../util/version.ts';
import { entryOf, type LocatedScalar } from '../../yaml/located.ts';
import { Problems } from '../../yaml/problems.ts';
import { readOneYaml } from '../../yaml/read-yaml.ts';
import { readValue } from '../build/read-value.ts';
import { type Config, configSchema } from './config.ts';

/** After errors, `config` contains only defaults. */
export async function parseConfig(
  file: string,
  content: string,
): Promise<{ readonly config: Config; readonly diagnostics: readonly Diagnostic[] }> {
  const problems = new Problems();
  const document = await readOneYaml(file, content, { code: 'config', what: 'the configuration', problems });
  const required = document?.type === 'map' ? entryOf(document, 'requires') : undefined;
  if (required?.value.type === 'scalar' && (await isOther(required.value, problems)))
    return { config: configSchema.parse({}), diagnostics: problems.sorted() };
  const read = document && readValue(configSchema, document, { name: '', problems, secrets: 'refused' });
  return { config: read?.value ?? configSchema.parse({}), diagnostics: problems.sorted() };
}

/** True if the folder requires another version of Octavo, whose settings this one may not know. */
async function isOther({ value, at }: LocatedScalar, problems: Problems): Promise<boolean> {
  const { satisfies, validRange } = await import('semver');
  const range = String(value);
  if (validRange(range) === null) {
    problems.error('config', `requires must be a range of versions, is ${JSON.stringify(range)}`, at, {
      suggestion: 'write one such as ">=0.1"',
    });
    return false;
  }
  if (satisfies(version, range, { includePrerelease: true })) return false;
  problems.error('version', `this folder requires Octavo ${range}, and this is ${version}`, at, {
    suggestion: 'install a version that it allows (docs/configuration.md#install), or change the range',
  });
  return true;
}
