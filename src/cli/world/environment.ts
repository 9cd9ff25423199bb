/** Environment variables that the command reads, and likely misspellings of them. */

// biome-ignore format: a list of words
const variables = [
  'OCTAVO_BASE_URL', 'OCTAVO_TOKEN', 'OCTAVO_TOKEN_FILE', 'OCTAVO_ALLOW_HTTP', 'OCTAVO_SHARD',
  'OCTAVO_TEST_SEED', 'OCTAVO_TEST_PATH', 'OCTAVO_CHECK_SUMMARY',
];

export async function misspelledVariables(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const unknown = Object.keys(env).filter(
    (name) => /^OCTAVO_?/i.test(name) && !variables.includes(name) && (env[name] ?? '') !== '',
  );
  if (unknown.length === 0) return [];
  const { nearest } = await import('../../util/nearest.ts');
  return unknown.flatMap((name) => {
    const squeezed = name.replaceAll('_', '');
    const meant =
      variables.find((one) => one.replaceAll('_', '') === squeezed.toUpperCase()) ?? nearest(name, variables);
    return meant === undefined
      ? []
      : [`warning[environment]: the variable ${name} is not read\n  help: did you mean ${meant}?`];
  });
}

/** An empty variable counts as not set. */
export function variableIn(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
