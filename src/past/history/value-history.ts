/**
 * The history of an object, of a field, or of one entry of a field, without the service: from the records in git, the manifests of
 * their commits, and the journals.
 *
 *   records   r3 (commit c5)    r2 (commit c2)    r1 (commit c1)
 *   declared  ada: owner        ada: member       –
 *   changes   r3 changed it     r2 added it
 */
import type { Field } from '../../kinds/parts/field.ts';
import type { Payload } from '../../kinds/parts/payload.ts';
import { gitFiles } from '../../manifest/files/git-files.ts';
import { type Commit, onGitError, type Repository } from '../../manifest/files/repository.ts';
import { loadWorkspace } from '../../manifest/load-workspace.ts';
import { type FieldChange, isDrift, type Step } from '../../plan/plan.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { endingsOf, entryName } from '../../tree/endings.ts';
import { countOf } from '../../util/count.ts';
import { defined } from '../../util/defined.ts';
import { isRecord, sameJson } from '../../util/json.ts';
import { append, compareTexts } from '../../util/lists.ts';
import { nearest } from '../../util/nearest.ts';
import { rememberedIn } from '../../util/remembered.ts';
import { userError } from '../../util/user-error.ts';
import { ParsedTexts } from '../../yaml/parsed-texts.ts';
import { manifestPaths } from '../base/repository.ts';
import type { JournaledRun } from '../journal/read-journal.ts';
import type { AppliedRecord } from '../record/applied-record.ts';
import { collectionOf } from '../record/reverted.ts';
import type { ManifestSource } from '../workspace.ts';

export interface ValueChange extends Pick<AppliedRecord, 'run' | 'time' | 'who' | 'approval'> {
  /** `drift`: it was changed at the service, and the run changed it back. */
  readonly type: 'added' | 'removed' | 'renamed' | 'changed' | 'drift';
  readonly address: string;
  /** The address before a rename. */
  readonly former?: string;
  /** Of a whole object: the fields that changed. */
  readonly fields?: readonly string[];
  readonly before?: Payload;
  readonly after?: Payload;
  /** The last day (UTC), if it was removed since it ended. */
  readonly ended?: string;
  /** The first commit that declares it so; absent if no commit does. */
  readonly commit?: Pick<Commit, 'oid' | 'subject'>;
  /** True for the oldest record here: it may be older. */
  readonly isFirst?: true;
}

export interface ValueHistory {
  readonly of: string;
  readonly organization: string;
  readonly reads?: FieldChange['reads'];
  /** Newest first. */
  readonly changes: readonly ValueChange[];
  /** Absent if all records were read: since when the changes are known. */
  readonly since?: string;
  /** Commits whose manifests cannot be read, with the reason. */
  readonly unread: readonly { readonly commit: string; readonly reason: string }[];
}

/** Between two records, of which each is compared. */
const mostCommits = 200;

/** Of one organization, newest first. */
export interface RecordedRuns {
  readonly label: string;
  readonly records: readonly AppliedRecord[];
  /** True if there may be older records. */
  readonly isPart: boolean;
  readonly journals: readonly JournaledRun[];
}

/** @throws DiagnosticError if no organization has the object, or several do, or if its kind has no such field. */
export async function valueHistory(
  source: ManifestSource,
  repository: Repository | undefined,
  { name, runs }: { readonly name: string; readonly runs: readonly RecordedRuns[] },
): Promise<ValueHistory> {
  const [first, ...others] = runs.flatMap((own) => {
    const named = nameIn(own, name);
    return named === undefined ? [] : [{ own, named }];
  });
  if (first === undefined) {
    const near = nearest(
      name,
      runs.flatMap((one) => [...addressesIn(one)]),
    );
    const help = 'records are made by octavo apply --record; a run is named as octavo history lists it';
    const suggestion = near === undefined ? help : `did you mean ${near}?`;
    throw userError('no-such-address', `no record and no journal names ${name}`, suggestion);
  }
  if (others.length > 0)
    throw userError(
      'no-such-address',
      `${countOf(others.length + 1, 'organization')} have ${first.named.address}`,
      `name one of them: octavo history ${first.own.label}/${name}`,
    );
  return new PastValues(source, repository, first.own, first.named).history();
}

function addressesIn({ label, records, journals }: RecordedRuns): ReadonlySet<string> {
  return new Set([
    ...records.flatMap(({ ids }) => Object.keys(ids)),
    ...journals.flatMap((run) => stepsOf(run, label).map(({ step }) => step.address)),
  ]);
}

function stepsOf({ header, outcomes }: JournaledRun, label: string) {
  const { steps = [] } = header.organizations.find((one) => one.label === label) ?? {};
  return steps.map((step) => ({ step, outcome: outcomes.get(label)?.get(step.id) }));
}

interface NamedValue {
  readonly address: string;
  /** A field, and keys in it: `access.teams.writers`; empty for the whole object. */
  readonly path: string;
}

/** The longest known address that begins the name: keys may contain dots. */
function nameIn(runs: RecordedRuns, name: string): NamedValue | undefined {
  const { label } = runs;
  const own = name.startsWith(`${label}/`) ? name.slice(label.length + 1) : name;
  const known = addressesIn(runs);
  for (let end = own.length; end > 0; end = own.lastIndexOf('.', end - 1)) {
    if (!known.has(own.slice(0, end))) continue;
    return { address: own.slice(0, end), path: own.slice(end + 1) };
  }
  return undefined;
}

/** The object as the commit of a record declares it. */
interface Declared {
  readonly record: AppliedRecord;
  readonly address: string;
  readonly node: DesiredNode | undefined;
  readonly tree: DesiredTree;
}

class PastValues {
  readonly #source: ManifestSource;
  readonly #repository: Repository | undefined;
  readonly #runs: RecordedRuns;
  readonly #trees = new Map<string, Promise<DesiredTree | undefined>>();
  readonly #unread = new Map<string, string>();
  readonly #address: string;
  readonly #path: string;

  constructor(
    source: ManifestSource,
    repository: Repository | undefined,
    runs: RecordedRuns,
    { address, path }: NamedValue,
  ) {
    this.#source = { ...source, parsed: new ParsedTexts() };
    this.#repository = repository;
    this.#runs = runs;
    this.#address = address;
    this.#path = path;
  }

  async history(): Promise<ValueHistory> {
    const addresses = this.#addresses();
    const declared: Declared[] = [];
    const unread: ValueHistory['unread'][number][] = [];
    for (const [record, address] of addresses) {
      const { commit } = record;
      const tree = await this.#treeAt(commit, record);
      // Manifests that cannot be read say nothing, not even that it is gone.
      if (tree === undefined) unread.push({ commit, reason: this.#unread.get(commit) ?? '' });
      else declared.push({ record, address, node: tree.get(address), tree });
    }
    const field = this.#requireField(declared);
    const changes = [...this.#journaled(new Set([...addresses.values(), this.#address]))];
    const journaled = new Set(changes.map(({ run }) => run));
    for (const [at, one] of declared.entries()) {
      const before = declared[at + 1];
      // The journal of the oldest run tells what it did.
      if (before !== undefined || !journaled.has(one.record.run))
        append(changes, await this.#changesBy(one, before));
    }
    return {
      of: this.#path === '' ? this.#address : `${this.#address}.${this.#path}`,
      organization: this.#runs.label,
      ...defined({
        reads: field?.reads,
        since: this.#runs.isPart ? this.#runs.records.at(-1)?.time : undefined,
      }),
      changes: changes.sort((left, right) => compareTexts(right.time, left.time)),
      unread,
    };
  }

  /** The address of the object in each record: ids tell renames and moves. */
  #addresses(): ReadonlyMap<AppliedRecord, string> {
    const { records } = this.#runs;
    const ids = records.map((record) => record.ids);
    const last = Math.max(
      ids.findIndex((one) => one[this.#address] !== undefined),
      0,
    );
    const newer = follow(this.#address, ids.slice(0, last + 1).reverse()).reverse();
    const all = [...newer, ...follow(this.#address, ids.slice(last)).slice(1)];
    return new Map(records.map((record, at) => [record, all[at] ?? this.#address]));
  }

  #requireField(declared: readonly Declared[]): Field | undefined {
    const { label, journals } = this.#runs;
    const steps = journals.flatMap((run) => stepsOf(run, label).map(({ step }) => step));
    const own = steps.find(({ address }) => address === this.#address);
    const { kind: found } = declared.find(({ node }) => node !== undefined)?.node ?? own ?? {};
    const kind = found === undefined ? undefined : this.#source.registry.byName(found);
    if (this.#path === '' || kind === undefined) return undefined;
    const names = Object.keys(kind.fields);
    const name = names.find((one) => isOn(this.#path, one));
    if (name !== undefined) return kind.fields[name];
    const near = names.find((one) => isOn(one, this.#path)) ?? nearest(this.#path, names);
    throw userError(
      'unknown-key',
      `a ${kind.noun} has no field ${this.#path}`,
      near === undefined ? `octavo explain ${kind.name} lists its fields` : `did you mean ${near}?`,
    );
  }

  async #changesBy(now: Declared, before: Declared | undefined): Promise<readonly ValueChange[]> {
    const { run, time, who, approval } = now.record;
    const { address } = now;
    const about = { address, run, time, ...defined({ who, approval }) };
    const [is, was] = [this.#valueOf(now.node), this.#valueOf(before?.node)];
    if (before === undefined)
      return is === undefined || this.#runs.isPart
        ? []
        : [{ type: 'added', ...about, ...this.#shown(is), isFirst: true }];
    const former = before.address;
    const isRenamed = former !== address && is !== undefined && was !== undefined;
    const isChanged = !sameJson(is, was);
    const type = changeOf(was, is);
    const hasValue = (tree: DesiredTree) =>
      sameJson(this.#valueOf(tree.get(address) ?? tree.get(former)), is);
    const hasName = (tree: DesiredTree) => tree.nodes.has(address);
    const ended = is === undefined ? this.#endIn(now) : undefined;
    const commitWith = (hasIt: (tree: DesiredTree) => boolean) => this.#commitWith(hasIt, now, before);
    return [
      ...(isChanged
        ? [
            {
              type,
              ...about,
              ...this.#shown(is, was),
              ...(ended ? { ended } : await commitWith(hasValue)),
            } as const,
          ]
        : []),
      ...(isRenamed ? [{ type: 'renamed', ...about, former, ...(await commitWith(hasName)) } as const] : []),
    ];
  }

  #shown(after: Payload | undefined, before?: Payload): Pick<ValueChange, 'before' | 'after' | 'fields'> {
    if (this.#path !== '') return defined({ before, after });
    if (!isRecord(before) || !isRecord(after)) return {};
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return { fields: names.filter((name) => !sameJson(before[name], after[name])) };
  }

  /** The oldest commit of the branch since which it is true; undefined if there are too many to tell. */
  async #commitWith(
    hasIt: (tree: DesiredTree) => boolean,
    { record }: Declared,
    before: Declared,
  ): Promise<Pick<ValueChange, 'commit'>> {
    const range = { of: record.commit, not: before.record.commit, isFirstParent: true, most: mostCommits };
    const commits = (await this.#repository?.commits(range).catch(onGitError(() => []))) ?? [];
    let found: ValueChange['commit'];
    for (const { oid, subject } of commits) {
      const tree = await this.#treeAt(oid, record);
      if (tree !== undefined && !hasIt(tree)) return defined({ commit: found });
      if (tree !== undefined) found = { oid, subject };
    }
    return commits.length < mostCommits ? defined({ commit: found }) : {};
  }

  #endIn({ address, tree }: Declared): string | undefined {
    return endingsOf(tree, address).find((one) => one.isOver && entryName(one) === this.#path)?.until;
  }

  /** Undefined if it is not declared. */
  #valueOf(node: DesiredNode | undefined): Payload | undefined {
    return node && valueIn({ ...node.fields }, this.#path);
  }

  #treeAt(commit: string, record: AppliedRecord): Promise<DesiredTree | undefined> {
    const unreadable = onGitError(({ message }) => void this.#unread.set(commit, message));
    return rememberedIn(this.#trees, `${commit} ${record.day ?? ''}`, () =>
      this.#load(commit, record).catch(unreadable),
    );
  }

  async #load(commit: string, { scope, day }: AppliedRecord): Promise<DesiredTree | undefined> {
    const repository = this.#repository;
    if (repository === undefined) return undefined;
    const { files = [''], overlays = [] } = scope ?? {};
    const paths = files.map((file) => `${repository.root}/${file}`);
    const source = { ...this.#source, files: paths, overlays };
    const { label } = this.#runs;
    const workspace = await loadWorkspace({
      ...source,
      paths,
      files: await gitFiles(repository, { treeish: commit, paths: manifestPaths(source) }),
      purpose: 'base',
      now: day === undefined ? undefined : Date.parse(day),
      choose: (all) => all.filter((one) => one.label === label),
    });
    const [tree] = workspace.trees;
    const [problem] = workspace.diagnostics.filter(({ severity }) => severity === 'error');
    if (tree !== undefined && problem === undefined) return tree;
    this.#unread.set(commit, problem?.message ?? `they do not declare ${label}`);
    return undefined;
  }

  /** Of runs whose record can be compared with an earlier one, only what they changed back: the manifests have the rest. */
  *#journaled(addresses: ReadonlySet<string>): Generator<ValueChange> {
    const { label, records, journals } = this.#runs;
    const recorded = new Map(records.map((record) => [record.run, record]));
    for (const journal of journals) {
      const { run, time } = journal.header;
      const record = recorded.get(run);
      const isCompared = record !== undefined && record !== records.at(-1);
      const about = { run, time, ...defined({ who: record?.who, approval: record?.approval }) };
      for (const { step, outcome } of stepsOf(journal, label))
        if (addresses.has(step.address) && outcome === 'done')
          for (const change of this.#changesIn(step, isCompared)) yield { ...about, ...change };
    }
  }

  *#changesIn({ address, phase, cause, fields }: Step, isCompared: boolean): Generator<JournaledChange> {
    const path = this.#path;
    const own = fields.filter(({ field }) => path === '' || isOn(path, field));
    const drifted = own.filter((one) => isDrift(one.cause ?? cause));
    const shown = isCompared ? drifted : own;
    if (path !== '')
      for (const one of shown) {
        const [before, after] = [one.before, one.after].map(
          (value) => value && valueIn({ [one.field]: value }, path),
        );
        const type = drifted.includes(one) ? 'drift' : changeOf(before, after);
        if (!sameJson(before, after)) yield { type, address, ...defined({ before, after }) };
      }
    else if (!isCompared && phase === 'create') yield { type: 'added', address };
    else if (!isCompared && phase === 'delete') yield { type: 'removed', address };
    else if (shown.length > 0)
      yield { type: isCompared ? 'drift' : 'changed', address, fields: shown.map(({ field }) => field) };
  }
}

type JournaledChange = Pick<ValueChange, 'type' | 'address' | 'fields' | 'before' | 'after'>;

function changeOf(was: Payload | undefined, is: Payload | undefined) {
  return was === undefined ? 'added' : is === undefined ? 'removed' : 'changed';
}

function isOn(path: string, key: string): boolean {
  return path === key || path.startsWith(`${key}.`);
}

/** Keys may contain dots. */
function valueIn(value: Payload, path: string): Payload | undefined {
  if (path === '') return value;
  if (!isRecord(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = isOn(path, key) ? valueIn(inner as Payload, path.slice(key.length + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The address of an object in each of the ids, which are those of records that follow each other, in either direction. */
function follow(address: string, ids: readonly AppliedRecord['ids'][]): string[] {
  const found = [address];
  for (const [at, next] of ids.slice(1).entries()) {
    const last = found.at(-1) ?? address;
    const id = ids[at]?.[last];
    const isSame = (other: string) => next[other] === id && collectionOf(other) === collectionOf(last);
    const other = id === undefined || next[last] === id ? undefined : Object.keys(next).find(isSame);
    found.push(other ?? last);
  }
  return found;
}
