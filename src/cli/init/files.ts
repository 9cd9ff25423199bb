import path from 'node:path';
import { defined } from '../../util/defined.ts';
import { entriesText } from '../../yaml/print.ts';
import { pipelines } from './pipelines.ts';

export const pipelineNames = ['github', 'gitlab', 'none'] as const;

export type PipelineName = (typeof pipelineNames)[number];

export interface InitAnswers {
  readonly baseUrl: string;
  /** Absent if the token comes from the environment. */
  readonly tokenFile: string | undefined;
  /** The id. */
  readonly organization: string;
  /** Relative to the working folder. */
  readonly dir: string;
  readonly ci: PipelineName;
}

export interface InitFile {
  readonly name: string;
  readonly text: string;
  /** Existing lines stay; missing ones are added. */
  readonly isAdded?: true;
}

/** The token file for the settings; undefined if the environment has to name it. */
export function ownTokenFile({ tokenFile }: InitAnswers): string | undefined {
  return tokenFile !== undefined && isOwnFile(tokenFile) ? tokenFile : undefined;
}

/** Relative, and inside of the folder. */
export function isOwnFile(file: string): boolean {
  return !path.isAbsolute(file) && !/^(?:~|\.\.(?:[/\\]|$))/.test(path.normalize(file));
}

export function settingFiles(answers: InitAnswers): readonly InitFile[] {
  const { baseUrl, dir, ci } = answers;
  const tokenFile = ownTokenFile(answers);
  const settings = defined({ baseUrl, tokenFile, file: dir === '.' ? undefined : dir });
  const config = entriesText(
    new Map(Object.entries(settings).map(([key, value]) => [key, String(value)])),
    0,
  );
  const own = Object.entries(pipelines[ci] ?? {}).map(
    ([name, text]): InitFile => ({ name, text: text.replaceAll('-f docs', `-f ${dir}`) }),
  );
  const ignored = ['.octavo/', ...(tokenFile === undefined ? [] : [tokenFile])];
  const data = /^local:(.+)$/s.exec(baseUrl)?.[1];
  const lines = [...ignored, ...(data === undefined ? [] : [`${data}*`])];
  return [
    {
      name: 'octavo.config.yaml',
      text: `# Settings of all octavo commands in this folder: octavo explain config\n${config}`,
    },
    ...own,
    { name: '.gitignore', text: `${lines.join('\n')}\n`, isAdded: true },
  ];
}

/** For a workspace that is not exported. */
export function firstManifest({ organization, dir }: InitAnswers): InitFile {
  const declared = entriesText(new Map([['organization', new Map([['id', organization]])]]), 0);
  const text = `# What can be declared: octavo explain. Anything not declared here stays as it is.\noctavo: 1\n\n${declared}`;
  return { name: inFolder(dir, 'octavo.yaml'), text };
}

/** What is declared, applied to a service that has it, changes nothing. */
export function firstTest({ dir }: InitAnswers): InitFile {
  const manifests = dir === '.' ? '..' : `../${dir.replace(/\/+$/, '')}`;
  const text = `# Tests of what plans show, in memory: octavo test. docs/testing.md of Octavo has more.
tests:
  an applied workspace has no changes:
    given: { manifests: ${JSON.stringify(manifests)} }
    manifests: ${JSON.stringify(manifests)}
    expect:
      steps: {}
`;
  return { name: 'tests/workspace.test.yaml', text };
}

export function inFolder(dir: string, name: string): string {
  return dir === '.' ? name : `${dir.replace(/\/+$/, '')}/${name}`;
}
