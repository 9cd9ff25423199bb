/**
 * What was applied last, per organization, as git keeps it: a ref whose commits hold `applied.json`. Each has the former
 * record and the manifests' commit as its parents, so the ref is a history that travels with git.
 */
import * as z from 'zod';
import type { Git } from '../../manifest/git.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { byName, object } from '../../util/data-schema.ts';
import { userError } from '../../util/user-error.ts';

/** The name of the file in a record's tree. */
export const recordFile = 'applied.json';

const text = z.string();

/** The form of `applied.json`. */
export const recordSchema = object({
  format: z.literal(1),
  organization: text.describe('Label of the organization'),
  commit: text.describe('Commit of the manifests'),
  digest: text.describe('Digest of the plan that was applied'),
  time: text.describe('When, as an ISO 8601 date-time'),
  run: text.describe('Id of the run'),
  ids: byName(text).describe('Id of each object, by address'),
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

/** The git ref under which an organization's last apply is recorded. */
export function appliedRef({ label }: Pick<DesiredTree, 'label'>): string {
  return `refs/octavo/applied/${refPart(label)}`;
}

/** A label or an id as a part of the name of a ref. */
export function refPart(name: string): string {
  return encodeURIComponent(name).replace(/[%.~*]/g, '_');
}

/** Reads the record that a commit holds. Throws a DiagnosticError for one of a later version. */
export async function readRecord(git: Git, repository: string, oid: string): Promise<FoundRecord> {
  const { exitCode, stdout } = await git.attempt(repository, ['cat-file', 'blob', `${oid}:${recordFile}`]);
  const content = exitCode === 0 ? parseRecord(String(stdout), oid) : undefined;
  if (content === undefined) return { oid, commit: oid, ids: new Map() };
  return { oid, commit: content.commit, ids: new Map(Object.entries(content.ids)), content };
}

/** A manifests' commit may hold a file of that name as well: what is no record is none. */
function parseRecord(json: string, oid: string): AppliedRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const parsed = recordSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { format, organization, ids } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof format === 'number' && format > 1 && organization !== undefined && ids !== undefined) {
    throw userError(
      'record',
      `the record ${oid.slice(0, 12)} was written by a later version of Octavo`,
      'use that version, or name another base',
    );
  }
  return undefined;
}
