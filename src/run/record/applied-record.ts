/**
 * What was applied last, per organization, as git keeps it: a ref whose commits hold `applied.json`. Each has the former
 * record and the manifests' commit as its parents, so the ref is a history that travels with git.
 */
import * as z from 'zod';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { byName, list, object } from '../../util/data-schema.ts';
import { userError } from '../../util/user-error.ts';

/** The name of the file in a record's tree. */
export const recordFile = 'applied.json';

const text = z.string();

/** The form of `applied.json`. */
export const recordSchema = object({
  format: z.literal(1),
  organization: text.describe('Label of the organization'),
  commit: text.regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/).describe('Commit of the manifests'),
  digest: text.describe('Digest of the plan that was applied'),
  time: text.describe('When, as an ISO 8601 date-time'),
  run: text.describe('Id of the run'),
  ids: byName(text).describe('Id of each object, by address'),
  scope: object({ files: list(text), overlays: list(text) })
    .exactOptional()
    .describe(
      'Files and folders that were read, relative to the root of the repository, and names of overlays',
    ),
});

/** What `applied.json` holds. */
export type AppliedRecord = z.infer<typeof recordSchema>;

/** A record, and the commit that holds it. */
export interface FoundRecord {
  /** The commit of the record itself. */
  readonly oid: string;
  /** The commit of the manifests. */
  readonly commit: string;
  /** Ids by address; none in records of former versions, which only named the commit. */
  readonly ids: ReadonlyMap<string, string>;
  /** The content of `applied.json`; absent in records of former versions. */
  readonly content?: AppliedRecord;
}

/** The commit of a record, as git has it. */
export interface RecordCommit {
  readonly oid: string;
  readonly parents: readonly string[];
  /** The text of its `applied.json`; undefined where it has none. */
  readonly json: string | undefined;
}

/** The git ref under which an organization's last apply is recorded. */
export function appliedRef({ label }: Pick<DesiredTree, 'label'>): string {
  return `refs/octavo/applied/${refPart(label)}`;
}

/** A label or an id as a part of the name of a ref. */
export function refPart(name: string): string {
  return encodeURIComponent(name).replace(/[%.~*]/g, '_');
}

/**
 * The record that a commit holds: its own `applied.json`, or the commit itself where a former version recorded it.
 *
 * @throws DiagnosticError for one of a later version, and for one that no apply can have written.
 */
export function readRecord(label: string, { oid, parents, json }: RecordCommit): FoundRecord {
  const value = json === undefined ? undefined : parseJson(json);
  // A commit of manifests may hold a file of that name as well.
  if (!isObject(value) || !('format' in value && 'ids' in value)) return { oid, commit: oid, ids: new Map() };
  if (typeof value.format === 'number' && value.format > 1) {
    throw userError(
      'record',
      `the record ${oid.slice(0, 12)} was written by a later version of Octavo`,
      'use that version, or name another base',
    );
  }
  const parsed = recordSchema.safeParse(value);
  const flaw = parsed.success
    ? flawIn(parsed.data, label, parents)
    : 'its content has not the form of a record';
  if (flaw !== undefined || parsed.data === undefined) throw forged(label, oid, flaw ?? '');
  const content = parsed.data;
  return { oid, commit: content.commit, ids: new Map(Object.entries(content.ids)), content };
}

/** The content of a commit in a chain of records; undefined for one that is none. */
export function contentOf({ json }: RecordCommit): AppliedRecord | undefined {
  return recordSchema.safeParse(json === undefined ? undefined : parseJson(json)).data;
}

/** Why no apply can have written the record: its parents include the commit of the manifests, and its organization is that of the ref. */
function flawIn(
  { commit, organization }: AppliedRecord,
  label: string,
  parents: readonly string[],
): string | undefined {
  if (organization !== label) return `it is about ${JSON.stringify(organization)}`;
  return parents.includes(commit)
    ? undefined
    : `the commit that it names, ${commit.slice(0, 12)}, is not its parent`;
}

function forged(label: string, oid: string, flaw: string): Error {
  const ref = appliedRef({ label });
  return userError(
    'record',
    `the record ${oid.slice(0, 12)} of ${label} was not written by octavo apply: ${flaw}`,
    `find out who pushed ${ref} (git log ${oid.slice(0, 12)}); put the ref back to the last good record, or plan with --base <ref>`,
  );
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
