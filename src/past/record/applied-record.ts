/**
 * The last apply of an organization, in git: a ref whose commits hold `applied.json`. The parents of each are the
 * former record and the commit of the manifests, so the ref is a history that travels with git.
 */
import * as z from 'zod';
import { pendingSchema } from '../../plan/past.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { byName, list, object } from '../../util/data-schema.ts';
import { parsedJson } from '../../util/json.ts';
import { userError } from '../../util/user-error.ts';
import type { StoredCommit } from '../git/ref-store.ts';

export const recordFile = 'applied.json';

export const appliedRefs = 'refs/octavo/applied/';

/** Refs of each organization's journals, next to its record. */
export const journalRefs = 'refs/octavo/journals/';

const text = z.string();

export const recordSchema = object({
  format: z.literal(1),
  organization: text.describe('Label of the organization'),
  service: text.describe('The service that it was applied to, by its normal name'),
  commit: text.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/).describe('Commit of the manifests'),
  digest: text.describe('Digest of the plan that was applied'),
  time: text.describe('When, as an ISO 8601 date-time'),
  day: text.exactOptional().describe('The day (UTC) of the manifests, if anything in them ends'),
  run: text.describe('Id of the run'),
  upTo: text.exactOptional().describe('Greatest id of a recorded run, if its machine had a later clock'),
  ids: byName(text).describe('Id of each object, by address'),
  pending: list(pendingSchema())
    .exactOptional()
    .describe('Deletions that the service accepted and had not carried out'),
  left: list(text)
    .exactOptional()
    .describe('Addresses that had drifted since the approved plan, and were left alone'),
  inputs: object({ salt: text, digests: byName(text) })
    .exactOptional()
    .describe('Salted digests of values that variables filled in, by address and field'),
  scope: object({ files: list(text), overlays: list(text) })
    .exactOptional()
    .describe(
      'Files and folders that were read, relative to the root of the repository, and names of overlays',
    ),
  who: object({
    actor: text.describe('Account of the forge that started the run; outside of a pipeline user@host'),
    account: text.exactOptional().describe('Member that the token belongs to, if the manifests name it'),
  }).exactOptional(),
  approval: object({
    type: text.describe('approved (--approved), saved (the file of a plan), asked (on a terminal) or none'),
    digest: text.exactOptional().describe('Digest of the plan that was approved'),
  }).exactOptional(),
  // An unreadable list must not invalidate the record.
  exemptions: list(object({ rule: text, by: text, why: text, address: text }))
    .catch([])
    .exactOptional()
    .describe('Rules that were lifted for an object, by whom and why'),
});

export type AppliedRecord = z.infer<typeof recordSchema>;

export interface FoundRecord {
  readonly oid: string;
  readonly commit: string;
  /** Greatest id of a run that is recorded: clocks differ. */
  readonly upTo: string;
  /** Keyed by address. */
  readonly ids: ReadonlyMap<string, string>;
  readonly content: AppliedRecord;
}

export function appliedRef({ label }: Pick<DesiredTree, 'label'>): string {
  return `${appliedRefs}${refPart(label)}`;
}

export function refPart(name: string): string {
  return encodeURIComponent(name).replace(/[%.~*]/g, '_');
}

/** @throws DiagnosticError for a record that no apply can have written. */
export function readRecord(label: string | undefined, commit: StoredCommit): FoundRecord {
  const { oid, parents } = commit;
  const content = contentOf(commit);
  if (content === undefined) throw forged(label, oid, 'its content is not a record');
  const { commit: applied, run, upTo = run, ids, organization } = content;
  if (organization !== label) throw forged(label, oid, `it is about ${JSON.stringify(organization)}`);
  if (!parents.includes(applied))
    throw forged(label, oid, `the commit that it names, ${applied.slice(0, 12)}, is not its parent`);
  return { oid, commit: applied, upTo, ids: new Map(Object.entries(ids)), content };
}

export function contentOf({ text: json }: Pick<StoredCommit, 'text'>): AppliedRecord | undefined {
  return recordSchema.safeParse(json === undefined ? undefined : parsedJson(json)).data;
}

function forged(label: string | undefined, oid: string, flaw: string): Error {
  const [whose, ref] =
    label === undefined ? ['', `${appliedRefs}*`] : [` of ${label}`, appliedRef({ label })];
  return userError(
    'record',
    `the record ${oid.slice(0, 12)}${whose} was not written by octavo apply: ${flaw}`,
    `find out who pushed ${ref} (git log ${oid.slice(0, 12)}); put the ref back to the last good record, or remove it, also in the remote, and plan with --base <ref>: git update-ref -d ${ref}`,
  );
}
