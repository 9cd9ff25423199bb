import { headOf, onGitError, type Repository } from '../../manifest/files/repository.ts';
import { findRun } from '../../past/journal/find-run.ts';
import type { JournaledRun } from '../../past/journal/read-journal.ts';
import type { Plan } from '../../plan/plan.ts';
import { safeText } from '../../report/text/safe-text.ts';
import { writePlanFile } from '../../run/plan-file/write-plan.ts';
import { openUndo, undoRun } from '../../run/undo/open-undo.ts';
import { userError } from '../../util/user-error.ts';
import { type OpenedApply, runApplyFlow } from '../apply/flow.ts';
import type { LockOrganizations } from '../apply/locking.ts';
import { defineCommand, type Invocation } from '../line/command.ts';
import { approving, display, locking, planFiles, service, skipping } from '../line/flags.ts';
import { serviceName } from '../service/connection.ts';
import { readingLive, sessionOptions } from '../service/session.ts';
import { type RunSettings, readSettings } from '../service/settings.ts';
import { showAndSave } from '../show/plan.ts';
import { applyViews } from '../show/views.ts';

export const command = defineCommand({
  words: { name: 'run', completes: 'runs' },
  flags: {
    baseUrl: service.baseUrl,
    tokenFile: service.tokenFile,
    parallelism: service.parallelism,
    maxRps: service.maxRps,
    ...locking,
    ...skipping,
    ...display,
    ...approving,
    ...planFiles,
  },
  views: applyViews,
  makesPlan: true,
  run,
});

/**
 * Exit code 0 if everything was undone, or saved with --out; 3 if a change was omitted because it cannot be undone; 1 if something
 * failed or was refused, 130 if interrupted. With --out like `plan`: 3 if something is refused or omitted, 2 with
 * --detailed-exitcode if there are changes.
 */
async function run(invocation: Invocation): Promise<number> {
  const settings = await readSettings(invocation);
  const { cwd, words, world } = invocation;
  const service = settings.baseUrl === undefined ? undefined : serviceName(settings, cwd);
  const places = { store: await world.journals(cwd), cwd, openRepository: world.openRepository };
  const run = await findRun(places, words[0], service);
  requireServiceOf(run, settings, { service, cwd });
  const { flags, output } = invocation;
  if (flags.detailedExitcode === true && flags.out === undefined)
    throw userError(
      'usage',
      '--detailed-exitcode applies to a saved plan',
      'add --out undo.json, or leave it out',
    );
  output.note(describeRun(run));
  if (run.ref !== undefined) output.note(originText(run, run.ref));
  if (flags.out !== undefined) return savePlan(invocation, { run, settings });
  let leftOut = false;
  const code = await runApplyFlow(invocation, settings, async (lock) => {
    const { session, plan: makePlan } = await open(invocation, { run, settings, lock });
    const plan = async () => {
      const planned = await makePlan();
      leftOut = flags.skipRefused !== true && hasRefusals(planned.plan);
      return planned;
    };
    return { session, plan, isApproved: false, record: { choices: {} } };
  });
  if (code === 0) output.note(await manifestsNote(run, invocation));
  return code === 0 && leftOut ? 3 : code;
}

function hasRefusals({ organizations }: Plan): boolean {
  return organizations.some(({ refusals }) => refusals.length > 0);
}

interface UndoCommand {
  readonly run: JournaledRun;
  readonly settings: RunSettings;
  readonly lock?: LockOrganizations;
}

async function open(
  invocation: Invocation,
  { run, settings, lock }: UndoCommand,
): Promise<Pick<OpenedApply, 'session' | 'plan'>> {
  const { onNote, read } = readingLive(invocation);
  const options = { ...(await sessionOptions(invocation, settings)), beforeReading: lock, onNote };
  const session = await openUndo(run, options);
  const choices = { store: options.journals?.store, skipRefused: invocation.flags.skipRefused };
  return { session, plan: () => read(() => undoRun(session, run, choices)) };
}

async function savePlan(invocation: Invocation, command: UndoCommand): Promise<number> {
  const { session, plan: makePlan } = await open(invocation, command);
  try {
    const planned = await makePlan();
    invocation.observe({ type: 'planned', plan: planned.plan });
    const code = await showAndSave(invocation, session, planned, (file) =>
      writePlanFile(invocation.cwd, file, planned, invocation.folder),
    );
    return code !== 1 && invocation.flags.skipRefused !== true && hasRefusals(planned.plan) ? 3 : code;
  } finally {
    await session.service.close();
  }
}

/** Changes to one service can only be undone there. If no service is configured, connecting reports it. */
function requireServiceOf(
  { header, ref }: JournaledRun,
  settings: RunSettings,
  { service, cwd }: { readonly service: string | undefined; readonly cwd: string },
): void {
  if (settings.baseUrl === undefined || service === header.service) return;
  const [, file] = /^local:(.+)#/.exec(header.service) ?? [];
  const here = `local:${file}`;
  const isHere = file !== undefined && serviceName({ ...settings, baseUrl: here }, cwd) === header.service;
  const elsewhere = file === undefined ? header.service : `local: and the path of that ${file}`;
  throw userError(
    'other-service',
    `run ${header.run} was applied to ${safeText(header.service)}, not to ${service ?? 'an embedded service in memory'}`,
    // Users who can push a journal must not choose where the token is sent.
    ref === undefined
      ? `pass --base-url ${isHere ? here : elsewhere}`
      : `${ref} names it, and others can write that ref: pass its address yourself if the service is yours`,
  );
}

/** Git may have only the beginning of the journal of a run that did not end. */
function changedNothing({ sent, ending, ref }: JournaledRun): boolean {
  return sent === 0 && (ending !== undefined || ref === undefined);
}

function describeRun(journaled: JournaledRun): string {
  const { header, ending, isPartial } = journaled;
  const { run, command, time, host, undoes } = header;
  const partial = isPartial === true ? '; its journal is incomplete' : undefined;
  const died = ending === undefined ? ', which did not end' : '';
  const end = changedNothing(journaled) ? ', which changed nothing' : died;
  const what = undoes === undefined ? '' : `, the undo of ${undoes}`;
  return safeText(`Undoing run ${run} (octavo ${command} on ${host}, ${time}${what})${partial ?? end}`);
}

function originText({ header: { organizations } }: JournaledRun, ref: string): string {
  const names = organizations.map(({ label, organizationId: id }) =>
    label === id ? id : `${label} (${id})`,
  );
  return safeText(
    `Its journal comes from ${ref}, where others can write: review the plan. It is about ${names.join(', ')}.`,
  );
}

/** An undo does not change the manifests. */
async function manifestsNote(run: JournaledRun, { cwd, world }: Invocation): Promise<string> {
  const { commit, undoes, run: id, organizations } = run.header;
  if (changedNothing(run)) return `Run ${id} changed nothing, so there is nothing to undo.`;
  if (undoes !== undefined)
    return `If the commit of run ${undoes} was reverted in git, restore it, or the next apply reverts the changes again.`;
  const repository = await world.openRepository(cwd).catch(onGitError(() => undefined));
  const commands = await revertCommands(run, repository);
  const all = commit === undefined ? 'change them back' : `revert all that was applied up to ${commit}`;
  const way = commands === undefined ? all : `revert it: ${commands}`;
  const steps = organizations.flatMap((one) => one.steps);
  const hasDeleted = steps.some(({ phase, action }) => phase === 'delete' && action === 'delete');
  const restored = hasDeleted
    ? ' Objects that the run deleted exist again: until the manifests list them, they stay unmanaged.'
    : '';
  const head = repository && (await headOf(repository).catch(onGitError(() => undefined)));
  return `${(head ?? commit) === commit ? 'The' : 'If the'} manifests still declare what run ${id} applied: ${way}; otherwise the next apply applies it again, and until then octavo plan shows it (as drift, if the apply was recorded).${restored}`;
}

const mostReverts = 5;

/**
 * Git commands that revert the commits from the base of the run to the one that it applied, newest first. A merge is reverted to
 * its first parent. Undefined if git does not have the commits, or if they are too many to list.
 */
async function revertCommands(
  { header: { commit, base } }: JournaledRun,
  repository: Repository | undefined,
): Promise<string | undefined> {
  if (commit === undefined || repository === undefined) return undefined;
  const range = base === undefined || base === commit ? { most: 1 } : { not: base };
  const commits = await repository
    .commits({ of: commit, isFirstParent: true, ...range })
    .catch(onGitError(() => []));
  if (commits.length === 0 || commits.length > mostReverts) return undefined;
  return commits
    .map(({ oid, parents }) => `git revert --no-edit ${parents.length > 1 ? '-m 1 ' : ''}${oid}`)
    .join(' && ');
}
