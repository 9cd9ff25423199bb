/** The files that a new workspace starts with, from the answers. Pure. */
import path from 'node:path';
import { kinds, registry } from '../../kinds/index.ts';
import { entriesText } from '../../manifest/emit/yaml-text.ts';
import { defined } from '../../util/defined.ts';
import { skeletonText } from '../scaffold/skeleton.ts';
import { pipelines } from './pipelines.ts';

/** CI systems whose pipelines can be written. */
export const pipelineNames = ['github', 'gitlab', 'none'] as const;

/** One of them, or none. */
export type PipelineName = (typeof pipelineNames)[number];

/** What the files are made from. */
export interface InitAnswers {
  readonly baseUrl: string;
  /** Absent where the token comes from the environment. */
  readonly tokenFile: string | undefined;
  /** The id. */
  readonly organization: string;
  /** Folder of the manifests, relative to the working folder. */
  readonly dir: string;
  readonly ci: PipelineName;
}

/** A file to write, relative to the working folder. */
export interface InitFile {
  readonly name: string;
  readonly text: string;
  /** Lines of an existing file stay, and those that it lacks are added. */
  readonly isAdded?: true;
}

/** The token file that the settings may name; undefined where the environment has to. */
export function ownTokenFile({ tokenFile }: InitAnswers): string | undefined {
  return tokenFile !== undefined && isOwnFile(tokenFile) ? tokenFile : undefined;
}

/** True for a relative path that stays inside of the folder. */
export function isOwnFile(file: string): boolean {
  return !path.isAbsolute(file) && !/^(?:~|\.\.(?:[/\\]|$))/.test(path.normalize(file));
}

/** All files but the manifests. */
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

/** The first manifest, where the live workspace is not exported: the organization, with its fields as comments. */
export function firstManifest({ organization, dir }: InitAnswers): InitFile {
  const [root] = kinds;
  if (root === undefined) throw new Error('There are no kinds');
  const skeleton = skeletonText({
    registry,
    kind: root,
    key: '',
    path: [],
    organization,
    declaredKey: () => undefined,
  });
  const more = '# More objects: octavo scaffold --list. Nothing that is not written here is changed.\n';
  return { name: inFolder(dir, 'octavo.yaml'), text: `${skeleton}${more}` };
}

/** A file of the manifests' folder. */
export function inFolder(dir: string, name: string): string {
  return dir === '.' ? name : `${dir.replace(/\/+$/, '')}/${name}`;
}
