/** The plan of the page as it is searched and filtered, and the addresses of its parts. */
import type { PageChange, PageData, PageOrganization } from '../page-data.ts';

/** A change with its place. */
export interface Item {
  readonly change: PageChange;
  readonly organization: PageOrganization;
  /** What the tree shows, from the outside in. */
  readonly segments: readonly string[];
  /** Where the page shows it. */
  readonly hash: string;
}

/** What chips filter by. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly isDanger: boolean;
  readonly fits: (change: PageChange) => boolean;
}

/** All filters; those that fit nothing are not offered. */
export const filters: readonly Filter[] = [
  danger('deletes', 'Deletes', ({ action }) => action === 'delete'),
  danger('replaces', 'Replaces', ({ action }) => action === 'replace'),
  danger('risks', 'Risks', ({ risks }) => risks.length > 0),
  danger('refused', 'Refused', ({ isRefused }) => isRefused),
  danger('conflicts', 'Conflicts', ({ cause, fields }) => cause === 'conflict' || fields.some(isConflict)),
  plain('drift', 'Drift', ({ isDrift }) => isDrift),
  plain('input', 'From the environment', ({ cause }) => cause === 'input'),
  plain('creates', 'Creates', ({ action }) => action === 'create'),
  plain('updates', 'Updates', ({ action }) => action === 'update'),
  plain('moves', 'Moves', ({ action, place }) => action === 'move' || place !== undefined),
  plain('restores', 'Restores', ({ action }) => action === 'restore'),
];

function danger(name: string, label: string, fits: Filter['fits']): Filter {
  return { name, label, isDanger: true, fits };
}

function plain(name: string, label: string, fits: Filter['fits']): Filter {
  return { name, label, isDanger: false, fits };
}

function isConflict({ applied }: PageChange['fields'][number]): boolean {
  return applied !== undefined;
}

/** What the reader looks for. */
export interface Query {
  readonly text: string;
  readonly active: ReadonlySet<string>;
}

/** The plan with what is needed to find something in it. */
export class PlanModel {
  readonly data: PageData;
  readonly items: readonly Item[];
  readonly #byHash = new Map<string, Item[]>();
  /** Text of each change in lower case, made by the first search. */
  #texts: readonly string[] | undefined;

  constructor(data: PageData) {
    this.data = data;
    const several = data.organizations.length > 1;
    this.items = data.organizations.flatMap((organization) =>
      organization.changes.map((change): Item => {
        const own = change.address.split('/');
        return {
          change,
          organization,
          segments: several ? [organization.name, ...own] : own,
          hash: this.hashOf(organization, change.address),
        };
      }),
    );
    for (const item of this.items) {
      const known = this.#byHash.get(item.hash);
      if (known === undefined) this.#byHash.set(item.hash, [item]);
      else known.push(item);
    }
  }

  /** The part of the page's address that names an object. */
  hashOf({ name }: PageOrganization, address: string): string {
    const whole = this.data.organizations.length > 1 ? `${name}/${address}` : address;
    return `#${whole.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** The changes of the object that a part of the page's address names. */
  itemsAt(hash: string): readonly Item[] {
    return this.#byHash.get(hash) ?? this.#byHash.get(normalHash(hash)) ?? [];
  }

  /** The changes that fit what the reader looks for. */
  find({ text, active }: Query): readonly Item[] {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = filters.filter(({ name }) => active.has(name));
    if (words.length === 0 && chosen.length === 0) return this.items;
    const texts = words.length === 0 ? [] : this.#searched();
    return this.items.filter(({ change }, at) => {
      if (chosen.length > 0 && !chosen.some(({ fits }) => fits(change))) return false;
      return words.every((word) => texts[at]?.includes(word));
    });
  }

  #searched(): readonly string[] {
    this.#texts ??= this.items.map(({ change, organization }) => textOf(change, organization).toLowerCase());
    return this.#texts;
  }
}

/** Browsers and people spell the same address in several ways. */
function normalHash(hash: string): string {
  try {
    return `#${hash.slice(1).split('/').map(decodeURIComponent).map(encodeURIComponent).join('/')}`;
  } catch {
    return hash;
  }
}

/** Everything that a change shows, values included. */
function textOf(change: PageChange, organization: PageOrganization): string {
  const { address, action, noun, title = '', at = '', place = '', isDrift } = change;
  const values = change.fields.flatMap(({ name, before = '', after = '', lines = [], applied = [] }) => [
    name,
    before,
    after,
    ...lines.map(([, text]) => text),
    ...applied,
  ]);
  const said = [...change.reasons, ...change.risks, ...change.cascade, ...change.detours];
  const drift = isDrift ? 'drift' : '';
  return [address, organization.name, action, noun, title, at, place, drift, ...said, ...values].join('\n');
}
