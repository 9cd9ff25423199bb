/**
 * Expands templates in a filled-in document. An object with `use` becomes the body of the template, with its inputs filled in; its
 * other keys are merged over it like an overlay. With `each`, an entry becomes one object per record of a list, and a
 * document becomes one document per record.
 *
 *     sites:                                        sites:
 *       hub: { use: product-site,           →         hub: { title: Hub, visibility: public }
 *              with: { title: Hub },
 *              visibility: public }
 *
 * Places: parts of the template keep their line, with the `use` or record in `usedAt`; the value of an input keeps its own place.
 */
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { inside } from '../../tree/addressing.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { Diagnostic, SourceRange } from '../../util/diagnostic.ts';
import { append } from '../../util/lists.ts';
import { nearest } from '../../util/nearest.ts';
import { placeAlone } from '../../util/places.ts';
import {
  brokenAt,
  describe,
  entryOf,
  isBroken,
  type Located,
  type LocatedEntry,
  type LocatedMap,
  nameText,
  sizeOf,
} from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import { withArticle } from '../build/issue-text.ts';
import { suggestKnown } from '../build/suggestion.ts';
import { newKey, useKeys } from '../files/paths.ts';
import { type InputValue, type InterpolationOptions, interpolate, withUse } from '../fill/interpolate.ts';
import { foldKeys } from '../merge/fold-keys.ts';
import { normalized } from '../merge/merge.ts';
import { OverlayMerge } from '../merge/overlay-merge.ts';
import {
  type DeclaredInput,
  isOfType,
  makes,
  recordKeys,
  type Template,
  type Templates,
} from './declared.ts';
import { holdsUse, inputTypes } from './forms.ts';

/** Maximum nesting of templates. */
const maxTrail = 8;
/** Creating an object counts as this many values. */
const valuesOfUse = 10;

/** Shared by all documents of a workspace. */
export interface SharedExpansions {
  readonly registry: Registry;
  readonly isBase: boolean;
  readonly templates: Templates;
  readonly recordFiles: Set<string>;
  spend(values: number, problems: Problems, at: SourceRange): boolean;
}

interface UsePlace {
  readonly kinds: readonly Kind[];
  readonly address: string;
  /** Names of enclosing templates, outermost first. */
  readonly trail: readonly string[];
}

interface Use {
  readonly template: Template;
  readonly at: SourceRange;
  readonly key: Located | undefined;
  readonly given: readonly LocatedEntry[];
  readonly overrides: readonly LocatedMap[];
}

export class Expander {
  readonly #expansions: SharedExpansions;
  readonly #filling: InterpolationOptions;
  readonly #problems: Problems;
  readonly #registry: Registry;

  constructor(expansions: SharedExpansions, filling: InterpolationOptions) {
    this.#expansions = expansions;
    this.#filling = filling;
    this.#problems = filling.problems;
    this.#registry = expansions.registry;
  }

  async document(document: LocatedMap): Promise<readonly LocatedMap[]> {
    const { root } = this.#registry;
    const place: UsePlace = { kinds: [root], address: rootAddress, trail: [] };
    if (entryOf(document, 'use') === undefined) return [await this.#inside(document, place)];
    const isOwn = ({ key }: LocatedEntry) => key === 'octavo' || key === 'overlay' || key.startsWith('x-');
    const head = document.entries.filter(isOwn);
    const rest = normalized({ ...document, entries: document.entries.filter((one) => !isOwn(one)) });
    const made = await this.#uses({ key: rootAddress, keyAt: document.at, value: rest }, place);
    return made.flatMap(({ value, keyAt }) =>
      value.type === 'map' ? [{ ...value, at: keyAt, entries: [...head, ...value.entries] }] : [],
    );
  }

  async #inside(map: LocatedMap, { kinds, address, trail }: UsePlace): Promise<LocatedMap> {
    const entries: LocatedEntry[] = [];
    for (const entry of map.entries) {
      const places = kinds.flatMap(({ name }) => this.#registry.at(name, entry.key));
      const own = { kinds: [...new Set(places.map(({ kind }) => kind))], trail };
      if (places.length === 0 || entry.value.type !== 'map' || !holdsUse(entry.value)) entries.push(entry);
      else if (places[0]?.place.shape === 'single')
        append(entries, await this.#uses(entry, { ...own, address: inside(address, entry.key) }));
      else {
        const value = await this.#collection(entry.value, (key) => ({
          ...own,
          address: inside(address, entry.key, key),
        }));
        entries.push({ ...entry, value });
      }
    }
    return { ...map, entries };
  }

  async #collection(map: LocatedMap, placeOf: (key: string) => UsePlace): Promise<LocatedMap> {
    const entries = new Map<string, LocatedEntry>();
    for (const entry of map.entries) {
      for (const made of await this.#uses(entry, placeOf)) {
        const before = entries.get(made.key);
        if (before === undefined) entries.set(made.key, made);
        else
          this.#problems.error('duplicate-key', `duplicate key ${JSON.stringify(made.key)}`, made.keyAt, {
            suggestion: 'keep one of the two',
            related: [{ message: 'the first one', at: before.keyAt }],
          });
      }
    }
    return { ...map, entries: [...entries.values()] };
  }

  /** The objects that an entry creates: itself, or one per record. */
  async #uses(
    entry: LocatedEntry,
    place: UsePlace | ((key: string) => UsePlace),
  ): Promise<readonly LocatedEntry[]> {
    const { key, keyAt, value } = entry;
    const placeOf = typeof place === 'function' ? place : () => place;
    const own = placeOf(key);
    const use = value.type === 'map' ? entryOf(value, 'use') : undefined;
    if (value.type !== 'map') return [entry];
    if (use === undefined) return [{ ...entry, value: await this.#inside(value, own) }];
    const template = this.#find(use, own);
    if (template === undefined) return [{ ...entry, value: brokenAt(value.at) }];
    const ownEntries = value.entries.filter((one) => !useKeys.some((name) => name === one.key));
    const common = { ...value, entries: ownEntries };
    const each = entryOf(value, 'each');
    if (each === undefined) {
      const given = this.#given(entryOf(value, 'with'));
      const made =
        given === undefined
          ? brokenAt(value.at)
          : await this.#make(
              {
                template,
                at: use.keyAt,
                key: own.address === rootAddress ? undefined : { type: 'scalar', value: key, at: keyAt },
                given,
                overrides: [common],
              },
              own,
            );
      return [{ key, keyAt: { ...keyAt, template: withName(template) }, value: made }];
    }
    const withEntry = entryOf(value, 'with');
    if (withEntry !== undefined)
      this.#refuse('with and each exclude each other', withEntry.keyAt, 'write the inputs into the records');
    if (own.kinds.includes(this.#registry.root) || typeof place === 'function')
      return this.#records(each, template, common, placeOf);
    this.#refuse('each for a single object', each.keyAt, 'write with: { … } instead');
    return [{ ...entry, value: brokenAt(value.at) }];
  }

  #refuse(message: string, at: SourceRange, suggestion: string, related?: Diagnostic['related']): undefined {
    this.#problems.error('template', message, at, { suggestion, related });
    this.#problems.lose();
  }

  #refuseValue(value: Located, demand: string, suggestion: string): undefined {
    return this.#refuse(`${demand}, is ${describe(value)}`, value.at, suggestion);
  }

  #find(use: LocatedEntry, { kinds, trail }: UsePlace): Template | undefined {
    const { templates } = this.#expansions;
    const name = nameText(use.value);
    if (name === undefined) {
      if (isBroken(use.value)) this.#problems.lose();
      else this.#refuseValue(use.value, 'use must be the name of a template', 'write use: some-template');
      return undefined;
    }
    const template = templates.get(name);
    const at = use.value.at;
    if (template === undefined)
      return this.#refuse(
        `unknown template ${JSON.stringify(name)}`,
        at,
        templates.size === 0
          ? 'declare it below templates: in one of the manifests'
          : suggestKnown(name, [...templates.keys()]),
      );
    if (template === 'broken') {
      this.#problems.lose();
      return undefined;
    }
    const endless = whyEndless(name, trail);
    if (endless !== undefined) return this.#refuse(endless, at, 'write out one of the objects');
    if (kinds.includes(template.kind)) return template;
    const [kind] = kinds;
    const wanted = kind === this.#registry.root ? 'a whole document' : withArticle(kind?.noun ?? '');
    const message = `${makes(template, this.#registry)}, not ${kind === undefined ? 'this' : wanted}`;
    const related = [{ message: 'declared here', at: template.at }];
    return this.#refuse(message, at, fitting(templates, kinds), related);
  }

  #given(entry: LocatedEntry | undefined): readonly LocatedEntry[] | undefined {
    if (entry === undefined) return [];
    if (entry.value.type === 'map') return entry.value.entries;
    if (!isBroken(entry.value))
      this.#refuseValue(entry.value, 'with must be a mapping', 'write with: { title: … }');
    return undefined;
  }

  async #records(
    { value }: LocatedEntry,
    template: Template,
    common: LocatedMap,
    placeOf: (key: string) => UsePlace,
  ): Promise<readonly LocatedEntry[]> {
    if (isBroken(value)) this.#problems.lose();
    else if (value.type !== 'list')
      this.#refuseValue(
        value,
        'each must be a list of records',
        'write each: [{ key: …, … }] or each: ${yaml:records.yaml}',
      );
    if (value.type !== 'list') return [];
    const made: LocatedEntry[] = [];
    for (const record of value.items) {
      const read = this.#record(record, template);
      if (read === undefined) continue;
      const { key, override, given, name } = read;
      this.#expansions.recordFiles.add(key.keyAt.file);
      const use = { template, at: key.keyAt, key: key.value, given, overrides: [common, ...override] };
      const place = placeOf(name);
      const object = await this.#make(use, place);
      const isDocument = place.kinds.includes(this.#registry.root);
      const keyAt = { ...key.keyAt, template: withName(template) };
      made.push({
        key: name,
        keyAt,
        value: isDocument && object.type === 'map' ? named(object, { ...key, keyAt }) : object,
      });
    }
    return made;
  }

  #record(record: Located, template: Template) {
    if (isBroken(record)) return this.#problems.lose();
    if (record.type !== 'map')
      return this.#refuseValue(record, 'a record must be a mapping', 'write { key: …, … }');
    const key = entryOf(record, 'key');
    const name = nameText(key?.value);
    if (key === undefined || name === undefined) {
      if (key !== undefined && isBroken(key.value)) return this.#problems.lose();
      const written = key?.value.type === 'scalar' ? key.value.written : undefined;
      return this.#refuse(
        key === undefined ? 'a record without a key' : `key must be text, is ${describe(key.value)}`,
        key?.value.at ?? record.at,
        written === undefined ? 'add key: the key of the object' : `quote it: "${written}"`,
      );
    }
    const isObject = ({ key: one }: LocatedEntry) => recordKeys.includes(one) && !template.inputs.has(one);
    const given = record.entries.filter((one) => !isObject(one));
    const more = entryOf(record, 'override')?.value;
    if (more !== undefined && more.type !== 'map' && !isBroken(more))
      return this.#refuseValue(more, 'override must be a mapping', 'write override: { … }');
    const direct = record.entries.filter(
      (one) => isObject(one) && one.key !== 'key' && one.key !== 'override',
    );
    const own = { ...record, entries: direct };
    return { key, name, given, override: more?.type === 'map' ? [own, more] : [own] };
  }

  async #make(use: Use, place: UsePlace): Promise<Located> {
    const { template, at, overrides } = use;
    const { name, kind, file } = template;
    const problems = this.#problems;
    const spend = (size: number) => this.#expansions.spend(size, problems, at);
    const values = spend(sizeOf(template.body) + valuesOfUse) ? await this.#inputs(use) : undefined;
    if (values === undefined) {
      problems.lose();
      return brokenAt(at);
    }
    const usedAt = outermost(at, name);
    const inputs = { template: name, usedAt, values, spend };
    const body = await interpolate(withUse(template.body, usedAt), file, { ...this.#filling, inputs });
    const trail = [...place.trail, name];
    const inner = { ...place, kinds: [kind], trail };
    const own = kind === this.#registry.root && body.type === 'map' ? normalized(body) : body;
    const [made] = await this.#uses({ key: nameText(use.key) ?? '', keyAt: at, value: own }, inner);
    if (made?.value.type !== 'map') {
      if (made !== undefined && !isBroken(made.value))
        this.#refuseValue(
          made.value,
          `${withArticle(kind.noun)} must be a mapping`,
          'write the body as a mapping',
        );
      return brokenAt(at);
    }
    const merge = new OverlayMerge({
      registry: this.#registry,
      problems,
      isBase: this.#expansions.isBase,
      template: name,
    });
    const folding = { registry: this.#registry, problems };
    let result = foldKeys(withClearedNulls(made.value), [kind], folding);
    for (const override of overrides) {
      const more = foldKeys(await this.#inside(override, { ...place, kinds: [kind] }), [kind], folding);
      const isNew = entryOf(more, newKey) !== undefined;
      result = merge.mergeObject(result, more, { kind, address: place.address, isNew });
    }
    if (merge.hasRefused) problems.lose();
    return { ...result, at };
  }

  async #inputs({ template, given, at, key }: Use): Promise<ReadonlyMap<string, InputValue> | undefined> {
    const problems = this.#problems;
    const values = new Map<string, InputValue>();
    const unknown = new Map<string, string | undefined>();
    let isSound = true;
    for (const entry of given) {
      const input = template.inputs.get(entry.key);
      const related = [{ message: 'declared here', at: input?.at ?? template.at }];
      if (input === undefined) {
        const known = [...template.inputs.keys()];
        unknown.set(entry.key, nearest(entry.key, known));
        const message = `unknown input ${JSON.stringify(entry.key)} of the template ${template.name}`;
        const suggestion =
          known.length === 0 ? 'remove it: the template has no inputs' : suggestKnown(entry.key, known);
        problems.error('unknown-key', message, entry.keyAt, { suggestion, related });
      } else if (!isBroken(entry.value) && !isOfType(entry.value, input.type)) {
        const message = `${input.name} of the template ${template.name} must be ${inputTypes[input.type]}, is ${describe(entry.value)}`;
        problems.error('value', message, entry.value.at, {
          suggestion: quoteHint(entry.value, input),
          related,
        });
      } else {
        // A block mapping starts at its first key, so the place of its own key is used.
        const value = entry.value.type === 'map' ? { ...entry.value, at: entry.keyAt } : entry.value;
        values.set(input.name, { value, isUsedOnce: input.isUsedOnce });
        continue;
      }
      isSound = false;
    }
    for (const input of template.inputs.values()) {
      const isGiven = given.some(({ key: one }) => one === input.name || unknown.get(one) === input.name);
      if (values.has(input.name) || isGiven) continue;
      if (input.fallback === undefined) {
        isSound = false;
        problems.error('template', `the template ${template.name} needs the input ${input.name}`, at, {
          suggestion: `add ${input.name}: …`,
          related: [{ message: 'declared here', at: input.at }],
        });
        continue;
      }
      const fallback = withUse(input.fallback, outermost(at, template.name));
      values.set(input.name, {
        value: await interpolate(fallback, template.file, this.#filling),
        isUsedOnce: true,
      });
    }
    if (key !== undefined) values.set('key', { value: key, isUsedOnce: false });
    return isSound ? values : undefined;
  }
}

/** Marks nulls of a template as cleared values. Without the mark, the merge would delete the key. */
function withClearedNulls(map: LocatedMap): LocatedMap {
  const entries = map.entries.map((entry): LocatedEntry => {
    const { value } = entry;
    if (value.type === 'map') return { ...entry, value: withClearedNulls(value) };
    const isNull = value.type === 'scalar' && value.value === null && !isBroken(value);
    return isNull ? { ...entry, value: { ...value, interpolated: true } } : entry;
  });
  return { ...map, entries };
}

/** The place where the outermost template is used, for a use inside another template. */
function outermost(at: SourceRange, name: string) {
  return withName({ name, at: at.usedAt ?? at });
}

function withName({ name, at }: Pick<Template, 'name' | 'at'>) {
  return { name, ...placeAlone(at) };
}

function whyEndless(name: string, trail: readonly string[]): string | undefined {
  if (trail.at(-1) === name) return `the template ${name} uses itself`;
  if (trail.includes(name)) {
    const cycle = [...trail.slice(trail.indexOf(name)), name].join(' → ');
    return `these templates use each other: ${cycle}`;
  }
  return trail.length < maxTrail ? undefined : `templates use each other more than ${maxTrail} deep`;
}

function quoteHint(value: Located, { type }: DeclaredInput): string {
  const isUnquoted = value.type === 'scalar' && value.written !== undefined;
  return type === 'string' && isUnquoted ? `quote it: "${value.written}"` : `write ${inputTypes[type]}`;
}

function fitting(templates: Templates, kinds: readonly Kind[]): string {
  const names = [...templates].flatMap(([name, one]) =>
    one !== 'broken' && kinds.includes(one.kind) ? [name] : [],
  );
  return names.length === 0 ? 'use it in place of such an object' : `use one of ${names.join(', ')}`;
}

/** The key of a record is the id of its organization, unless the template identifies it. */
function named(document: LocatedMap, key: LocatedEntry): LocatedMap {
  const found = entryOf(document, 'organization');
  const own = found?.value.type === 'map' ? found.value : undefined;
  if (found !== undefined && (own === undefined || entryOf(own, 'id') || entryOf(own, 'match')))
    return document;
  const id = { key: 'id', keyAt: key.keyAt, value: key.value };
  const value: LocatedMap = { type: 'map', at: key.keyAt, entries: [id, ...(own?.entries ?? [])] };
  const entry = { key: 'organization', keyAt: key.keyAt, value };
  return { ...document, entries: [entry, ...document.entries.filter((one) => one !== found)] };
}
