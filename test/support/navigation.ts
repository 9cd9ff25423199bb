/** Compares the predicted navigation of sites in reports with that of the service after the apply. */
import { expect } from 'vitest';
import type { Api } from '../../src/contract/api.ts';
import { formOf } from '../../src/contract/form.ts';
import {
  isUncertain,
  type NavigationNode,
  nodesAfter,
  nodesBefore,
} from '../../src/report/page/site-moves.ts';
import type { ReviewedOrganization } from '../../src/review/reviewed-plan.ts';
import { isRecord } from '../../src/util/json.ts';

type Item = Readonly<Record<string, unknown>>;

/** Ids of created objects, by address. */
type IdOf = (address: string) => string | undefined;

/** Fails if a site differs from the plan. Returns the number of compared sites. */
export async function expectSitesAsShown(api: Api, plan: ReviewedOrganization, idOf: IdOf): Promise<number> {
  let compared = 0;
  for (const site of plan.review?.navigation ?? []) {
    const after = nodesAfter(site, plan.steps);
    const id = after && realId(after, idOf);
    if (after === undefined || id === undefined || isUncertain(nodesBefore(site), after)) continue;
    const params = { organizationId: plan.organizationId, siteId: id };
    const list = async (operation: 'sections.list' | 'sectionGroups.list' | 'siteSpaces.list') =>
      (await api.all(operation, { params })) as readonly Item[];
    const own = formOf(plan);
    const items = async () => (await api.all('structure.get', { params })) as readonly Item[];
    const real =
      own === '2026'
        ? {
            sections: (await items()).filter(({ object }) => object === 'site-section'),
            groups: (await items()).filter(({ object }) => object === 'site-section-group'),
            links: (await items()).filter(({ object }) => object === 'site-external-link'),
            spaces: (await items()).filter(({ object }) => object === 'site-space'),
          }
        : {
            sections: await list('sections.list'),
            groups: await list('sectionGroups.list'),
            links: [],
            spaces: await list('siteSpaces.list'),
          };
    compared += 1;
    expect(shownOf(after, idOf), site.address).toEqual(realOf(after, idOf, real));
  }
  return compared;
}

interface Real {
  readonly sections: readonly Item[];
  readonly groups: readonly Item[];
  readonly links: readonly Item[];
  readonly spaces: readonly Item[];
}

/** The navigation in the report, section by section in order. */
function shownOf(after: NavigationNode, idOf: IdOf) {
  const entries = entriesIn(after);
  const sections = entries.filter(({ section }) => section.kind === 'section');
  const groups = entries.filter(({ section }) => section.kind === 'sectionGroup');
  const within = (group: NavigationNode | undefined) => ({ group: asKept(group?.fields.title ?? null) });
  return {
    site: fieldsOf(after, idOf),
    sections: sections.map(({ section, group }) => ({
      ...fieldsOf(section, idOf),
      ...within(group),
      spaces: section.children.map((space) => fieldsOf(space, idOf)),
    })),
    groups: groups
      .map(({ section, group }) => ({ ...fieldsOf(section, idOf), ...within(group) }))
      .sort(byTitle),
    links: entries
      .filter(({ section }) => section.kind === 'link')
      .map(({ section, group }) => ({ ...fieldsOf(section, idOf), ...within(group) })),
    root: after.children.filter(({ kind }) => kind === 'siteSpace').map((space) => fieldsOf(space, idOf)),
  };
}

interface Entry {
  readonly section: NavigationNode;
  readonly group: NavigationNode | undefined;
}

function entriesIn(node: NavigationNode, group?: NavigationNode): readonly Entry[] {
  return node.children.flatMap((section) => [
    { section, group },
    ...(section.kind === 'sectionGroup' ? entriesIn(section, section) : []),
  ]);
}

/** The navigation of the service, without fields that the report lacks and lists that the plan did not read. */
function realOf(after: NavigationNode, idOf: IdOf, { sections, groups, links, spaces }: Real) {
  const nodes = new Map<string, NavigationNode>();
  const note = (node: NavigationNode) => {
    nodes.set(realId(node, idOf) ?? '', node);
    node.children.forEach(note);
  };
  note(after);
  const titles = new Map(groups.map(({ id, title }) => [id, title]));
  const isSpaceRead = [...nodes.values()].some(({ kind }) => kind === 'siteSpace');
  const inside = (section: unknown) =>
    isSpaceRead ? spaces.filter((space) => (space.section ?? null) === section) : [];
  const known = (item: Item, extra: Item = {}) => {
    const node = nodes.get(String(item.id));
    return node === undefined
      ? { unexpected: item.title ?? item.path }
      : knownFields(node, { ...item, ...extra }, idOf);
  };
  const isSectionRead = [...nodes.values()].some(({ kind }) => kind === 'section');
  const defaults = {
    default: (
      sections.find((one) => one.default === true) ?? inside(null).find((one) => one.default === true)
    )?.id,
  };
  return {
    site: knownDefault(after, idOf, defaults),
    sections: (isSectionRead ? sections : []).map((section) => ({
      ...known(section, { default: inside(section.id).find((one) => one.default === true)?.id }),
      group: asKept(titles.get(section.sectionGroup) ?? null),
      spaces: inside(section.id).map((space) => known(space, spaceOf(space))),
    })),
    groups: groups
      .filter(({ id }) => nodes.has(String(id)) || isSectionRead)
      .map((group) => ({ ...known(group), group: asKept(titles.get(group.sectionGroup) ?? null) }))
      .sort(byTitle),
    links: links.map((link) => ({ ...known(link), group: asKept(titles.get(link.sectionGroup) ?? null) })),
    root: inside(null).map((space) => known(space, spaceOf(space))),
  };
}

const spaceOf = ({ space, pageId }: Item) => ({ space: (space as Item).id, page: pageId });

const byTitle = (left: Item, right: Item) => (String(left.title) < String(right.title) ? -1 : 1);

function realId({ key, address }: NavigationNode, idOf: IdOf): string | undefined {
  return key.startsWith('+') ? idOf(address ?? '') : key;
}

/** Fields with references replaced by ids, null if absent. */
function fieldsOf(node: NavigationNode, idOf: IdOf): Item {
  const isSite = node.kind === 'site';
  const entries = Object.entries(node.fields).filter(([name]) => !isSite || name === 'default');
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      isRecord(value) && typeof value.$id === 'string' ? idOf(value.$id) : asKept(value),
    ]),
  );
}

/** Services may trim and NFC-normalize texts. */
function asKept(value: unknown): unknown {
  return typeof value === 'string' ? value.normalize('NFC').trim() : value;
}

function knownFields(node: NavigationNode, item: Item, idOf: IdOf): Item {
  return Object.fromEntries(
    Object.keys(fieldsOf(node, idOf)).map((name) => [name, asKept(item[name] ?? null)]),
  );
}

function knownDefault(node: NavigationNode, idOf: IdOf, real: Item): Item {
  return knownFields(node, real, idOf);
}
