import { existsSync } from 'node:fs';
import path from 'node:path';
import { registry } from '../../kinds/index.ts';
import { exportOrganization } from '../../run/export/export.ts';
import { userError } from '../../util/user-error.ts';
import { Asker, AskingEnded } from '../init/ask.ts';
import {
  firstManifest,
  firstTest,
  type InitAnswers,
  type InitFile,
  inFolder,
  ownTokenFile,
  settingFiles,
} from '../init/files.ts';
import { type Gathered, gather, type InitInvocation, initFlags } from '../init/gather.ts';
import { type PreparedFile, prepareFiles, writePrepared } from '../init/write.ts';
import { defineCommand } from '../line/command.ts';
import { trustHost } from '../service/token.ts';

export const command = defineCommand({
  flags: initFlags,
  examples: [
    'octavo init',
    'octavo init --from-live --dir docs --ci github',
    'octavo init --yes --base-url https://api.example.com --organization org_acme',
  ],
  guide: 'first-workspace',
  run,
});

const nothing = 'Nothing was written.';

async function run(invocation: InitInvocation): Promise<number> {
  const { flags, output, world, interrupt, cwd } = invocation;
  if (existsSync(path.join(cwd, 'octavo.config.yaml'))) {
    throw userError('init-exists', 'octavo.config.yaml exists already', 'octavo doctor checks it');
  }
  const isAsking = flags.yes !== true && world.stdin.isTTY === true && world.stderr.isTTY === true;
  if (!isAsking && flags.yes !== true) {
    throw userError(
      'init',
      'init asks on a terminal, and there is none',
      'pass --yes, with --base-url and --organization',
    );
  }
  const asker = isAsking ? new Asker(world, interrupt) : undefined;
  try {
    const gathered = await gather(invocation, asker);
    try {
      return await write(invocation, gathered, asker);
    } finally {
      await gathered.close();
    }
  } catch (error) {
    if (interrupt.requested) {
      output.error(`Interrupted. ${nothing}`);
      return interrupt.exitCode;
    }
    if (!(error instanceof AskingEnded)) throw error;
    output.error(`The input ended. ${nothing}`);
    return 1;
  } finally {
    asker?.close();
  }
}

async function write(
  invocation: InitInvocation,
  gathered: Gathered,
  asker: Asker | undefined,
): Promise<number> {
  const { output, cwd, env } = invocation;
  const { answers, isFromLive } = gathered;
  const settings = settingFiles(answers);
  // Report conflicts with existing files before reading anything.
  prepareFiles(cwd, settings);
  const manifests = isFromLive ? await liveManifests(invocation, gathered) : [firstManifest(answers)];
  const files = prepareFiles(cwd, [...settings, ...manifests, firstTest(answers)]);
  if (asker !== undefined) {
    asker.say(`\n${listed(files)}`);
    if (!(await asker.confirm('Write these files?', { initial: 'yes' }))) {
      output.error(nothing);
      return 1;
    }
  }
  // The configuration will contain the host that the user named: no command has to ask about it.
  if (gathered.namedHost !== undefined) trustHost(env, gathered.namedHost);
  writePrepared(files);
  output.result(closing(files, gathered));
  return 0;
}

async function liveManifests(
  { output }: InitInvocation,
  { answers, api }: Gathered,
): Promise<readonly InitFile[]> {
  const { organization, dir } = answers;
  const progress = await output.progress('Reading the live state');
  try {
    const options = { registry, organization, pin: 'ambiguous', layout: 'split' } as const;
    const { files } = await exportOrganization(await api(), options);
    return files.map(({ name, text }) => ({ name: inFolder(dir, name), text }));
  } finally {
    progress.stop();
  }
}

function listed(files: readonly PreparedFile[]): string {
  return files.map(({ name, isNew }) => `  ${isNew ? 'new    ' : 'changed'}  ${name}`).join('\n');
}

function closing(files: readonly PreparedFile[], { answers, isFromLive }: Gathered): string {
  return [
    'Written:',
    listed(files),
    '',
    'Next:',
    ...tokenLines(answers),
    '  octavo doctor           checks the settings, the service and the token',
    `  octavo plan             ${isFromLive ? 'shows no change: the manifests are what is live' : 'shows what would change'}`,
    '  octavo test             tests what plans show, in memory',
    '  octavo explain          lists what can be declared',
    ...(answers.ci === 'none'
      ? []
      : [
          '  the pipelines           replace <…>, and set the variables and secrets that they name; docs/ci.md of Octavo explains them',
        ]),
    '',
  ].join('\n');
}

function tokenLines(answers: InitAnswers): readonly string[] {
  const { baseUrl, tokenFile } = answers;
  if (/^local(?::|$)/.test(baseUrl)) return [];
  if (tokenFile === undefined) return ['  export OCTAVO_TOKEN=…   the token, where it is not set yet'];
  // The settings do not name files outside of the folder.
  if (ownTokenFile(answers) === undefined) return [`  export OCTAVO_TOKEN_FILE=${tokenFile}`];
  return [`  put the token into ${tokenFile}`];
}
