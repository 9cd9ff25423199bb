/** The entries of the JSON Schemas in catalogs of schemas, by which editors know files by their names. Pure. */
import { schemaAddress } from '../manifest/schema-address.ts';

/** A catalog in the form that the JSON Schema Store and editors take. */
export function schemaCatalog() {
  return {
    $schema: 'https://json.schemastore.org/schema-catalog.json',
    version: 1,
    schemas: [
      {
        name: 'Octavo manifest',
        description: 'Documentation workspaces as code: organizations, teams, sites, collections and spaces',
        fileMatch: ['octavo.yaml', 'octavo.yml', '*.octavo.yaml', '*.octavo.yml'],
        url: schemaAddress('manifest'),
      },
      {
        name: 'Octavo configuration',
        description: 'Settings of the octavo command for a repository',
        fileMatch: ['octavo.config.yaml', 'octavo.config.yml'],
        url: schemaAddress('config'),
      },
    ],
  };
}
