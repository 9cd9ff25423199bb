/**
 * Runs scenarios: folders of steps. Each step's manifests are planned, compared with the golden plan and calls, applied, and
 * planned again, which must be empty. A few have golden files of every format; for the others, the plan read back from
 * JSON must produce the same output. `UPDATE_GOLDEN=1` updates the golden files; review the result.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import type { ApplyEvent } from '../../src/apply/events.ts';
import { planViews } from '../../src/cli/show/views.ts';
import { isLacking } from '../../src/contract/form.ts';
import { type OperationId, operationOf, operations } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import { journalJsonSchema } from '../../src/past/journal/entry.ts';
import type { OrganizationPlan } from '../../src/plan/plan.ts';
import { renderPlan } from '../../src/report/plan/text.ts';
import type { ReviewedOrganization, ReviewedPlan } from '../../src/review/reviewed-plan.ts';
import { digestsOf } from '../../src/run/approval/digest.ts';
import { readPlanFile } from '../../src/run/plan-file/read-plan.ts';
import { planJsonSchema } from '../../src/run/plan-file/schema.ts';
import type { Seed } from '../../src/server/index.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { stableStringify } from '../../src/util/json.ts';
import {
  asPlan,
  type Harness,
  type HarnessOptions,
  loadTexts,
  onlyTree,
  seed,
  startHarness,
} from './harness.ts';
import { brokenInvariants } from './invariants.ts';
import { expectSitesAsShown } from './navigation.ts';
import { isPart, some } from './runs.ts';
import { expectTakenAway, withoutTakenAway } from './taken-away.ts';

/** Together these cover everything that a report of a plan can show. */
const shown: ReadonlySet<string> = new Set([
  '040-custom-field',
  '071-space-restored',
  '160-share-link',
  '200-odd-titles',
  '302-change-drift-and-never-managed',
  '305-released-and-protected',
]);

const ajv = new Ajv2020({ strict: false });
/** Published schemas of a line and of a plan. */
const isEventLine = ajv.compile(journalJsonSchema());
const isPlan = ajv.compile(planJsonSchema());

const folder = path.join(import.meta.dirname, '../scenarios');
const update = process.env.UPDATE_GOLDEN === '1';
const scenarios = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

async function started(...options: Parameters<typeof startHarness>): Promise<Harness> {
  const harness = await startHarness(...options);
  onTestFinished(() => harness.close());
  return harness;
}

/** False with another profile, where only the requests differ. */
let isGolden = true;

/** Transforms the text of manifests when they are loaded. */
let readText = asWritten;

function asWritten(text: string): string {
  return text;
}

/** Scenarios with custom fields or titled translations, which the newer form removed. */
const withTakenAway: readonly string[] = [
  '040-custom-field',
  '070-space',
  '090-translation',
  '200-odd-titles',
  '304-removed-from-the-manifests',
  '307-replaced-restored-and-moved-by-whom',
  '309-what-is-unlisted-since-when',
  '508-lists-that-only-add',
];

/** Defines the tests of scenarios with matching names. */
export function describeScenarios(name: RegExp): void {
  const named = scenarios.filter((one) => name.test(one));
  const elsewhere = some(named);
  describe.each(named)('%s', (scenario) => testScenario(scenario, elsewhere.includes(scenario)));
}

function testScenario(scenario: string, isElsewhere: boolean): void {
  const isNewer = textsIn(path.join(folder, scenario, '1')).includes('profile: "2026"');

  if (isElsewhere && !isNewer)
    test('converges at a service of the newer form, without the features that it removed', async () => {
      isGolden = false;
      onTestFinished(() => {
        isGolden = true;
        readText = asWritten;
      });
      const harness = await started(seedOf(scenario), registry, '2026');
      await runSteps(harness, scenario);
      expect(readText === withoutTakenAway).toBe(withTakenAway.includes(scenario));
      expect(brokenInvariants(harness.service)).toEqual([]);
    });

  test('plans and applies as in the golden files, and then plans no change', async () => {
    const harness = await started(seedOf(scenario), registry, isNewer ? '2026' : 'document');
    await runSteps(harness, scenario);
    expect(brokenInvariants(harness.service)).toEqual([]);
  });
}

/** `seed.yaml`: additional objects of the organization that no request can create. */
function seedOf(scenario: string): Seed {
  const file = path.join(folder, scenario, 'seed.yaml');
  if (!existsSync(file)) return seed;
  const more = parse(readFileSync(file, 'utf8')) as Partial<Seed['organizations'][number]>;
  return { ...seed, organizations: seed.organizations.map((one) => ({ ...one, ...more })) };
}

function textsIn(step: string): string {
  const names = readdirSync(step).filter((name) => name.endsWith('.yaml'));
  return names.map((name) => readFileSync(path.join(step, name), 'utf8')).join('');
}

function stepsOf(scenario: string): readonly string[] {
  return readdirSync(path.join(folder, scenario))
    .filter((name) => /^\d+$/.test(name))
    .sort((left, right) => Number(left) - Number(right));
}

async function runSteps(run: Harness, scenario: string): Promise<void> {
  const ids = new Map<string, string>();
  for (const name of stepsOf(scenario)) {
    const step = path.join(folder, scenario, name);
    await drift(run, step, ids);
    await runStep(run, step, ids);
  }
}

async function runStep(run: Harness, step: string, ids: Map<string, string>): Promise<void> {
  const tree = await desiredTreeOrProblems(step, ids);
  if (typeof tree === 'string') {
    compare(step, 'problems.txt', tree);
    return;
  }
  const before = run.sent.length;
  const options = await optionsOf(step, ids);
  run.reads.length = 0;
  const planned = await planOrProblems(run, tree, options);
  const reads = { plan: [...run.reads], apply: [] as readonly OperationId[] };
  if (planned instanceof DiagnosticError) {
    const { diagnostics } = planned;
    if (!isGolden && readText === asWritten && diagnostics.some(({ code }) => code === 'not-in-service')) {
      expectTakenAway(diagnostics, (file) => readFileSync(path.join(step, path.basename(file)), 'utf8'));
      readText = withoutTakenAway;
      await runStep(run, step, ids);
      return;
    }
    compare(step, 'reads.txt', readLines(reads));
    compare(step, 'problems.txt', problemLines(planned));
    return;
  }
  learnIds(planned, ids);
  compareNotes(step, planned, ids);
  compare(step, 'plan.txt', nameIds(renderPlan(asPlan(planned), { color: false, width: 100 }), ids));
  compare(step, 'calls.txt', nameIds(callLines(planned), ids));
  if (isGolden) await compareFormats(step, planned, ids);
  expect(run.sent.length, 'planning changes nothing').toBe(before);
  if (planned.refusals.length > 0) {
    compare(step, 'reads.txt', readLines(reads));
    return;
  }
  await rehearse(run, planned);
  if (!isPart) await cut(run, planned, options);
  run.reads.length = 0;
  const onEvent = (event: ApplyEvent) => {
    const line = JSON.stringify({ time: '2026-11-23T00:00:00.000Z', ...event });
    expect(isEventLine(JSON.parse(line)), line).toBe(true);
  };
  const result = await run.apply(tree, planned, onEvent, options);
  reads.apply = [...run.reads];
  compare(step, 'reads.txt', readLines(reads));
  const failures = result.organizations.flatMap(({ outcomes, leftover }) => [
    ...outcomes
      .filter(({ type }) => type !== 'done' && type !== 'satisfied')
      .map((outcome) => ({ ...outcome, step: outcome.step.id })),
    ...leftover.map(({ id }) => id),
  ]);
  expect(failures).toEqual([]);
  // The applied tree is the base of the next run, if it has one.
  const again = await run.plan(tree, options.base === undefined ? options : { ...options, base: tree });
  expect(again.steps, 'the second plan is empty').toEqual([]);
  learnIds(again, ids);
  await expectSitesAsShown(run.api, planned, (address) => again.ids[address]);
}

/** A list that only adds is sent whole with a new object; later, it keeps what the service gave to that object. */
const addsLater = /: other pageActions\.items$/;

/** Expects that the rehearsal sees the same plan, succeeds and sends no request. */
async function rehearse(run: Harness, planned: ReviewedOrganization): Promise<void> {
  const [reads, sent] = [run.reads.length, run.sent.length];
  const { rehearsal, staged } = await run.rehearse(planned);
  const { failures, leftover } = rehearsal;
  expect([run.reads.length, run.sent.length], 'a rehearsal asks for nothing').toEqual([reads, sent]);
  const { review: _review, ...changes } = planned;
  expect(staged, 'the plan on the stage').toEqual(changes);
  expect({ failures, leftover }).toEqual({ failures: [], leftover: [] });
  expect(rehearsal.converges).toBe(true);
}

/** Changes by others before the step: requests in a file. */
/** The next apply knows the base as this plan does, or as it is read again, without ids. */
async function cut(run: Harness, planned: ReviewedOrganization, { base }: HarnessOptions): Promise<void> {
  const cuts = await run.cut(planned);
  const fresh = base === undefined ? [] : await run.cut(planned, { base });
  expect([...cuts, ...fresh].filter((one) => !addsLater.test(one))).toEqual([]);
}

async function drift(run: Harness, step: string, ids: ReadonlyMap<string, string>): Promise<void> {
  const file = path.join(step, 'drift.yaml');
  if (!existsSync(file)) return;
  for (const call of parse(fillIds(readFileSync(file, 'utf8'), ids)) as DriftCall[]) {
    const isLacked = isLacking(run.service.form, operationOf(call.operation).needs);
    if (isLacked && call.operation.startsWith('customFields.')) continue;
    const { operation, params, body } = isLacked ? newerGroupCall(call) : call;
    await run.api.send(operation, { params, ...(body === undefined ? {} : { body }) });
  }
}

interface DriftCall {
  readonly operation: OperationId;
  readonly params: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** In the newer form, a section has a field with its group. */
function newerGroupCall({ params: { siteSectionGroupId, ...params }, body }: DriftCall): DriftCall {
  const { sectionId } = body as { readonly sectionId: string };
  return {
    operation: 'sections.update',
    params: { ...params, siteSectionId: sectionId },
    body: { siteSectionGroupId },
  };
}

/** Replaces `{{address}}` with the id of the address. */
function fillIds(text: string, ids: ReadonlyMap<string, string>): string {
  return text.replace(/\{\{([^}]+)\}\}/g, (_whole, address: string) => {
    const id = [...ids].find(([, known]) => known === address)?.[0];
    if (id === undefined) throw new Error(`no id is known for ${address}`);
    return id;
  });
}

/** `options.json`: the step whose manifests are the base, and whether drift is ignored. */
async function optionsOf(step: string, ids: ReadonlyMap<string, string>): Promise<HarnessOptions> {
  const file = path.join(step, 'options.json');
  if (!existsSync(file)) return {};
  const { base, ignoreDrift } = JSON.parse(fillIds(readFileSync(file, 'utf8'), ids)) as {
    base?: string;
    ignoreDrift?: boolean;
  };
  return {
    ...(base === undefined ? {} : { base: await desiredTree(path.join(path.dirname(step), base), ids) }),
    ...(ignoreDrift === undefined ? {} : { ignoreDrift }),
  };
}

async function desiredTree(step: string, ids: ReadonlyMap<string, string>): Promise<DesiredTree> {
  const texts: Record<string, string> = {};
  for (const name of readdirSync(step).filter((file) => file.endsWith('.yaml') && file !== 'drift.yaml')) {
    const text = readFileSync(path.join(step, name), 'utf8');
    texts[name] = readText(fillIds(text, ids));
  }
  return onlyTree(await loadTexts(texts));
}

/** The tree, or the errors of the manifests. */
async function desiredTreeOrProblems(
  step: string,
  ids: ReadonlyMap<string, string>,
): Promise<DesiredTree | string> {
  try {
    return await desiredTree(step, ids);
  } catch (error) {
    return problemLines(error);
  }
}

async function planOrProblems(
  run: Harness,
  tree: DesiredTree,
  options: HarnessOptions,
): Promise<ReviewedOrganization | DiagnosticError> {
  try {
    return await run.plan(tree, options);
  } catch (error) {
    if (error instanceof DiagnosticError) return error;
    throw error;
  }
}

/** The problems of an error, for a golden file. */
function problemLines(error: unknown): string {
  if (!(error instanceof DiagnosticError)) throw error;
  return error.diagnostics
    .map(({ code, message, address, at, suggestion }) =>
      [`${code} at ${address} ${at?.line}:${at?.column}`, `  ${message}`, `  ${suggestion}`].join('\n'),
    )
    .join('\n')
    .replace(/\b(team)_[a-z0-9]+/g, '$1_…')
    .concat('\n');
}

/** Records the address of each id, so that golden files contain addresses instead of ids. */
function learnIds(plan: OrganizationPlan, ids: Map<string, string>): void {
  for (const [address, id] of Object.entries(plan.ids))
    if (id.length > 8 && /_/.test(id) && !ids.has(id)) ids.set(id, address);
}

function nameIds(text: string, ids: ReadonlyMap<string, string>): string {
  let named = text;
  for (const [id, address] of ids)
    if (/_[a-z0-9]{12}$/.test(id)) named = named.replaceAll(id, `<${address}>`);
  return named.replace(
    /\b(?:space|team|site|sect|group|sitesp|share|saml|col|trans|spec)[a-z]*_[a-z0-9]{12}\b/g,
    '<unlisted>',
  );
}

/** One line per request: step, method, operation, ids in the path, and body. */
function callLines({ steps }: OrganizationPlan): string {
  return steps
    .flatMap(({ id, calls }) =>
      calls.map(({ operation, params, query, body, find }) => {
        const rest = Object.entries({ query, body, find }).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name === 'body' ? '' : `${name} `}${stableStringify(value)}`],
        );
        const known = Object.values(params).map((value) =>
          typeof value === 'string' ? value : `<${value.$id}>`,
        );
        return [id, `${operations[operation].method} ${operation}`, known.join(' '), ...rest].join('  ');
      }),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Number of reads by operation, for the plan and for the apply with its final re-read. */
function readLines(reads: Readonly<Record<string, readonly OperationId[]>>): string {
  return Object.entries(reads)
    .flatMap(([stage, sent]) =>
      [...new Set(sent)]
        .sort()
        .map((operation) => `${stage}  ${sent.filter((one) => one === operation).length} ${operation}\n`),
    )
    .join('');
}

/** Notes have a separate golden file, if there are any. */
function compareNotes(step: string, { notes }: OrganizationPlan, ids: ReadonlyMap<string, string>): void {
  const text = notes.map(
    ({ code, address, message, suggestion }) => `${code} at ${address}\n  ${message}\n  ${suggestion}\n`,
  );
  if (text.length > 0 || existsSync(path.join(step, 'notes.txt')))
    compare(step, 'notes.txt', nameIds(text.join(''), ids));
}

/** The other formats, with the names of their golden files. */
const goldenFormats: Readonly<Record<Exclude<keyof typeof planViews, 'text'>, string>> = {
  json: 'plan.json',
  markdown: 'plan.md',
  html: 'plan.html.txt',
  github: 'plan.github.txt',
};

/** Each format of the same plan, without digests, which depend on ids. */
async function compareFormats(
  step: string,
  planned: ReviewedOrganization,
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  const isShown = shown.has(path.basename(path.dirname(step)));
  const render = async (plan: ReviewedPlan, format: keyof typeof planViews) => {
    const marks = { digest: 'digest', approval: 'approval', version: '0' };
    const view = await planViews[format]();
    return [...view({ plan, digests: marks }, { color: false, width: 100 })].join('');
  };
  const plan = asPlan(planned);
  const saved = [
    ...(await planViews.json())({ plan, digests: digestsOf(plan) }, { color: false, width: 100 }),
  ];
  const again = await readBack(saved.join(''));
  expect(await render(again, 'text'), 'read back from JSON').toBe(await render(plan, 'text'));
  for (const [format, name] of Object.entries(goldenFormats) as [keyof typeof goldenFormats, string][]) {
    const [whole, back] = await Promise.all(
      [plan, again].map(async (one) => {
        const rendered = await render(one, format);
        return format === 'html' ? contentIn(rendered) : rendered;
      }),
    );
    expect(back, `${format}, read back from JSON`).toBe(whole);
    const text = nameIds(whole ?? '', ids);
    const sorted = /json$/.test(name) ? sortedJson(text) : text;
    if (isShown) compare(step, name, sorted);
  }
}

/** The plan in a saved document, which matches the published schema. */
async function readBack(document: string): Promise<ReviewedPlan> {
  expect(isPlan(JSON.parse(document)), JSON.stringify(isPlan.errors)).toBe(true);
  const temporary = await mkdtemp(path.join(tmpdir(), 'octavo-scenario-'));
  try {
    writeFileSync(path.join(temporary, 'plan.json'), document);
    return readPlanFile(temporary, 'plan.json').plan;
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/** The page of a plan without its script and style. */
function contentIn(html: string): string {
  return /<body>\n(.*)<script>/s.exec(html)?.[1] ?? '';
}

/** Sorts again, since the names of ids sort differently from ids. */
function sortedJson(text: string): string {
  return `${stableStringify(JSON.parse(text), 2)}\n`;
}

function compare(step: string, name: string, text: string): void {
  if (!isGolden) return;
  const file = path.join(step, name);
  if (update) writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}
