/** Permitted deletes: one table over policy, base, listing, live state and protection. */
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/index.ts';
import { planOrganization } from '../../src/plan/make-plan.ts';
import type { DesiredTree } from '../../src/tree/desired-tree.ts';
import { LiveTree } from '../../src/tree/live.ts';
import type { Prune } from '../../src/tree/settings.ts';
import { treeOf } from '../support/harness.ts';
import { runKnown } from '../support/run-known.ts';

interface Row {
  readonly prune: Prune;
  /** The team in the base: unknown, declared or not declared. */
  readonly base: 'none' | 'declared' | 'not declared';
  readonly listed: boolean;
  readonly live: boolean;
  /** Place of a protection, if any. */
  readonly protect: 'nowhere' | 'on the object' | 'in the settings';
}

const rows: readonly Row[] = (['never', 'removed', 'unlisted'] as const).flatMap((prune) =>
  (['none', 'declared', 'not declared'] as const).flatMap((base) =>
    [true, false].flatMap((listed) =>
      [true, false].flatMap((live) =>
        (['nowhere', 'on the object', 'in the settings'] as const).map((protect) => ({
          prune,
          base,
          listed,
          live,
          protect,
        })),
      ),
    ),
  ),
);

/** Expected outcome. */
function expected({ prune, base, listed, live, protect }: Row): string {
  if (!live) return listed ? 'created' : 'nothing';
  if (listed) return 'nothing';
  const former = base === 'declared';
  const deleted = prune === 'unlisted' || (prune === 'removed' && former);
  // Kept objects that no manifest lists are mentioned, with or without a base.
  if (!deleted) return 'unmanaged';
  // The protection of an object that is no longer listed is known only from the base.
  const guarded = protect === 'in the settings' || (protect === 'on the object' && former);
  return guarded ? 'refused' : 'deleted';
}

async function desiredValue(row: Row, declares: boolean): Promise<DesiredTree> {
  const lifecycle = row.protect === 'on the object' ? { lifecycle: { protect: true } } : {};
  return treeOf({
    settings: { prune: row.prune, protect: row.protect === 'in the settings' ? ['teams/**'] : [] },
    teams: declares ? { red: { title: 'Red', ...lifecycle } } : {},
  });
}

function liveTree(row: Row): LiveTree {
  const organization = { kind: 'organization', id: 'org_acme' };
  const place = { params: { organizationId: 'org_acme' }, scope: organization, container: organization };
  const team = {
    ...place,
    kind: 'team',
    id: 'team_red',
    params: { organizationId: 'org_acme', teamId: 'team_red' },
    fields: { title: 'Red' },
    rank: 0,
  };
  return new LiveTree('org_acme', [
    { ...place, ...organization, fields: { title: 'Acme' } },
    ...(row.live ? [team] : []),
  ]);
}

test.each(rows)(
  'follows the table: prune $prune, base $base, listed $listed, live $live, protected $protect',
  async (row) => {
    const past = row.base === 'none' ? {} : { tree: await desiredValue(row, row.base === 'declared') };
    const { plan, problems } = runKnown(
      planOrganization(
        { desired: await desiredValue(row, row.listed), live: liveTree(row) },
        { registry, past },
      ),
    );
    expect(problems).toEqual([]);
    const phases = plan.steps.map(({ phase }) => phase);
    const outcome =
      plan.refusals.length > 0
        ? 'refused'
        : phases.includes('delete')
          ? 'deleted'
          : phases.includes('create')
            ? 'created'
            : plan.unmanaged.length > 0
              ? 'unmanaged'
              : 'nothing';
    expect(outcome).toBe(expected(row));
  },
);
