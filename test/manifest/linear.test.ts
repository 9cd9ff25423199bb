/** Checking a workspace takes time proportional to its size, even if every site has the same keys. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { checkReferences } from '../../src/manifest/build/check-references.ts';
import { checkTree } from '../../src/manifest/build/check-tree.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import type { DesiredNode } from '../../src/tree/desired.ts';
import { DesiredTree } from '../../src/tree/desired-tree.ts';
import { Problems } from '../../src/yaml/problems.ts';
import { memoryFiles } from '../support/memory-files.ts';

function sites(count: number, section: (at: number) => string): string {
  const own = Array.from({ length: 6 }, (_none, at) => section(at)).join('');
  const all = Array.from(
    { length: count },
    (_none, at) => `  site-${at}:\n    default: s0\n    sections:\n${own}`,
  );
  return `octavo: 1\norganization: org_acme\nspaces: { docs: {} }\nsites:\n${all.join('')}`;
}

const likeNamed = (at: number) =>
  `      s${at}: { path: s${at}, spaces: { en: { space: docs } }, default: en }\n`;
const unknownDefault = (at: number) =>
  `      s${at}: { path: s${at}, spaces: { en: { space: docs } }, default: de }\n`;

/** Number of property reads by the checks. */
async function propertyReads(text: string): Promise<number> {
  const files = memoryFiles({ '/w/a.yaml': text });
  const { trees } = await loadWorkspace({ paths: [], overlays: [], env: {}, cwd: '/w', registry, files });
  let count = 0;
  const counted = (node: DesiredNode): DesiredNode =>
    new Proxy(node, {
      get: (target, name, receiver) => {
        count += 1;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
  for (const { data } of trees) {
    const nodes = new Map([...data.nodes].map(([address, node]) => [address, counted(node)]));
    const tree = new DesiredTree({ ...data, nodes });
    checkReferences(tree, registry, new Problems());
    checkTree({ tree, registry, problems: new Problems(), isOffline: true, pinned: new Map() });
  }
  return count;
}

test.each([
  ['sections and site-spaces of the same names in every site', likeNamed],
  ['a default that no section has', unknownDefault],
])('checks four times as many sites with four times the work: %s', async (_name, section) => {
  const few = await propertyReads(sites(20, section));
  const many = await propertyReads(sites(80, section));
  expect(few).toBeGreaterThan(1000);
  expect(many / few).toBeLessThan(4.2);
});
