/**
 * Cuts a plan that converges. On a copy of its own for each cut, the apply is killed after the service carried out a request and before
 * its response arrives: then the journal knows least. The next apply continues with that journal, and must end where the whole one does.
 */
import type { Api } from '../../contract/api.ts';
import { type OperationId, operations } from '../../contract/index.ts';
import type { JournalStore } from '../../past/journal/journal-folder.ts';
import { readJournal } from '../../past/journal/read-journal.ts';
import { workOn } from '../../past/journal/unfinished.ts';
import { withWork } from '../../past/pasts.ts';
import { withTrees } from '../../plan/past.ts';
import type { Cuts, Rehearsal } from '../../plan/rehearsal.ts';
import { addressOfStep } from '../../plan/step-id.ts';
import { sameField } from '../../tree/difference.ts';
import type { LiveNode } from '../../tree/live.ts';
import { DiagnosticError, withSources } from '../../util/diagnostic.ts';
import { grouped } from '../../util/group.ts';
import { type ApprovedPlan, asApproved } from '../approval/approval.ts';
import { type PlanRun, planAll } from '../planning.ts';
import { sendPlan } from '../send-plan.ts';
import type { Session } from '../session.ts';
import { inputsThen, type RehearsalRequest, type Rehearsed, rehearse, stagedRun } from './rehearse.ts';

/** Each cut sends all requests again, so large plans, and plans of large organizations, are cut less often. */
const mostRequests = 5000;

/**
 * Applies the last plan (made or rechecked) to a copy of the service built from its reads, and plans again there; then cuts it after
 * its requests, on other copies, and continues. Sends no request to the service; needs `reads`.
 * @throws DiagnosticError if the plan has refused changes; AbortError if interrupted.
 */
export async function rehearseRun(
  { reads, source, workspace, pasts }: Session,
  planned: PlanRun | ApprovedPlan,
  run: Pick<RehearsalRequest, 'makeStage' | 'isInterrupted'>,
): Promise<Rehearsal> {
  if (reads === undefined) throw new Error('a session without a log of its reads cannot rehearse');
  const { registry } = source;
  const request = { approved: asApproved(planned), reads: reads.reads, registry, pasts, ...run };
  return withSources(workspace.sources, rehearseWithCuts(request));
}

/**
 * `most`: maximum number of cuts; default: 40, if there is room.
 * @throws DiagnosticError if the plan has refused changes; an AbortError if it is interrupted.
 */
export async function rehearseWithCuts(
  request: RehearsalRequest,
  most?: number,
  makeJournal = journalInMemory,
): Promise<Rehearsal> {
  const writes: OperationId[] = [];
  const whole = await rehearse({
    ...request,
    makeStage: async (source) => {
      const stage = await request.makeStage(source);
      return { ...stage, api: cutAfter(stage.api, writes).api };
    },
  });
  const room = Math.min(40, Math.ceil(mostRequests / (request.reads.length + writes.length)));
  const chosen = whole.rehearsal.converges ? chosenOf([...writes.entries()], most ?? room) : [];
  if (chosen.length === 0) return whole.rehearsal;
  const failures: Cuts['failures'][number][] = [];
  for (const [at, operation] of chosen) {
    const { open, problems } = await cut(request, at, whole, makeJournal());
    const [organization, address] = [open.organization, addressOfStep(open.step)];
    if (problems.length > 0) failures.push({ organization, address, operation, problems });
  }
  return { ...whole.rehearsal, cuts: { requests: writes.length, tried: chosen.length, failures } };
}

type Write = readonly [at: number, operation: OperationId];

/** Creates and deletes first; if these are too many, evenly over the plan. */
function chosenOf(writes: readonly Write[], most: number): readonly Write[] {
  const isStructural = ([, operation]: Write) => /^(?:POST|DELETE)$/.test(operations[operation].method);
  const structural = writes.filter(isStructural);
  if (structural.length <= most)
    return [...structural, ...writes.filter((one) => !isStructural(one))].slice(0, most);
  const isNext = (at: number) => Math.floor((at * most) / structural.length);
  return structural.filter((_, at) => isNext(at) !== isNext(at - 1));
}

async function cut(request: RehearsalRequest, at: number, whole: Rehearsed, store: JournalStore) {
  const run = 'r-0-00000000';
  const about = { run, command: 'apply', version: '0', host: '', process: { pid: 1 }, service: '', store };
  const ended = rehearse(request, async ({ now }, source, approved) => {
    const { api, happened } = cutAfter(source.api, [], at);
    const options = { ...stagedRun, journal: { ...about, now } };
    const applied = sendPlan({ ...source, api }, approved, options, () => Promise.resolve(undefined));
    await Promise.race([happened, applied]);
    const died = { ...readJournal(store, run), isOver: true };
    const inputs = inputsThen(approved, (label, known) => withWork(known, workOn(label, died)));
    const { pasts: given } = request;
    const pasts = given ? withTrees(inputs.pasts, (label) => given.get(label)?.tree) : inputs.pasts;
    return asApproved(await planAll(source, { ...inputs, pasts }));
  });
  const problems = await ended.then(
    (end) => problemsOf(end, whole, request),
    (error: unknown) => {
      if (!(error instanceof DiagnosticError)) throw error;
      return error.diagnostics.map(({ address = '', message }) => `${address} ${message}`.trim());
    },
  );
  return { open: readJournal(store, run).open[0] ?? { organization: '', step: '' }, problems };
}

function problemsOf(end: Rehearsed, whole: Rehearsed, request: RehearsalRequest): readonly string[] {
  const { failures, leftover } = end.rehearsal;
  const problems = [
    ...failures.map(({ address, message }) => `${address} ${message}`.trim()),
    ...leftover.map((one) => `${one.address} still differs: ${[one.action, ...one.fields].join(' ')}`),
  ];
  return problems.length > 0 ? problems : differences(whole, end, request);
}

/** Notes the requests that change something. After the one with this index, nothing is answered. */
function cutAfter(api: Api, writes: OperationId[], last = Number.POSITIVE_INFINITY) {
  let cutNow = () => {};
  const happened = new Promise<void>((done) => {
    cutNow = done;
  });
  const never = new Promise<never>(() => undefined);
  const cutting: Api = {
    all: (operation, input) => (writes.length > last ? never : api.all(operation, input)),
    send: async (operation, input) => {
      if (writes.length > last) return never;
      if (operations[operation].method !== 'GET') writes.push(operation);
      const sent = api.send(operation, input);
      if (writes.length <= last) return sent;
      await sent.catch(() => undefined);
      cutNow();
      return never;
    },
  };
  return { api: cutting, happened };
}

/** Objects and fields that two ends do not have alike. New ids differ, so addresses or kinds stand for them. */
function differences(
  whole: Rehearsed,
  other: Rehearsed,
  { approved, registry }: RehearsalRequest,
): readonly string[] {
  const before = new Set([...(approved.lives ?? [])].flatMap(([, live]) => live.nodes().map(({ id }) => id)));
  const [ours, theirs] = [objectsIn(whole, before), objectsIn(other, before)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].flatMap((name) => {
    const [wanted, found] = [ours.get(name) ?? [], theirs.get(name) ?? []];
    if (wanted.length !== found.length) return [`${name}: ${found.length} instead of ${wanted.length}`];
    const others = wanted.flatMap(({ kind, fields }, at) =>
      Object.entries(registry.byName(kind).fields).flatMap(([field, rule]) => {
        const values = [fields[field], found[at]?.fields[field]].map((value) => value ?? rule.absent ?? null);
        const [left = null, right = null] = values;
        return sameField(rule, left, right) && sameField(rule, right, left) ? [] : [field];
      }),
    );
    return others.length === 0 ? [] : [`${name}: other ${[...new Set(others)].join(', ')}`];
  });
}

function objectsIn({ again }: Rehearsed, before: ReadonlySet<string>) {
  const all = (again?.plan.organizations ?? []).flatMap(({ label, ids }) => {
    const nodes = again?.lives?.get(label)?.nodes() ?? [];
    const names = new Map(nodes.map(({ kind, id }) => [id, `new ${kind}`]));
    for (const [address, id] of Object.entries(ids)) names.set(id, address);
    for (const id of before) names.delete(id);
    return nodes.map(({ kind, id, container, fields }) => {
      const text = JSON.stringify({ kind, id, within: container.id, fields });
      const named = text.replace(/"((?:[^"\\]|\\.)*)"/g, (quoted, value: string) =>
        names.has(value) ? JSON.stringify(names.get(value)) : quoted,
      );
      return JSON.parse(named) as Pick<LiveNode, 'kind' | 'id' | 'fields'> & { readonly within: string };
    });
  });
  return grouped(all, ({ kind, id, within }) =>
    id === within ? `${kind} of ${id}` : `${kind} ${id} in ${within}`,
  );
}

/** The journal of a single run, which only this process reads. */
export function journalInMemory(): JournalStore {
  let all = '';
  return {
    name: 'memory',
    runs: () => [],
    text: () => all,
    lastLine: () => all.trimEnd().split('\n').at(-1) ?? '',
    size: () => Buffer.byteLength(all),
    begin: () => Promise.resolve(),
    append: (_run, text) => {
      all += text;
    },
    flush: () => Promise.resolve(),
    end: () => Promise.resolve(),
    remove: () => undefined,
  };
}
