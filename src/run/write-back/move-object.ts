/** Gives an object another key or place: changes its entry, and references in manifests, overlays, records, rules and tests. */

import path from 'node:path';
import { mapOf } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import { withArticle } from '../../manifest/build/issue-text.ts';
import { disk } from '../../manifest/files/disk.ts';
import { findManifests } from '../../manifest/files/find.ts';
import { isOutside, isTestName } from '../../manifest/files/paths.ts';
import { onGitError } from '../../manifest/files/repository.ts';
import { loadWorkspace, type Workspace } from '../../manifest/load-workspace.ts';
import { invalidRules, ownRules } from '../../manifest/read-rules.ts';
import { findRepository } from '../../past/base/repository.ts';
import { findRecords } from '../../past/record/find-record.ts';
import { loadManifests, type ManifestSource } from '../../past/workspace.ts';
import { covers, keyOf, parentOf } from '../../tree/addressing.ts';
import { type DesiredNode, rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { pinnedId } from '../../tree/identity.ts';
import { referencesOf } from '../../tree/references.ts';
import {
  type Diagnostic,
  DiagnosticError,
  hasErrors,
  type SourceRange,
  withSources,
} from '../../util/diagnostic.ts';
import { addressMatcher } from '../../util/glob.ts';
import { sameJson } from '../../util/json.ts';
import { append } from '../../util/lists.ts';
import { placeAlone } from '../../util/places.ts';
import { userError } from '../../util/user-error.ts';
import { isDataMap } from '../../yaml/data.ts';
import { NotPossible } from '../../yaml/edited-document.ts';
import { type Located, partAt, scalarText } from '../../yaml/located.ts';
import { Problems } from '../../yaml/problems.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { refuseUnmatched, targetsIn } from '../targets.ts';
import { type AcceptRun, accept, type WriteBackOptions } from './accept.ts';
import { type ManifestPlace, placeIn, type WantedManifests } from './wanted.ts';

/** @throws DiagnosticError if the object cannot move, or a reference cannot be changed; no file is written then. */
export async function moveObject(
  given: ManifestSource,
  { from, to, ...options }: WriteBackOptions & { readonly from: string; readonly to: string },
): Promise<AcceptRun> {
  const source = { ...given, purpose: 'check' } as const;
  const { files: paths, registry, cwd } = source;
  const read = await loadManifests(source);
  // An overlay may change the content of another one, so each is loaded separately, and the manifests without any.
  const all = [...read.trees];
  for (const overlays of [[], ...(read.overlays?.others ?? []).map((name) => [name])])
    append(all, (await loadWorkspace({ ...source, files: disk, paths, overlays })).trees);
  refuseUnmatched({ '': [from] }, targetsIn({ trees: all, pasts: new Map() }));
  const [tree, ...others] = all.filter((one) => one.get(from) !== undefined);
  const node = tree?.get(from);
  const help = 'write it whole, and pass the files of one organization';
  if (tree === undefined || node === undefined || others.some(({ label }) => label !== tree.label))
    throw userError('usage', `${from} is not the address of one object`, help);
  const trees = all.filter(({ label }) => label === tree.label);
  const isRecorded = await isRecordedIn(source, tree, from).catch(onGitError(() => false));
  const move: ObjectMove = { tree, node, to, registry, trees, isRecorded };
  const problem = problemOf(move);
  if (problem !== undefined) throw new DiagnosticError([problem], read.sources);
  const { texts, documents } = await documentsOf(read, cwd);
  const workspace = { ...read, files: [...texts.keys()], sources: new Map([...read.sources, ...texts]) };
  const isOther = (test: Located) => isOfOthers(test, path.resolve(cwd, node.at.file), cwd);
  const written = documents.flatMap((one) => textsIn(one, '', isOther));
  const mentions = [...mentionsIn(move), ...namesIn(move, written)];
  const edit = {
    project: (wanted: WantedManifests) => project(move, mentions, wanted),
    before: (one: DesiredTree) => resolved(one, registry, one.label === tree.label ? renaming(move) : String),
    after: (one: DesiredTree) => resolved(one, registry, String),
  };
  const planEdited = async () => [];
  const run = accept({ ...options, organizations: [], workspace, source, edit, command: 'mv', planEdited });
  return withSources(workspace.sources, run);
}

async function isRecordedIn(source: ManifestSource, tree: DesiredTree, address: string): Promise<boolean> {
  const repository = await findRepository(source);
  const found = repository && (await findRecords(repository, [tree], { offline: false }));
  return found?.records.get(tree.label)?.ids.has(address) === true;
}

interface ObjectMove {
  readonly tree: DesiredTree;
  readonly node: DesiredNode;
  readonly to: string;
  readonly registry: Registry;
  /** Trees of each overlay. */
  readonly trees: readonly DesiredTree[];
  /** Plans know the object by its address, and its title there may be another one. */
  readonly isRecorded: boolean;
}

/** A key or a text that names the object, or something inside of it. */
interface Mention {
  readonly what: string;
  readonly at: SourceRange;
  readonly as: 'key' | 'value';
  readonly text: string;
  /** Undefined if the text has no equivalent. */
  readonly instead: string | undefined;
}

type FoundText = Omit<Mention, 'instead'>;

function renaming({ node: { address }, to }: ObjectMove): (address: string) => string {
  const isMoved = covers([address]);
  return (one) => (isMoved(one) ? to + one.slice(address.length) : one);
}

/** Why a plan would not find the object there. */
function problemOf({ tree, trees, node, to, registry }: ObjectMove): Diagnostic | undefined {
  const kind = registry.byName(node.kind);
  const a = withArticle(kind.noun);
  const parent = tree.get(parentOf(to));
  const [other] = trees.flatMap((one) => one.get(to) ?? []);
  const refuse = (message: string, help: string): Diagnostic => ({
    ...{ severity: 'error', code: 'accept', message, suggestion: `${help}\nnothing was written` },
    at: (other ?? node).at,
  });
  const { key, places } = kind.manifest;
  if (key !== undefined || places.every(({ shape }) => shape === 'single'))
    return refuse(`${a} has no key that is only a name`, 'edit the manifests by hand, and read the plan');
  if (other !== undefined) return refuse(`${to} is declared already`, 'choose another key');
  if (covers([node.address])(to)) return refuse(`${to} is inside of ${node.address}`, 'choose another place');
  if (parent === undefined) return refuse(`${parentOf(to)} is not declared`, 'declare it first');
  if (!registry.at(parent.kind, to.split('/').at(-2) ?? '').some((one) => one.kind === kind))
    return refuse(
      `${to} cannot be ${a}`,
      `write an address such as ${node.address.replace(/[^/]*$/, to.split('/').at(-1) ?? '')}`,
    );
  const scopeOf = (one: DesiredNode) => tree.closest(one, kind.identity.scope);
  const isMovable = [kind, kind.newer?.()].some((one) => one?.calls.attach ?? one?.calls.detach);
  const isFound = isMovable && scopeOf({ ...node, parent: parent.address }) === scopeOf(node);
  if (node.parent === parent.address || isFound) return undefined;
  const why = `${a} cannot move there: a plan would delete it and create another one`;
  return refuse(why, 'add it there, apply, and remove it here');
}

/** Documents of the manifests, the rules and the tests. */
async function documentsOf({ files, otherFiles, sources }: Workspace, cwd: string) {
  const problems = new Problems();
  const found = await findManifests({ paths: ['.'], how: '', cwd, files: disk, problems });
  const rules = await ownRules(cwd);
  if (hasErrors(rules.diagnostics)) throw invalidRules(rules);
  const own = files
    .filter((one) => otherFiles?.has(one) !== true)
    .map((one) => [one, sources.get(one) ?? ''] as const);
  const tests = found.filter((one) => isTestName(one.name)).map((one) => [one.name, one.text] as const);
  const texts = new Map([...own, ...tests, [rules.name, rules.text ?? '']]);
  const documents: Located[] = [];
  for (const one of texts) append(documents, await readYaml(...one, problems));
  if (problems.hasErrors()) throw new DiagnosticError(problems.sorted(), texts);
  return { texts, documents };
}

/** Place of its declaration, and references to its key. */
function mentionsIn({ node, to, trees, registry }: ObjectMove): readonly Mention[] {
  const mention = (what: string, at: SourceRange, as: Mention['as']): Mention => {
    return { what, at, as, text: node.key, instead: keyOf(to) };
  };
  const declared = trees.flatMap((tree) => tree.get(node.address)?.at ?? []);
  const references = trees
    .flatMap((tree) => [...tree.nodes.values()].flatMap((one) => referencesOf(tree, one, registry)))
    .filter(({ target }) => target.type === 'node' && target.address === node.address)
    .filter(({ value }) => value !== node.address);
  return [
    // A record stores its key as a value.
    ...declared.map((at) => mention(node.address, at, at.template === undefined ? 'key' : 'value')),
    ...references.map(({ node: { address, at, fieldAt }, field }) => {
      const keyAt = fieldAt[`${field}.${node.key}`];
      const as = keyAt === undefined ? 'value' : 'key';
      return mention(`${field} of ${address}`, keyAt ?? fieldAt[field] ?? at, as);
    }),
  ];
}

/** Addresses and globs in any text. The comparison of the result detects text that only looks like an address. */
function namesIn(move: ObjectMove, texts: readonly FoundText[]): readonly Mention[] {
  const { tree, node, to } = move;
  const inside = [node, ...tree.inside(node.address)].map(({ address }) => address);
  const leads = ['', '!', `${tree.label}/`, `!${tree.label}/`];
  return texts.flatMap(({ what, ...one }): readonly Mention[] => {
    if (what === node.address) return [{ ...one, what, instead: keyOf(to) }];
    const { text } = one;
    const lead = leads.find((start) => covers([start + node.address])(text));
    if (lead === undefined && !/[*?{]/.test(text)) return [];
    const instead = lead === undefined ? text : lead + to + text.slice(lead.length + node.address.length);
    const matches = (glob: string) => addressMatcher([glob.replace(/^!/, '')], tree.label);
    const [before, after] = [matches(text), matches(instead)];
    const isAlike = inside.every((address) => before(address) === after(renaming(move)(address)));
    if (isAlike && instead === text) return [];
    return [{ ...one, what: JSON.stringify(text), instead: isAlike ? instead : undefined }];
  });
}

/** `what`: path of keys, as in an address. */
function textsIn(value: Located, above: string, isOther: (value: Located) => boolean): readonly FoundText[] {
  if (value.type === 'list') return value.items.flatMap((one) => textsIn(one, '-/', isOther));
  const text = scalarText(value) ?? '';
  if (value.type === 'scalar') return [{ what: '', at: value.at, as: 'value', text }];
  if (isOther(value)) return [];
  return value.entries.flatMap(({ key, keyAt, value: inner }) => {
    const what = above + key;
    return [{ what, at: keyAt, as: 'key', text: key }, ...textsIn(inner, `${what}/`, isOther)];
  });
}

/** A test that names manifests without that file. */
function isOfOthers(test: Located, file: string, cwd: string): boolean {
  const own = partAt(test, ['manifests']);
  const names = (own.type === 'list' ? own.items : [own]).flatMap((one) => scalarText(one) ?? []);
  const folder = path.resolve(cwd, path.dirname(own.at.file));
  return names.length > 0 && names.every((one) => isOutside(path.resolve(folder, one), file));
}

function project(move: ObjectMove, mentions: readonly Mention[], wanted: WantedManifests): void {
  const { tree, node, to } = move;
  const [collection = '', key = ''] = to.split('/').slice(-2);
  const above = parentOf(to) === rootAddress ? [] : parentOf(to).split('/');
  const isStay = node.parent === parentOf(to) && node.collection === collection;
  const done = new Set<string>();
  for (const mention of mentions) {
    const { what, at, as, text, instead = '' } = mention;
    const isMoved = what === node.address && !isStay;
    const change = { label: tree.label, address: what, what, at };
    wanted.attempt(change, () => {
      if (isMoved && as === 'value') throw new NotPossible('a record makes it');
      const place = wanted.placeOf(placeAlone(at));
      requireHere(mention, place, wanted);
      if (done.has(JSON.stringify(place))) return;
      done.add(JSON.stringify(place));
      const made = wanted.isOverlay(place.file) ? 1 : above.length + 1;
      const holder = { ...place, path: place.path.slice(0, -1) };
      const siblings = wanted.writtenAt(holder);
      const keys = isDataMap(siblings) ? [...siblings.keys()] : [];
      const among = isMoved ? [] : keys.map((one) => (one === text ? instead : one));
      const into = isMoved ? { ...place, path: [...above, collection, key], made } : placeIn(holder, instead);
      if (as === 'key') wanted.move(place, into, change, { among });
      else wanted.set(place, instead, change);
    });
  }
  const entry = { label: tree.label, address: node.address, what: node.address };
  wanted.attempt(entry, () => writeFormer(move, isStay ? node.key : node.address, wanted));
}

/** Writes `was` if a plan needs it to find the object. */
function writeFormer(move: ObjectMove, former: string, wanted: WantedManifests): void {
  const { tree, node, to } = move;
  const { usedAt: _use, ...at } = node.at;
  const kept = node.was.filter((one) => one !== keyOf(to) && one !== to);
  const was = isFoundAnywhere(move) ? kept : [former, ...kept];
  if (sameJson(was, node.was)) return;
  const place = wanted.placeOf(at);
  const change = { label: tree.label, address: node.address, what: 'was', at };
  const own = placeIn(place, 'was');
  const [only] = was;
  if (only === undefined) wanted.remove(own, change);
  else wanted.set(own, was.length === 1 ? only : was, change, { isFirst: true });
}

function requireHere({ as, text, instead }: Mention, place: ManifestPlace, wanted: WantedManifests): void {
  if (instead === undefined) throw new NotPossible('it would match other objects than before');
  const written = as === 'key' ? place.path.at(-1) : wanted.writtenAt(place);
  if (written !== text) throw new NotPossible('a part of it is filled in');
}

/** True if the object and its contents have ids or unique names: a plan finds them at any address. */
function isFoundAnywhere({ tree, node, registry, isRecorded }: ObjectMove): boolean {
  return [node, ...tree.inside(node.address)].every((one) => {
    const kind = registry.byName(one.kind);
    const { by } = kind.identity;
    if (by.length === 0 || (pinnedId(kind, one) ?? kind.manifest.key) !== undefined) return true;
    const others = tree.ofKind(one.kind).filter((other) => other !== one);
    const isOwn = (field: string) =>
      (one.fields[field] ?? null) !== null &&
      !one.lifecycle.ignore.includes(field) &&
      !others.some(({ fields }) => sameJson(fields[field], one.fields[field]));
    return !isRecorded && one.isNew !== true && by.some(({ field }) => isOwn(field));
  });
}

/** The tree with references resolved to addresses, after renaming by `nameOf`. */
function resolved(tree: DesiredTree, registry: Registry, nameOf: (address: string) => string): DesiredTree {
  const nodes = [...tree.nodes.values()].map((node): readonly [string, DesiredNode] => {
    const fields = { ...node.fields };
    for (const { field, value, target } of referencesOf(tree, node, registry)) {
      const name = target.type === 'node' ? nameOf(target.address) : JSON.stringify(target);
      const { [String(value)]: inner = null, ...others } = mapOf(fields[field]) ?? {};
      fields[field] = mapOf(fields[field]) === undefined ? name : { ...others, [name]: inner };
    }
    const address = nameOf(node.address);
    return [address, { ...node, address, parent: '', key: '', collection: '', was: [], isNew: true, fields }];
  });
  return tree.with({ nodes: new Map(nodes) });
}
