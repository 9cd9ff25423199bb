/** Services that lack a kind, or return it in another form: only this kind is left out. */
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { operationOf } from '../../src/contract/index.ts';
import { registry } from '../../src/kinds/index.ts';
import { exportOrganization } from '../../src/run/export/export.ts';
import { planTree } from '../../src/run/plan-tree.ts';
import { sampleSeed } from '../../src/server/seed/sample.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { DiagnosticError } from '../../src/util/diagnostic.ts';
import { loadTexts, onlyTree } from '../support/harness.ts';
import { memoryService } from '../support/memory-service.ts';
import { some } from '../support/runs.ts';

const service = memoryService();
afterAll(() => service.close());
beforeEach(() => {
  service.reset(sampleSeed);
  service.instead = undefined;
});

const json = { 'content-type': 'application/json' };
const notFound = { status: 404, headers: json, body: '{"error":{"code":404,"message":"not found"}}' };
const otherForm = { status: 200, headers: json, body: '{"items":[{"key":"k"}]}' };

/** Replaces the response of one list. */
function instead(path: RegExp, answer: typeof notFound): void {
  service.instead = ({ method, target }) => (method === 'GET' && path.test(target) ? answer : undefined);
}

/** Paths of an operation with any ids and query. */
function pathOf(operation: Parameters<typeof operationOf>[0]): RegExp {
  return new RegExp(`^${operationOf(operation).path.replace(/\{\w+\}/g, '[^/]+')}(?:\\?|$)`);
}

async function exported() {
  const { files, leftOut } = await exportOrganization(service.api, {
    registry,
    pin: 'ambiguous',
    layout: 'one',
    organization: 'org_acme',
  });
  const tree = onlyTree(await loadTexts(Object.fromEntries(files.map(({ name, text }) => [name, text]))));
  return { tree, leftOut };
}

const plan = (tree: DesiredTree, base?: DesiredTree) =>
  planTree(service.api, tree, { registry, sleep: async () => undefined, past: { tree: base } });

/** Lists of exactly one kind. */
const lists = registry
  .under('document')
  .kinds.flatMap(({ name, noun, reads: { list } }) =>
    list === undefined || list.per === '' ? [] : [[name, `${noun}s`, list.operation] as const],
  );

describe.each(some(lists))('%s', (name, what, operation) => {
  test.each([
    ['not found', notFound, 'the service does not have them (status 404)'],
    ['in another form', otherForm, `the service shows them in an unknown form (${operation})`],
  ])('is exported without it and refused in manifests if its list is %s', async (_how, answer, reason) => {
    const { tree: whole } = await exported();
    instead(pathOf(operation), answer);

    const { tree: rest, leftOut } = await exported();
    expect(leftOut.find((one) => one.reason === reason)?.what).toMatch(new RegExp(`^${what}`));
    const kinds = (tree: DesiredTree) => new Set([...tree.nodes.values()].map(({ kind }) => kind));
    const below = ['section', 'sectionGroup', 'siteSpace', 'shareLink', 'adaptiveSchema'];
    const lost = name === 'site' ? ['site', ...below] : [name];
    // Sections and root site-spaces exclude each other, and a parent is left out with its list.
    const structure = ['section', 'sectionGroup', 'siteSpace'].includes(name) ? below : [];
    const kept = [...kinds(whole)].filter((kind) => ![...lost, ...structure, 'space'].includes(kind));
    expect([...kinds(rest)]).toEqual(expect.arrayContaining(kept));

    const again = await plan(rest);
    expect(again.plan.steps).toEqual([]);
    expect(again.problems.filter(({ severity }) => severity === 'error')).toEqual([]);

    const declared = whole.ofKind(name);
    if (declared.length === 0) return;
    const { problems } = await plan(whole).catch((error: unknown) => {
      if (error instanceof DiagnosticError) return { problems: error.diagnostics };
      throw error;
    });
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code }) => code)).toContain('not-in-service');
    expect(errors.find(({ code }) => code === 'not-in-service')).toMatchObject({
      message: expect.stringContaining(what),
      at: { line: expect.any(Number) },
    });
  });
});

test('deletes a site although the service lacks the kind of its contents', async () => {
  const { tree: whole } = await exported();
  instead(pathOf('shareLinks.list'), notFound);
  const { tree: rest } = await exported();
  const nodes = new Map([...rest.nodes].filter(([address]) => !address.startsWith('sites/')));
  const settings = { ...rest.settings, prune: 'unlisted' as const, protect: ['!**'] };
  const { plan: planned, problems } = await plan(rest.with({ nodes, settings }), rest);
  expect(planned.steps.some(({ action, kind }) => action === 'delete' && kind === 'site')).toBe(true);
  expect(problems.map(({ severity, message }) => `${severity}: ${message}`)).toContain(
    'warning: this service has no share links: shareLinks.list returned 404; left out',
  );
  expect(whole.ofKind('shareLink').length).toBeGreaterThan(0);
});

test('re-reads everything if an object is deleted during the reads', async () => {
  const { tree } = await exported();
  const [collection] = tree.ofKind('collection');
  expect(collection).toBeDefined();
  let failures = 3;
  service.instead = ({ method, target }) => {
    const isInside = method === 'GET' && /^\/v1\/collections\/[^/?]+(?:\/spaces)?(?:\?|$)/.test(target);
    if (isInside && target.includes('/spaces')) failures -= 1;
    return isInside && failures > 0 ? notFound : undefined;
  };
  const { plan: planned, problems } = await plan(tree);
  expect(planned.steps).toEqual([]);
  expect(problems).toEqual([]);
});

test('fails if an object remains half deleted', async () => {
  const { tree } = await exported();
  instead(/^\/v1\/collections\/[^/?]+(?:\/spaces)?(?:\?|$)/, notFound);
  await expect(plan(tree)).rejects.toMatchObject({ status: 404, operation: 'collections.listSpaces' });
});
