/** The rows of a plan's tables in Markdown: one for each change, the most dangerous first, and each delete listed or counted. Pure. */
import { countOf } from '../util/count.ts';
import { actionSigns, briefValues } from './change-lines.ts';
import { inBrief, ownRisks, type SharedRisk, sharedRisks } from './dangers.ts';
import { countAddresses } from './markdown-cut.ts';
import { cell, plain } from './markdown-safe.ts';
import type { ObjectChange } from './object-changes.ts';
import type { OrganizationView } from './plan-view.ts';

/** Bytes for the list of deletes, which must be there. */
const roomForDeletes = 24_000;
/** Longest values that are shown in a table. */
const shortValues = 90;

/** A change and whose it is. */
export interface PlacedChange {
  readonly change: ObjectChange;
  readonly organization: OrganizationView;
  /** Its risks, without those that many objects share. */
  readonly risks: readonly string[];
}

/** The changes of an organization, each with its own risks. */
export function placedIn(organization: OrganizationView): readonly PlacedChange[] {
  const changes = organization.groups.flatMap((group) => group.changes);
  const shared = sharedRisks(changes);
  return changes.map((change) => ({ change, organization, risks: ownRisks(change, shared) }));
}

/** Risks that many objects share; each is shown once. */
export function sharedIn({ groups }: OrganizationView): readonly SharedRisk[] {
  return [...sharedRisks(groups.flatMap((group) => group.changes)).values()];
}

/** The row of a risk that many objects share. */
export function sharedRow({ action, count, noun, text }: SharedRisk): string {
  return `| ${actionSigns[action]} | ${plain(countOf(count, noun))} | ⚠ ${plain(text)} |`;
}

/** True for what goes away for good. */
export function isDelete({ change: { action } }: PlacedChange): boolean {
  return action === 'delete';
}

function hasConflict({ fields }: ObjectChange): boolean {
  return fields.some(({ cause }) => cause === 'conflict');
}

/** Every delete, or how many there are where. */
export function deleteRows(
  deletes: readonly PlacedChange[],
  of: (placed: PlacedChange) => string,
): readonly string[] {
  const byAddress = new Map(deletes.map((placed) => [of(placed), placed]));
  const lineOf = (address: string, count: number | undefined) => {
    if (count !== undefined) return `| − | ${cell(`${address}/…`)} | ${countOf(count, 'delete')} |`;
    const placed = byAddress.get(address);
    return `| − | ${cell(address)} | ${placed === undefined ? '' : whatText(placed)} |`;
  };
  return countAddresses([...byAddress.keys()], lineOf, roomForDeletes);
}

/** Dangerous ones are never folded. */
export function rowsOf(placed: PlacedChange): string {
  const { group = 'change' } = placed.change;
  return rankOf(placed) <= 3 ? `${group} dangers` : `${group} rows`;
}

/** A table of rows; nothing without any. */
export function tableOf(rows: readonly string[]): readonly string[] {
  return rows.length === 0 ? [] : ['| | address | what |', '|---|---|---|', ...rows, ''];
}

/** The part of the report that the details of a change are in. */
export function detailsOf({ change: { group = 'change' } }: PlacedChange): string {
  return `${group} details`;
}

/** The row of a change. */
export function rowOf(placed: PlacedChange, of: (placed: PlacedChange) => string): string {
  const { change } = placed;
  return `| ${actionSigns[change.action]} | ${cell(of(placed))} | ${whatText(placed)} |`;
}

/** The fields that change, or what goes along; in a table. */
function whatText({ change, risks: own }: PlacedChange): string {
  const conflict = hasConflict(change) ? ['conflict: changed in the manifests and in the app'] : [];
  const risks = [...conflict, ...own].map((text) => `⚠ ${plain(text)}`);
  const values = briefValues(change, shortValues);
  const brief = values === undefined ? plain(inBrief(change)) : cell(values);
  return [...(brief === '' ? [] : [brief]), ...risks].join('<br>');
}

/** The most dangerous first; equal ones stay in the order of the plan. */
export function byDanger(left: PlacedChange, right: PlacedChange): number {
  return rankOf(left) - rankOf(right);
}

function rankOf({ change, risks }: PlacedChange): number {
  const { action } = change;
  if (action === 'delete') return 0;
  if (action === 'replace') return 1;
  if (risks.length > 0) return 2;
  if (hasConflict(change)) return 3;
  return { create: 5, update: 4, move: 6, restore: 4 }[action];
}
