/** Small workspaces with templates that would expand enormously: each is rejected quickly, with one clear problem. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'octavo-bombs-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const head = 'octavo: 1\norganization: org_acme\n';

async function codes(): Promise<readonly string[]> {
  const { diagnostics } = await loadWorkspace({ paths: [], overlays: [], env: {}, cwd, registry });
  return [...new Set(diagnostics.map(({ code }) => code))];
}

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_none, index) => part(index));

const body = (kind: string, text: string) => `{ ${kind}: ${text} }`;

test('rejects templates that use each other ten times each, seven levels deep', async () => {
  const levels = times(8, (level) => {
    const uses = times(10, (index) => `k${index}: { use: t${level + 1} }`).join(', ');
    return `  t${level}: ${body('sectionGroup', `{ title: Group, sections: { ${uses} } }`)}`;
  });
  const last = `  t8: ${body('sectionGroup', '{ title: Group, sections: {} }')}`;
  const sites = 'sites: { hub: { title: Hub, sections: { a: { use: t1 } } } }';
  writeFileSync(path.join(cwd, 'a.yaml'), `${head}templates:\n${[...levels, last].join('\n')}\n${sites}\n`);
  expect(await codes()).toContain('too-many-values');
});

test('rejects templates that pass a list on ten times each', async () => {
  const ten = times(10, () => '"${input:x}"').join(', ');
  const levels = times(7, (level) => {
    const use = `{ use: t${level + 1}, with: { x: [${ten}] } }`;
    return `  t${level}: { inputs: { x: { type: list } }, sectionGroup: { title: Group, sections: { a: ${use} } } }`;
  });
  const last =
    '  t7: { inputs: { x: { type: list } }, sectionGroup: { title: Group, sections: { a: { title: A, x-list: "${input:x}" } } } }';
  const sites =
    'sites: { hub: { title: Hub, sections: { a: { use: t0, with: { x: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } } } } }';
  writeFileSync(path.join(cwd, 'a.yaml'), `${head}templates:\n${[...levels, last].join('\n')}\n${sites}\n`);
  expect(await codes()).toContain('too-many-values');
});

test('rejects templates that pass a text on twice each in many levels', async () => {
  const twenty = times(40, () => '${input:x}').join('');
  const levels = times(7, (level) => {
    const use = `{ use: t${level + 1}, with: { x: "${twenty}" } }`;
    return `  t${level}: { inputs: { x: { type: string } }, sectionGroup: { title: Group, sections: { a: ${use} } } }`;
  });
  const last = '  t7: { inputs: { x: { type: string } }, section: { title: "${input:x}" } }';
  const sites = 'sites: { hub: { title: Hub, sections: { a: { use: t0, with: { x: ha } } } } }';
  writeFileSync(path.join(cwd, 'a.yaml'), `${head}templates:\n${[...levels, last].join('\n')}\n${sites}\n`);
  expect(await codes()).toContain('too-many-values');
});

test('rejects a list of records that is too long', async () => {
  const records = times(15_000, (index) => `- { key: t${index}, title: Team ${index} }`);
  writeFileSync(path.join(cwd, 'list.txt'), records.join('\n'));
  const members = times(20, (index) => `m${index}@acme.dev: member`).join(', ');
  const template = `  t: { inputs: { title: { type: string } }, team: { title: "\${input:title}", members: { ${members} } } }`;
  writeFileSync(
    path.join(cwd, 'a.yaml'),
    `${head}templates:\n${template}\nteams: { all: { use: t, each: "\${yaml:list.txt}" } }\n`,
  );
  expect(await codes()).toContain('too-many-values');
});
