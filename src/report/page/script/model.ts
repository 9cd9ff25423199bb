import type { PageChange, PageData, PageField, PageOrganization } from '../page-data.ts';
import { atText, textsOf } from './words.ts';

export interface Item {
  readonly change: PageChange;
  readonly organization: PageOrganization;
  /** Path in the tree, from the top. */
  readonly segments: readonly string[];
  readonly hash: string;
}

export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly isDanger: boolean;
  readonly fits: (change: PageChange) => boolean;
}

/** Filters without matches are not offered. */
export const filters: readonly Filter[] = [
  danger('deletes', 'Deletes', ({ action }) => action === 'delete'),
  danger('replaces', 'Replaces', ({ action }) => action === 'replace'),
  danger('risks', 'Risks', ({ risks }) => risks.length > 0),
  danger('refused', 'Refused', ({ isRefused }) => isRefused),
  danger('conflicts', 'Conflicts', ({ cause, fields }) => cause === 'conflict' || fields.some(isConflict)),
  plain('drift', 'Drift', ({ group }) => group === 'drift'),
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

function isConflict(field: PageField): boolean {
  return field.cause === 'conflict';
}

export interface Query {
  readonly text: string;
  readonly active: ReadonlySet<string>;
}

/** The plan with an index for searching. */
export class PlanModel {
  readonly data: PageData;
  readonly items: readonly Item[];
  readonly #byHash = new Map<string, Item[]>();
  /** Text of each change in lower case; created by the first search. */
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

  hashOf({ name }: PageOrganization, address: string): string {
    const whole = this.data.organizations.length > 1 ? `${name}/${address}` : address;
    return `#${whole.split('/').map(encodeURIComponent).join('/')}`;
  }

  itemsAt(hash: string): readonly Item[] {
    return this.#byHash.get(hash) ?? this.#byHash.get(normalHash(hash)) ?? [];
  }

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

function textOf(change: PageChange, organization: PageOrganization): string {
  const { address, action, noun, title = '', place = '' } = change;
  const drift = change.group === 'drift' ? 'drift' : '';
  const values = change.fields.flatMap(({ field, shown, applied }) => [
    field,
    ...textsOf(shown),
    ...(applied === undefined ? [] : textsOf(applied)),
  ]);
  const said = [
    ...change.reasons,
    ...change.risks,
    ...change.cascade.map((gone) => `${gone.noun} ${gone.title}`),
    ...change.detours,
  ];
  return [
    address,
    organization.name,
    action,
    noun,
    title,
    atText(change.at),
    place,
    drift,
    ...said,
    ...values,
  ].join('\n');
}
