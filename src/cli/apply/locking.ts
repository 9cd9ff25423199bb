/** Takes the lock of a command, shows its holder while waiting, and releases it at the end. */
import path from 'node:path';
import type { HeldLock, Lock, LockContent, LockHolder, LockScope } from '../../past/lock/lock.ts';
import { describeMachine } from '../../past/lock/machine.ts';
import { openLock } from '../../past/lock/open-lock.ts';
import { type LockWait, type TakenLock, takeLock } from '../../past/lock/take-lock.ts';
import type { RunLock } from '../../run/apply-run.ts';
import type { IdentifiedOrganization } from '../../run/reads/service-link.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import type { DiagnosticError } from '../../util/diagnostic.ts';
import { durationText } from '../../util/duration.ts';
import { userError } from '../../util/user-error.ts';
import type { Invocation } from '../line/command.ts';
import { serviceName } from '../service/connection.ts';
import type { RunSettings } from '../service/settings.ts';
import { ciRunUrl } from '../world/ci-event.ts';
import type { ProgressLine } from '../world/progress.ts';

/** Locks the organizations that `find` returns. Call it before reading anything that another apply may change. */
export type LockOrganizations = (find: () => Promise<readonly IdentifiedOrganization[]>) => Promise<void>;

export function lockOf(
  { cwd, world: { machine, clock, journals, openRepository } }: Pick<Invocation, 'cwd' | 'world'>,
  { lock, lockLease, files: [first = '.'] }: Pick<RunSettings, 'lock' | 'lockLease' | 'files'>,
): Promise<Lock | undefined> {
  return openLock(lock, {
    openRepository,
    journals: () => journals(cwd),
    manifests: path.resolve(cwd, first),
    machine: describeMachine(machine),
    now: clock.now,
    lease: lockLease,
  });
}

export class RunLocks implements RunLock {
  readonly #invocation: Invocation;
  readonly #settings: RunSettings;
  #organizations: readonly string[] | undefined;
  #held: HeldLock | undefined;

  constructor(invocation: Invocation, settings: RunSettings) {
    this.#invocation = invocation;
    this.#settings = settings;
  }

  /** Takes the locks, once. A service that only this run can reach needs no lock. */
  readonly take: LockOrganizations = async (find) => {
    this.#organizations = [];
    const baseUrl = serviceName(this.#settings, this.#invocation.cwd);
    if (baseUrl === undefined) return;
    const lock = await lockOf(this.#invocation, this.#settings);
    if (lock === undefined) return;
    const organizations = (await find()).map(({ id }) => id);
    if (organizations.length === 0) return;
    this.#organizations = organizations;
    this.#held = await this.#wait(lock, { organizations, baseUrl });
  };

  get isHeld(): boolean {
    return this.#held !== undefined && this.loss() === undefined;
  }

  get now(): () => number {
    return this.#invocation.world.clock.now;
  }

  /** The reason if the lock is no longer held; start no new work then. */
  loss(): DiagnosticError | undefined {
    if (this.#organizations === undefined) throw new Error('the organizations were not locked');
    const because = this.#held?.lost();
    if (because === undefined) return undefined;
    return userError(
      'lock-lost',
      `lost the lock on ${this.#names}: ${because}`,
      'another run may have changed the workspace: check octavo plan, then run the command again',
    );
  }

  async release(): Promise<void> {
    const problem = await this.#held?.release();
    if (problem === undefined) return;
    this.#invocation.output.note(
      `warning[lock]: the lock on ${this.#names} could not be released: ${problem}\n  help: the next run takes it over, or remove it with octavo unlock ${this.#invocation.runId}`,
    );
  }

  get #names(): string {
    const [first = '', ...others] = this.#organizations ?? [];
    return others.length === 0 ? first : `${first} and ${countOf(others.length, 'other organization')}`;
  }

  async #wait(lock: Lock, scope: LockScope): Promise<HeldLock> {
    const { output, interrupt, world } = this.#invocation;
    const { lockTimeout: timeout } = this.#settings;
    let progress: ProgressLine | undefined;
    let waitsFor: string | undefined;
    let isOver = false;
    const onWait = async (wait: LockWait) => {
      const text = waitText(wait);
      progress?.update({ text });
      if (waitsFor === wait.holder.run) return;
      waitsFor = wait.holder.run;
      output.note(text);
      progress ??= await output.progress(text);
      if (isOver) progress.stop();
    };
    try {
      const taken = await takeLock({
        lock,
        holder: this.#holder(),
        scope,
        timeout,
        now: world.clock.now,
        sleep: world.clock.sleep,
        signal: interrupt.signal,
        onWait,
      });
      if (taken.type === 'busy') throw this.#refusal(taken);
      for (const { run, because } of taken.takenOver)
        output.note(`Took over the lock of run ${run}, ${because}.`);
      return taken.lock;
    } finally {
      isOver = true;
      progress?.stop();
    }
  }

  #holder(): LockHolder {
    const { runId, commandName, env, world } = this.#invocation;
    const { host, owner, process } = describeMachine(world.machine);
    return {
      format: 1,
      owner,
      host,
      process,
      since: new Date(world.clock.now()).toISOString(),
      run: runId,
      command: `octavo ${commandName}`,
      ...defined({ url: ciRunUrl(env) }),
    };
  }

  #refusal({ organization, holder, waited }: Extract<TakenLock, { type: 'busy' }>) {
    const { lockTimeout } = this.#settings;
    const { flags } = this.#invocation;
    const where = flags.lock === undefined ? '' : ` --lock ${flags.lock}`;
    const after = lockTimeout === 0 ? '' : `; waited ${durationText(waited)}`;
    const wait =
      lockTimeout === 0 ? 'wait for it with --lock-timeout 10m' : 'wait longer with --lock-timeout';
    return userError(
      'locked',
      `${organization} is locked by ${holderText(holder)}${after}`,
      `${wait}; if that run has ended, remove its lock with: octavo unlock ${holder.run}${where}`,
    );
  }
}

export function holderText({ owner, command, run, since, url, process: { pid } }: LockContent): string {
  const page = url === undefined ? '' : `, ${url}`;
  return `${owner} (${command}, run ${run}, process ${pid}${page}) since ${since}`;
}

function waitText({ organization, holder, left, isAbandoned }: LockWait): string {
  return isAbandoned
    ? `The lock on ${organization} was not renewed by ${holderText(holder)}; taking it over in ${durationText(left)} unless it is`
    : `Waiting up to ${durationText(left)} for the lock on ${organization}, held by ${holderText(holder)}`;
}
