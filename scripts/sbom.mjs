/** A list of the packages in the bundle, for scanners: they are development dependencies, which scanners on users' machines do not see. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** CycloneDX format; depends only on the lock file. `folders`: as in the lock file. Throws for a package without an SPDX license. */
export function sbom(root, folders) {
  const read = (name) => JSON.parse(readFileSync(join(root, name), 'utf8'));
  const own = read('package.json');
  const lock = read('package-lock.json').packages;
  const components = folders.map((folder) => {
    const { integrity } = lock[folder];
    return { ...component('library', read(`${folder}/package.json`)), hashes: [hashOf(integrity)] };
  });
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component('application', own) },
    components: components.sort((one, other) => (one.purl < other.purl ? -1 : 1)),
  };
}

function component(type, { name, version, license }) {
  if (typeof license !== 'string') throw new Error(`${name} names no license`);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const isExpression = /[ (]/.test(license);
  const licenses = [isExpression ? { expression: license } : { license: { id: license } }];
  return { type, 'bom-ref': purl, name, version, purl, licenses };
}

function hashOf(integrity) {
  const [, base64] = /^sha512-(.+)$/.exec(integrity);
  return { alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') };
}
