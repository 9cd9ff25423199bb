/** Settings that bind an apply: they come from its base, so that a request cannot lift its own approval. */
import path from 'node:path';
import type { ManifestFiles } from '../../manifest/files/disk.ts';
import type { Config } from '../../manifest/schema/config.ts';
import { parseConfig } from '../../manifest/schema/read-config.ts';
import { hasErrors } from '../../util/diagnostic.ts';
import { sameJson } from '../../util/json.ts';

export const configFile = 'octavo.config.yaml';

export const bindingKeys = ['branches', 'approval', 'app', 'comment', 'rehearse', 'changed'] as const;

type Binding = { readonly [Key in 'ci' | 'base']?: Config[Key] | undefined };

/** Example: ci.approval from its default to none. */
export function bindingChanges(before: Binding, after: Binding): readonly string[] {
  const all = [
    ...bindingKeys.map((key) => [`ci.${key}`, before.ci?.[key], after.ci?.[key]] as const),
    ['base', before.base, after.base] as const,
  ];
  return all.flatMap(([name, from = 'its default', to = 'its default']) =>
    sameJson(from, to) ? [] : [`${name} from ${from} to ${to}`],
  );
}

/** The configuration of the same folder in other files, such as those of a commit. Undefined if it is missing or invalid. */
export async function configIn(
  { read, type }: Pick<ManifestFiles, 'read' | 'type'>,
  candidates: readonly string[],
): Promise<Config | undefined> {
  for (const file of candidates) {
    if ((await type(file)) !== 'file') continue;
    const { config, diagnostics } = await parseConfig(file, Buffer.from(await read(file)).toString('utf8'));
    return hasErrors(diagnostics) ? undefined : config;
  }
  return undefined;
}

/** Places of the configuration of a working folder, nearest first. */
export function configFiles(cwd: string, root: string): readonly string[] {
  const file = path.join(cwd, configFile);
  const above = path.dirname(cwd);
  return cwd === root || above === cwd ? [file] : [file, ...configFiles(above, root)];
}
