/** A look at a whole organization, as far as it is exported. */
import type { Api } from '../../contract/api.ts';
import type { Registry } from '../../kinds/registry.ts';
import { nearest } from '../../util/nearest.ts';
import { userError } from '../../util/user-error.ts';
import { findExported } from './find-organization.ts';
import { Outline } from './outline.ts';
import { type LiveState, WholeReader } from './read-live.ts';
import { type ExportSelection, selectionOf } from './selection.ts';

/** What to look at. */
export interface LookAtOptions {
  readonly registry: Registry;
  /** Id, hostname or title; not needed where the token can see one organization only. */
  readonly organization?: string | undefined;
  /** Globs of addresses; all by default. */
  readonly only?: readonly string[] | undefined;
  /** Addresses that manifests have already, which globs may mean as well. */
  readonly known?: Iterable<string> | undefined;
  /** Called once for each read. */
  readonly onRead?: (() => void) | undefined;
}

/** What was read of an organization, and what of it is exported. */
export interface ExportLook {
  readonly registry: Registry;
  readonly state: LiveState;
  readonly outline: Outline;
  readonly selection: ExportSelection;
}

/**
 * Reads an organization.
 *
 * @throws DiagnosticError where there is no such organization, and where a glob matches nothing; ApiError when a request fails.
 */
export async function lookAt(api: Api, options: LookAtOptions): Promise<ExportLook> {
  const { registry, only, onRead } = options;
  const organizationId = await findExported(api, options.organization);
  const selection = selectionOf(registry, only);
  const reader = new WholeReader(api, { registry, organizationId, isWanted: selection.mayHave, onRead });
  const state = await reader.readLists();
  const outline = new Outline({ registry, live: state.live, refused: state.refused });
  const addresses = [outline.root, ...outline.nodes].map((node) => outline.addressOf(node) ?? '');
  refuseUnmatched(selection, [...addresses, ...(options.known ?? [])]);
  await reader.readFields(outline.nodes.filter((node) => selection.has(outline.addressOf(node) ?? '')));
  return { registry, state, outline, selection };
}

/** The organization as reports name it. */
export function organizationOf({ state, outline }: ExportLook): {
  readonly id: string;
  readonly title: string;
} {
  const id = state.live.organizationId;
  return { id, title: String(outline.root.fields.title ?? id) };
}

function refuseUnmatched(selection: ExportSelection, addresses: readonly string[]): void {
  const [pattern] = selection.unmatched(addresses);
  if (pattern === undefined) return;
  const near = nearest(pattern, addresses);
  throw userError(
    'no-such-address',
    `--only ${pattern} matches nothing`,
    near === undefined ? 'export without --only to see all addresses' : `did you mean ${near}?`,
  );
}
