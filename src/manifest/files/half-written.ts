/** Files that are written together: each has a draft next to it, and the drafts are known until all of them are in place. */
import path from 'node:path';
import * as z from 'zod';
import { countOf } from '../../util/count.ts';
import { DiagnosticError } from '../../util/diagnostic.ts';
import type { ManifestFiles } from './disk.ts';
import { displayName, draftPrefix, groupIn } from './paths.ts';

/** `folder`: of the draft, relative to the one that contains the group. `before`: absent for a new file. */
const groupedSchema = z.object({
  folder: z.string(),
  name: z.string(),
  before: z.string().optional(),
  after: z.string(),
});
const groupSchema = z.object({ command: z.string(), files: z.array(groupedSchema) });

type Grouped = z.infer<typeof groupedSchema>;
export type FileGroup = z.infer<typeof groupSchema>;

/** A command was interrupted between two files. Folders are absolute. */
export class HalfWritten extends DiagnosticError {
  readonly command: string;
  readonly placed: readonly Grouped[];
  readonly waiting: readonly Grouped[];

  constructor(command: string, placed: readonly Grouped[], waiting: readonly Grouped[], cwd: string) {
    const names = [...placed, ...waiting].map(({ folder }) => displayName(folder, cwd));
    const message = `octavo ${command} was interrupted after ${placed.length} of ${countOf(names.length, 'file')}`;
    const suggestion = `run octavo ${command} again\nto keep the files as they are, delete ${names.join(', ')}`;
    super([{ severity: 'error', code: 'interrupted-write', message, suggestion }]);
    this.command = command;
    this.placed = placed;
    this.waiting = waiting;
  }
}

/** @throws HalfWritten if only some files of a group are written. `folder`: of one of the files. */
export async function refuseHalfWritten(folder: string, files: ManifestFiles, cwd: string): Promise<void> {
  const listed = await files.list(folder).catch(() => []);
  for (const { name } of listed.filter((one) => one.name.startsWith(draftPrefix))) {
    const draft = path.join(folder, name);
    // A single file has no group, nor has a process that was killed before the first file was written.
    const group = await files
      .read(groupIn(draft))
      .then(parseGroup)
      .catch(() => undefined);
    const [placed, waiting]: [Grouped[], Grouped[]] = [[], []];
    for (const one of group?.files ?? []) {
      const at = path.resolve(draft, one.folder);
      if (!path.basename(at).startsWith(draftPrefix) || (await files.type(groupIn(at))) !== 'file') continue;
      const isPlaced = (await files.type(path.join(at, 'draft'))) === 'missing';
      (isPlaced ? placed : waiting).push({ ...one, folder: at });
    }
    if (group !== undefined && placed.length > 0 && waiting.length > 0)
      throw new HalfWritten(group.command, placed, waiting, cwd);
  }
}

function parseGroup(bytes: Uint8Array): FileGroup {
  return groupSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}
