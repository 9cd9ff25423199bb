import type { Diagnostic } from '../../util/diagnostic.ts';
import type { Located } from '../../yaml/located.ts';
import { Problems } from '../../yaml/problems.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { readValue } from '../build/read-value.ts';
import { type Config, configSchema } from './config.ts';

/** With errors, `config` has the settings that are valid, and `unread` names those that the file sets, or may set, to something else. */
export async function parseConfig(file: string, content: string) {
  const problems = new Problems();
  const read = readConfig(await readYaml(file, content, problems), problems);
  const diagnostics: readonly Diagnostic[] = problems.sorted();
  return { ...read, diagnostics };
}

const settingNames = Object.keys(configSchema.unwrap().shape);

interface ReadConfig {
  readonly config: Config;
  readonly unread: readonly string[];
}

function readConfig([document, second]: readonly Located[], problems: Problems): ReadConfig {
  if (second !== undefined) {
    problems.error('config', 'the configuration must be one document', second.at, {
      suggestion: 'remove the line ---',
    });
  }
  if (document === undefined) {
    return { config: configSchema.parse({}), unread: problems.sorted().length === 0 ? [] : settingNames };
  }
  const read = readValue(configSchema, document, { name: '', problems, secrets: 'refused' });
  return read === undefined ? readEach(document) : { config: read.value, unread: [] };
}

/** One setting at a time, since each has nothing to do with the others. */
function readEach(document: Located): ReadConfig {
  if (document.type !== 'map') return { config: configSchema.parse({}), unread: settingNames };
  const options = { name: '', problems: new Problems(), secrets: 'refused' } as const;
  const read = document.entries.map((entry) => ({
    name: entry.key as keyof Config,
    value: readValue(configSchema, { ...document, entries: [entry] }, options)?.value,
  }));
  const valid = read.flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value[name]] as const],
  );
  return {
    config: configSchema.parse(Object.fromEntries(valid)),
    unread: read.flatMap(({ name, value }) => (value === undefined ? [name] : [])),
  };
}
