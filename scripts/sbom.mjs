/**
 * A list of packages, for scanners: those in the bundle, which are development dependencies that scanners on users' machines do not see,
 * and those that npm installs in addition, with binaries for every system.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * CycloneDX format; depends only on the lock file. `folders`: of the bundle, as in the lock file. `time`: of the commit, as ISO 8601. Throws
 * for a package without an SPDX license.
 */
export function sbom(root, folders, time) {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = installedWith(own, lock);
  const of = (folder, scope) => {
    const { integrity, version, license } = lock[folder];
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { ...component('library', { name, version, license }), scope, hashes: [hashOf(integrity)] };
  };
  const components = [
    ...folders.map((folder) => of(folder, 'required')),
    ...[...installed.keys()].map((folder) => of(folder, 'optional')),
  ].sort((one, other) => (one.purl < other.purl ? -1 : 1));
  const application = component('application', own);
  const refOf = (folder) => of(folder)['bom-ref'];
  const direct = [...folders, ...Object.keys(own.optionalDependencies).map((name) => `node_modules/${name}`)];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { ...(time && { timestamp: time }), component: application },
    components,
    dependencies: [
      { ref: application['bom-ref'], dependsOn: [...new Set(direct.map(refOf))].sort() },
      ...[...installed].map(([folder, below]) => ({ ref: refOf(folder), dependsOn: below.map(refOf) })),
    ],
  };
}

/** Packages that npm installs with this one, on any system, with the packages that each needs; by folder. */
function installedWith({ optionalDependencies }, lock) {
  const found = new Map();
  const open = Object.keys(optionalDependencies);
  for (const name of open) {
    const folder = `node_modules/${name}`;
    if (found.has(folder)) continue;
    const { dependencies, optionalDependencies: more } = lock[folder];
    const below = Object.keys({ ...dependencies, ...more });
    found.set(
      folder,
      below.map((one) => `node_modules/${one}`),
    );
    open.push(...below);
  }
  return found;
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
