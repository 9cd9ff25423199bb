import path from 'node:path';
import { defined } from '../../util/defined.ts';
import { entriesText } from '../../yaml/print.ts';
import pipelines from './pipelines.json' with { type: 'json' };

export interface InitFile {
  readonly name: string;
  readonly text: string;
}

export function isOwnFile(file: string): boolean {
  return !path.isAbsolute(file) && !/^(?:~|\.\.(?:[/\\]|$))/.test(path.normalize(file));
}

/** `baseUrl`: undefined if it belongs to this machine alone. */
export function settingFiles(
  dir: string,
  ci: string | undefined,
  baseUrl: string | undefined,
): readonly InitFile[] {
  const settings = defined({ baseUrl, file: dir === '.' ? undefined : dir });
  const text = entriesText(new Map(Object.entries(settings)), 0);
  const own = Object.entries(pipelines).flatMap(([name, of]) =>
    name === ci ? Object.entries<string>(of) : [],
  );
  return [
    {
      name: 'octavo.config.yaml',
      text: `# Settings of all octavo commands in this folder: octavo explain config\n${text}`,
    },
    ...own.map(([name, pipeline]) => ({ name, text: pipeline.replaceAll('-f docs', `-f ${dir}`) })),
    firstTest(dir),
  ];
}

export function ignoredLines(baseUrl = '', tokenFile = ''): readonly string[] {
  const data = /^local:(.+)$/s.exec(baseUrl)?.[1];
  const token = tokenFile !== '' && isOwnFile(tokenFile) ? [tokenFile] : [];
  return ['.octavo/', ...token, ...(data === undefined ? [] : [`${data}*`])];
}

export function firstManifest(organization: string, dir: string): InitFile {
  const declared = entriesText(new Map([['organization', new Map([['id', organization]])]]), 0);
  const text = `# What can be declared: octavo explain. Anything not declared here stays as it is.\noctavo: 1\n\n${declared}`;
  return { name: inFolder(dir, 'octavo.yaml'), text };
}

function firstTest(dir: string): InitFile {
  const manifests = JSON.stringify(dir === '.' ? '..' : `../${dir}`);
  const text = `# Tests of what plans show, in memory: octavo test. docs/testing.md of Octavo has more.
tests:
  an applied workspace has no changes:
    given: { manifests: ${manifests} }
    manifests: ${manifests}
    expect:
      steps: {}
`;
  return { name: 'tests/workspace.test.yaml', text };
}

export function inFolder(dir: string, name: string): string {
  return dir === '.' ? name : `${dir}/${name}`;
}
