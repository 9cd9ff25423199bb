/** Random manifests with templates that declare the same as their originals. */
import { registry } from '../../src/kinds/index.ts';
import type { Kind } from '../../src/kinds/kind.ts';
import { isRecord } from '../../src/util/json.ts';
import type { Document } from './arbitrary.ts';

export interface Templated {
  readonly document: Document;
  readonly templates: Document;
}

type Mapping = Record<string, unknown>;

export function templated(document: Document, seed: number): Templated {
  return new Templating(seed).document(document);
}

class Templating {
  readonly #templates: Mapping = {};
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  document(document: Document): Templated {
    const { octavo, organization, ...rest } = document;
    const inside = this.#inside(registry.root, rest);
    if (!this.#happens(0.3))
      return { document: { octavo, organization, ...inside }, templates: this.#templates };
    const { id, ...fields } = organization as Mapping;
    const { body, given, beside } = this.#split(registry.root, { ...inside });
    const own = this.#split(registry.root, fields);
    const name = this.#template('document', { ...body, organization: own.body }, { ...given, ...own.given });
    const inputs = { ...given, ...own.given };
    const override = {
      ...beside,
      ...(Object.keys(own.beside).length === 0 ? {} : { organization: own.beside }),
    };
    const use = this.#happens(0.5)
      ? { use: name, each: [{ key: id, ...inputs, override }] }
      : { use: name, with: inputs, ...override, organization: { id, ...own.beside } };
    return { document: { octavo, ...use }, templates: this.#templates };
  }

  #next(): number {
    this.#state = (this.#state * 48271 + 1) % 2147483647;
    return this.#state / 2147483647;
  }

  #happens(chance: number): boolean {
    return this.#next() < chance;
  }

  #template(body: string, made: Mapping, given: Mapping): string {
    const name = `t${Object.keys(this.#templates).length}`;
    const inputs = Object.fromEntries(
      Object.entries(given).map(([input, value]) => [input, { type: typeOf(value) }]),
    );
    this.#templates[name] = { inputs, [body]: made };
    return name;
  }

  #inside(kind: Kind, map: Mapping): Mapping {
    return Object.fromEntries(
      Object.entries(map).map(([key, value]) => {
        const places = registry.at(kind.name, key);
        if (places[0] === undefined || !isRecord(value)) return [key, value];
        if (places[0].place.shape === 'single') return [key, this.#object(places[0].kind, value)];
        return [
          key,
          this.#collection(
            places.map((one) => one.kind),
            value,
          ),
        ];
      }),
    );
  }

  #collection(kinds: readonly Kind[], map: Mapping): Mapping {
    const entries = Object.entries(map);
    const chosen = entries.map(([, value]) => kindOf(kinds, value));
    const [kind] = chosen;
    const isOne =
      kind !== undefined && kind.manifest.whole === undefined && chosen.every((one) => one === kind);
    if (isOne && entries.every(([, value]) => isRecord(value)) && this.#happens(0.4))
      return { records: this.#each(kind, entries as [string, Mapping][]) };
    return Object.fromEntries(
      entries.map(([key, value], index) => {
        const own = chosen[index];
        return [key, own === undefined || !isRecord(value) ? value : this.#object(own, value)];
      }),
    );
  }

  #each(kind: Kind, entries: readonly (readonly [string, Mapping])[]): Mapping {
    const [first = ['', {}]] = entries;
    const shared = Object.keys(first[1]).filter(
      (name) =>
        isField(kind, name) &&
        entries.every(([, one]) => name in one && typeOf(one[name]) === typeOf(first[1][name])) &&
        typeOf(first[1][name]) !== undefined &&
        this.#happens(0.7),
    );
    const common = Object.fromEntries(shared.map((name) => [`in-${name}`, first[1][name]]));
    const body = Object.fromEntries(shared.map((name) => [name, `\${input:in-${name}}`]));
    const marker = kind.manifest.marker;
    const needed =
      marker !== undefined && !(marker in body)
        ? { [marker]: isField(kind, marker) ? 'https://a.dev/' : {} }
        : {};
    const use = this.#template(kind.name, { ...needed, ...body }, common);
    const each = entries.map(([key, one]) => {
      const rest = Object.entries(one).filter(([name]) => !shared.includes(name));
      const override = this.#beside(kind, Object.fromEntries(rest));
      const inputs = Object.fromEntries(shared.map((name) => [`in-${name}`, one[name]]));
      return { key, ...inputs, ...(Object.keys(override).length === 0 ? {} : { override }) };
    });
    return { use, each };
  }

  #object(kind: Kind, map: Mapping): unknown {
    if (kind.manifest.whole !== undefined) return map;
    const inside = this.#inside(kind, map);
    if (!this.#happens(0.4)) return inside;
    const { body, given, beside } = this.#split(kind, inside);
    const use = this.#template(kind.name, body, given);
    return { use, ...(Object.keys(given).length === 0 ? {} : { with: given }), ...beside };
  }

  /** The body of a template, its inputs, and the overrides next to `use`. */
  #split(kind: Kind, map: Mapping) {
    const [body, given, beside]: Mapping[] = [{}, {}, {}];
    for (const [name, value] of Object.entries(map)) {
      const chance = this.#next();
      const type = typeOf(value);
      const input = `in-${name}`;
      if (kind.manifest.marker === name || chance < 0.3 || body === undefined)
        Object.assign(body ?? {}, { [name]: value });
      else if (!isField(kind, name) || chance > 0.85)
        Object.assign(beside ?? {}, this.#beside(kind, { [name]: value }));
      else if (type === 'string' && chance > 0.7) {
        const letters = [...String(value)];
        const cut = Math.floor(this.#next() * letters.length);
        body[name] = `${letters.slice(0, cut).join('')}\${input:${input}}`;
        Object.assign(given ?? {}, { [input]: letters.slice(cut).join('') });
      } else if (type === undefined) body[name] = value;
      else {
        body[name] = `\${input:${input}}`;
        Object.assign(given ?? {}, { [input]: value });
      }
    }
    return { body: body ?? {}, given: given ?? {}, beside: beside ?? {} };
  }

  /** Replaces null with `${clear}` and adds `new: true` to objects. */
  #beside(kind: Kind, map: Mapping): Mapping {
    return Object.fromEntries(
      Object.entries(map).map(([key, value]) => {
        const [place] = registry.at(kind.name, key);
        if (place === undefined || place.place.shape === 'single' || !isRecord(value))
          return [key, cleared(value)];
        const entries = Object.entries(value).map(([name, one]) => [
          name,
          isRecord(one) ? { new: true, ...(cleared(one) as Mapping) } : one,
        ]);
        return [key, Object.fromEntries(entries)];
      }),
    );
  }
}

function isField({ fields }: Kind, name: string): boolean {
  return name in fields;
}

function kindOf(kinds: readonly Kind[], value: unknown): Kind | undefined {
  const marked = kinds.find(
    ({ manifest: { marker } }) => marker !== undefined && isRecord(value) && marker in value,
  );
  return marked ?? kinds.find(({ manifest: { marker } }) => marker === undefined);
}

/** Type of an input; undefined for null. */
function typeOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'list';
  if (isRecord(value)) return 'mapping';
  return value === null ? undefined : typeof value;
}

/** Replaces null, which would remove the value in a merge. */
function cleared(value: unknown): unknown {
  if (value === null) return '${clear}';
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleared(inner)]));
}
