/** Where editors find the JSON Schemas: in the published package, under an address that stays the same from version to version. */

/** The address of a schema. The same for every version: files that name it stay as they are when Octavo is updated. */
export function schemaAddress(name: 'manifest' | 'config'): string {
  return `https://unpkg.com/octavo/schemas/${name}.schema.json`;
}
