/** Checks a plan against rules, with a service in memory. */
import { readRules } from '../../src/manifest/read-rules.ts';
import { judging } from '../../src/run/rules/load-rules.ts';
import { free } from '../support/arbitrary.ts';
import { type Harness, treeOf } from '../support/harness.ts';
import { memoryFiles } from '../support/memory-files.ts';

const file = '/workspace/octavo.rules.yaml';

export async function rulesIn(text: string) {
  return readRules(memoryFiles({ [file]: text }), file, '/workspace');
}

/** The rules that refuse `after`. Both states are parts of a manifest; `before` is applied without rules. */
export async function refusedBy(
  rules: string,
  { harness, before, after }: { readonly harness: Harness; readonly before: object; readonly after: object },
) {
  const read = await rulesIn(rules);
  if (read.diagnostics.length > 0) throw new Error(JSON.stringify(read.diagnostics));
  const head = {
    octavo: 1,
    organization: { id: 'org_acme' },
    settings: { ...free, prune: 'unlisted', pruneKinds: { member: 'never', space: 'never' } },
  };
  const was = await treeOf({ ...head, ...before });
  const planned = await harness.plan(was);
  await harness.apply(was, planned);
  const { ids: recorded } = await harness.plan(was);
  const tree = await treeOf({ ...head, ...after });
  const plan = await harness.plan(tree, { recorded, base: was, rules: judging(tree, read, undefined) });
  return plan.refusals.flatMap(({ rule, address, message }) =>
    rule === undefined ? [] : [{ rule, address, message }],
  );
}
