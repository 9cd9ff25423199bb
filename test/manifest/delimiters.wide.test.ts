/** Megabytes of one delimiter take about as long as harmless text of the same size. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { loadWorkspace } from '../../src/manifest/load-workspace.ts';
import { workspaceWarnings } from '../../src/manifest/warnings/workspace-warnings.ts';
import { cpuOf } from '../support/cpu.ts';
import { memoryFiles } from '../support/memory-files.ts';

const head = 'octavo: 1\norganization: org_acme\n';
/** Maximum size of a file. */
const size = 5_000_000;

function secondsFor(text: string): Promise<number> {
  const files = memoryFiles({ '/w/a.yaml': text });
  const options = { paths: [], overlays: [], env: {}, cwd: '/w', registry, files };
  return cpuOf(async () => workspaceWarnings(await loadWorkspace({ ...options, purpose: 'check' }), options));
}

const delimiters = [
  ...'{}[]()"\'*&#<>-:|,!%@`?~\\ \t\n\u200B',
  ...['${', '$${', '${env:', '${env:A}', '${x}', '---\n', '- ', '? ', 'a: ', '<<: ', '"": ', '{}', '[],'],
];
const fill = (text: string) => text.repeat(Math.ceil(size / text.length));
const places: Readonly<Record<string, (text: string) => string>> = {
  document: (text) => `${head}${fill(text)}\n`,
  'quoted text': (text) => `${head}teams:\n  a:\n    title: "${fill(text.replace(/["\\]/g, '\\$&'))}"\n`,
  'plain text': (text) => `${head}teams:\n  a:\n    title: x${fill(text)}\n`,
  comment: (text) => `${head}teams:\n  a:\n    title: x # ${fill(text)}\n`,
};

const harmless = await secondsFor(`${head}x-a:\n${fill('  - { a: &a b } # c\n')}`);

for (const [place, make] of Object.entries(places)) {
  test.each(delimiters)(
    `parses a ${place} of %j in less than three times the usual time`,
    async (delimiter) => {
      // The minimum of a few: other processes and garbage collection take time, too.
      let least = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < 4 && least >= 3; tries += 1)
        least = Math.min(least, (await secondsFor(make(delimiter))) / harmless);
      expect(least).toBeLessThan(3);
    },
  );
}
