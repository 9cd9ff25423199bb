import type { Kind, Place } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { sampleKeyOf } from '../../kinds/sample-key.ts';
import { inside, isUsableKey } from '../../tree/addressing.ts';
import { rootAddress } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { nearest } from '../../util/nearest.ts';
import { lineText } from '../../util/places.ts';
import { userError } from '../../util/user-error.ts';

export interface ScaffoldRequest {
  readonly registry: Registry;
  readonly kind: Kind;
  readonly key: string | undefined;
  readonly under: string | undefined;
  /** Undefined without manifests. */
  readonly tree: DesiredTree | undefined;
}

export interface FoundPlace {
  readonly key: string;
  /** Keys from the top of the document. */
  readonly path: readonly string[];
  readonly address: string;
}

/** Throws a DiagnosticError if the place is ambiguous or taken. */
export function placeFor(request: ScaffoldRequest): FoundPlace {
  const { registry, kind, tree } = request;
  const key = request.key ?? sampleKeyOf(kind);
  refuseKey(kind, key);
  const { place, parent } = parentFor(request);
  refuseExclusive(request, { place, parent });
  const path = [
    ...(parent === undefined ? sampleParents(registry, place) : parent === '' ? [] : parent.split('/')),
    place.key,
  ];
  const around = path.slice(0, -1).join('/') || rootAddress;
  const address = inside(around, place.key, place.shape === 'map' ? key : undefined);
  const taken = tree?.get(address);
  if (taken !== undefined) {
    throw userError(
      'scaffold',
      `${address} is declared in ${lineText(taken.at)}`,
      place.shape === 'map' ? 'pass another key' : 'edit it there',
    );
  }
  return { key, path, address };
}

/** Throws a DiagnosticError that suggests the nearest kind. */
export function kindNamed(registry: Registry, word: string): Kind {
  const same = (name: string) => name.toLowerCase().replace(/[ _-]/g, '');
  const found =
    registry.kinds.find(({ name, noun }) => [name, noun].some((one) => same(one) === same(word))) ??
    registry.kinds.find(({ manifest: { places } }) => places.some(({ key }) => same(key) === same(word)));
  if (found !== undefined) return found;
  const nouns = registry.kinds.map(({ noun }) => noun.toLowerCase().replaceAll(' ', '-'));
  const near = nearest(word, nouns);
  throw userError(
    'unknown-topic',
    `there is no kind ${JSON.stringify(word)}`,
    near === undefined ? `use one of ${nouns.join(', ')}` : `did you mean ${near}?`,
  );
}

/** Of two lists of a parent, one at most may have entries. */
function refuseExclusive({ registry, tree }: ScaffoldRequest, { place, parent }: ParentPlace): void {
  if (parent === undefined || tree === undefined) return;
  const owner = parent === '' ? rootAddress : parent;
  const others = registry
    .collectionsOf(place.parent)
    .filter((key) =>
      registry
        .at(place.parent, key)
        .some((one) => one.place.emptyWith === place.key || (place.emptyWith === key && key !== place.key)),
    );
  const taken = others.find((key) => tree.childrenOf(owner, key).length > 0);
  if (taken === undefined) return;
  throw userError(
    'scaffold',
    `${owner} has ${taken}, and ${taken} and ${place.key} of one ${registry.byName(place.parent).noun} exclude each other`,
    `move what is under ${taken} first, or pass another parent with --under`,
  );
}

function refuseKey(kind: Kind, key: string): void {
  const checked = kind.manifest.keySchema?.().safeParse(key);
  if (isUsableKey(kind, key) && checked?.success !== false) return;
  throw userError(
    'key',
    `${JSON.stringify(key)} cannot be the key of a ${kind.noun}`,
    `for example octavo scaffold ${kind.noun.toLowerCase().replaceAll(' ', '-')} ${sampleKeyOf(kind)}`,
  );
}

interface ParentPlace {
  readonly place: Place;
  /** Empty for the organization; undefined if none is declared. */
  readonly parent: string | undefined;
}

function parentFor(request: ScaffoldRequest): ParentPlace {
  const { registry, kind, under, tree } = request;
  if (under !== undefined) return namedParent(request, under);
  const {
    manifest: { places },
  } = kind;
  const [first] = places;
  if (first === undefined) throw new Error(`${kind.name} has no place`);
  if (first.parent === registry.root.name) return { place: first, parent: '' };
  const candidates = places.flatMap((place) =>
    (tree?.ofKind(place.parent) ?? []).map((node) => ({ place, parent: node.address })),
  );
  const [only, ...others] = candidates;
  if (only === undefined) return { place: first, parent: undefined };
  if (others.length === 0) return only;
  const shown = candidates.slice(0, 5).map(({ parent }) => `--under ${parent}`);
  const more = candidates.length > 5 ? ['…'] : [];
  throw userError(
    'scaffold',
    `a ${kind.noun} can be in ${candidates.length} declared objects`,
    `pass one of\n  ${[...shown, ...more].join('\n  ')}`,
  );
}

function namedParent({ registry, kind, tree }: ScaffoldRequest, under: string): ParentPlace {
  const parent = tree?.get(under);
  const place = kind.manifest.places.find((one) => one.parent === parent?.kind);
  if (parent !== undefined && place !== undefined)
    return { place, parent: parent === tree?.root ? '' : under };
  const nouns = kind.manifest.places.map((one) => registry.byName(one.parent).noun).join(' or ');
  const near = parent === undefined ? nearest(under, tree?.nodes.keys() ?? []) : undefined;
  throw userError(
    'scaffold',
    parent === undefined ? `${under} is not declared` : `a ${kind.noun} cannot be in ${under}`,
    near === undefined ? `pass the address of a ${nouns}` : `did you mean ${near}?`,
  );
}

/** Parents that have to be written as well. */
function sampleParents(registry: Registry, { parent }: Place): readonly string[] {
  const kind = registry.byName(parent);
  const [place] = kind.manifest.places;
  if (place === undefined) return [];
  return [...sampleParents(registry, place), place.key, sampleKeyOf(kind)];
}
