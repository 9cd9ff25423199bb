/** Writes a new workspace. Asks no questions: flags, the environment and the service provide the answers. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { parseBaseUrl } from '../../client/base-url.ts';
import { registry } from '../../kinds/index.ts';
import { isOutside } from '../../manifest/files/paths.ts';
import { leftOutText } from '../../report/results/export.ts';
import { safeText } from '../../report/text/safe-text.ts';
import { exportOrganization } from '../../run/export/export.ts';
import { findOrganization } from '../../run/export/export-input.ts';
import { writeExport } from '../../run/export/write-export.ts';
import { ServiceLink } from '../../run/reads/service-link.ts';
import { reasonOf, userError } from '../../util/user-error.ts';
import {
  firstManifest,
  type InitFile,
  ignoredLines,
  inFolder,
  isOwnFile,
  settingFiles,
} from '../init/files.ts';
import pipelines from '../init/pipelines.json' with { type: 'json' };
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { exporting, flagTable, oneOf, service, text, toggle } from '../line/flags.ts';
import { connect, hasState, isEmbedded } from '../service/connection.ts';
import { type RunSettings, readSettings } from '../service/settings.ts';
import { trustHost } from '../service/token.ts';

const flags = {
  baseUrl: service.baseUrl,
  tokenFile: service.tokenFile,
  organization: {
    ...exporting.organization,
    description: 'Organization: its id, hostname or title (default: the only one there is)',
  },
  ...flagTable('Workspace', {
    dir: text('path', 'Folder for the manifests (default: docs)'),
    fromLive: toggle('Write the live workspace as manifests'),
    ci: oneOf(Object.keys(pipelines), 'Also write pipelines for this CI system'),
  }),
};

type InitInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  flags,
  run,
});

async function run(invocation: InitInvocation): Promise<number> {
  const { flags, output, cwd, folder } = invocation;
  if (existsSync(path.join(cwd, 'octavo.config.yaml')))
    throw userError('exists', 'octavo.config.yaml already exists', 'octavo doctor checks it');
  const settings = await readSettings(invocation);
  const { baseUrl, baseUrlFile, allowHttp } = settings;
  if (baseUrl === undefined) {
    const help =
      'pass --base-url, or set OCTAVO_BASE_URL; --base-url local:octavo.db is the embedded service';
    throw userError('no-base-url', 'no service configured', help);
  }
  const origin = isEmbedded(baseUrl) ? undefined : parseBaseUrl(baseUrl, { allowHttp }).origin;
  // The configuration may name only a file of its folder.
  const data = /^local:(.+)$/s.exec(baseUrl)?.[1];
  const shared = data !== undefined && !isOwnFile(data) ? undefined : baseUrl;
  const dir = folderOf(invocation);
  const manifests = await firstManifests(invocation, settings, dir);
  const files = [...settingFiles(dir, flags.ci, shared), ...manifests];
  // The configuration will contain the host that the user named, so no command has to ask about it.
  if (origin !== undefined && baseUrlFile === undefined) trustHost(invocation, origin);
  const options = { cwd, out: '.', dryRun: false, command: 'init', folder };
  await writeExport(files.slice(1), options);
  const lines = ignoredLines(shared, flags.tokenFile);
  ignore(invocation, lines);
  // The configuration refuses a second run, so it comes last: a run that was killed can be repeated.
  await writeExport(files.slice(0, 1), options);
  output.result(
    closing(invocation, [...files.map(({ name }) => name), '.gitignore'], shared ? undefined : baseUrl),
  );
  return 0;
}

function folderOf({ flags: { dir = 'docs' }, cwd }: InitInvocation): string {
  const folder = path.relative(cwd, path.resolve(cwd, dir)).replaceAll(path.sep, '/') || '.';
  if (!isOwnFile(folder) || /\.ya?ml$/i.test(folder))
    throw userError('init', `--dir ${dir} is not a folder inside of this one`, 'pass --dir docs, or --dir .');
  return folder;
}

/** An organization's id suffices without a service; a name has to be looked up. */
async function firstManifests(
  invocation: InitInvocation,
  settings: RunSettings,
  dir: string,
): Promise<readonly InitFile[]> {
  const { flags, output, cwd } = invocation;
  const { organization: named, fromLive = false } = flags;
  if (named !== undefined && !/\s/.test(named) && !fromLive) return [firstManifest(named, dir)];
  if (!hasState(settings.baseUrl, cwd)) {
    const help = 'pass the id of an organization with --organization, and no --from-live';
    throw userError('init', 'the embedded service has no organizations yet', help);
  }
  const link = new ServiceLink((trees) => connect(invocation, settings, trees));
  try {
    return await output.during('Reading the live state', async () => {
      const api = await link.api([]);
      const organization = await findOrganization(api, named);
      output.note(safeText(`Organization: ${organization}`));
      if (!fromLive) return [firstManifest(organization, dir)];
      const options = { registry, organization, pin: 'ambiguous', layout: 'split' } as const;
      const { files, ...report } = await exportOrganization(api, options);
      const notes = leftOutText(report);
      if (notes !== '') output.note(notes);
      return files.map(({ name, text }) => ({ name: inFolder(dir, name), text }));
    });
  } finally {
    await link.close();
  }
}

/** Follows a link, but not to a file elsewhere. */
function ignore({ cwd, folder }: InitInvocation, lines: readonly string[]): void {
  try {
    const given = path.join(cwd, '.gitignore');
    const isThere = existsSync(given);
    const file = isThere ? realpathSync(given) : given;
    if (isThere && isOutside(realpathSync(cwd), file))
      throw new Error('it is a link to a place outside of this folder');
    const text = isThere ? readFileSync(file, 'utf8') : '';
    const known = new Set(text.split(/\r?\n/).map((line) => line.trim()));
    const missing = lines.filter((line) => !known.has(line));
    const end = text === '' || text.endsWith('\n') ? '' : '\n';
    if (missing.length > 0) folder.put(file, `${text}${end}${missing.join('\n')}\n`);
  } catch (error) {
    const help = `add to it: ${lines.join(', ')}`;
    throw userError('write', `cannot write .gitignore: ${reasonOf(error)}`, help);
  }
}

/** `own`: service that the configuration cannot name. */
function closing({ flags }: InitInvocation, names: readonly string[], own?: string): string {
  const { tokenFile, baseUrl = own ?? '' } = flags;
  const token = tokenFile === undefined ? 'OCTAVO_TOKEN=…' : `OCTAVO_TOKEN_FILE=${tokenFile}`;
  return [
    'Written:',
    ...names.map((name) => `  ${name}`),
    '',
    'Next:',
    ...(own === undefined ? [] : [`  export OCTAVO_BASE_URL=${own}`]),
    ...(isEmbedded(baseUrl) ? [] : [`  export ${token}`]),
    '  octavo doctor    checks the settings, the service and the token',
    '  octavo plan      shows what would change: nothing yet',
    '  octavo explain   lists what can be declared',
    ...(flags.ci === undefined
      ? []
      : ['  the pipelines    replace <…>, and set the variables that they name; see docs/ci.md of Octavo']),
    '',
  ].join('\n');
}
