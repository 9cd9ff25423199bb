/** Inconsistencies in the store of a service; there must be none. */
import type { CollectionRow, SectionRow, SpaceRow } from '../../src/server/store/rows.ts';
import type { Store } from '../../src/server/store/store.ts';
import { type Variants, variantsWith } from '../../src/server/variants.ts';

export function brokenInvariants({
  store,
  variants = variantsWith(),
}: {
  readonly store: Store;
  readonly variants?: Variants;
}): string[] {
  const problems: string[] = [];
  const check = (holds: boolean, problem: string) => {
    if (!holds) problems.push(problem);
  };
  checkSites(store, variants, check);
  checkContent(store, check);
  checkPeople(store, variants, check);
  checkSettings(store, check);
  checkDiscussions(store, check);
  return problems;
}

type Check = (holds: boolean, problem: string) => void;

function checkSection(store: Store, check: Check, section: SectionRow): void {
  const inner = store.children('siteSpace', section.id);
  check(inner.length > 0, `${section.id}: no site space`);
  checkDefaults(check, section.id, inner);
  const group = section.group === null ? undefined : store.get('group', section.group);
  check(
    section.group === null || group?.site === section.site,
    `${section.id}: in a group that is not the site's`,
  );
}

function checkSites(store: Store, variants: Variants, check: Check): void {
  const mixed = variants['root-site-spaces'] === 'stay';
  for (const site of store.every('site')) {
    const sections = store.owned('section', site.id);
    const root = store.children('siteSpace', site.id);
    check(store.get('org', site.org) !== undefined, `${site.id}: no organization`);
    check(
      site.siteSpaces === store.countOwned('siteSpace', site.id),
      `${site.id}: wrong count of site spaces`,
    );
    check(
      mixed || sections.length === 0 || root.length === 0,
      `${site.id}: root site spaces next to sections`,
    );
    checkDefaults(check, site.id, sections);
    checkDefaults(check, `${site.id} root`, root);
    for (const section of sections) checkSection(store, check, section);
  }
  for (const row of store.every('siteSpace')) {
    const space = store.get('space', row.space);
    check(store.get('site', row.site) !== undefined, `${row.id}: no site`);
    check(
      space !== undefined && space.org === row.org,
      `${row.id}: its space is gone or another organization's`,
    );
    const section = row.section === null ? undefined : store.get('section', row.section);
    check(
      row.section === null || section?.site === row.site,
      `${row.id}: in a section that is not the site's`,
    );
  }
  for (const kind of ['section', 'group', 'shareLink'] as const) {
    for (const row of store.every(kind))
      check(store.get('site', row.site) !== undefined, `${row.id}: no site`);
  }
  for (const row of store.every('adaptiveSchema'))
    check(store.get('site', row.id) !== undefined, `${row.id}: schema of no site`);
  for (const row of store.every('customization'))
    check(store.get('site', row.id) !== undefined, `${row.id}: customization of no site`);
}

function checkDefaults(
  check: Check,
  where: string,
  siblings: readonly { default: boolean; space?: string }[],
): void {
  const defaults = siblings.filter((one) => one.default).length;
  check(
    defaults === (siblings.length > 0 ? 1 : 0),
    `${where}: ${defaults} defaults among ${siblings.length}`,
  );
  const spaces = siblings.flatMap((one) => one.space ?? []);
  check(new Set(spaces).size === spaces.length, `${where}: a space twice`);
}

function checkContent(store: Store, check: Check): void {
  const rooted = (row: CollectionRow | SpaceRow): boolean => {
    const seen = new Set<string>();
    for (let at = row.parent; at !== null; at = store.get('collection', at)?.parent ?? null) {
      const parent = store.get('collection', at);
      if (seen.has(at) || parent === undefined || parent.org !== row.org) return false;
      seen.add(at);
    }
    return true;
  };
  for (const row of store.every('collection'))
    check(rooted(row), `${row.id}: its parents do not lead to the root`);
  for (const row of store.every('space')) {
    check(rooted(row), `${row.id}: its parents do not lead to the root`);
    check(store.get('revision', row.revision)?.space === row.id, `${row.id}: no revision`);
    const trashed = store.get('trash', row.id) !== undefined;
    check(
      trashed === (row.deletedAt !== undefined),
      `${row.id}: deleted and not in the trash, or the reverse`,
    );
    check(
      row.changeRequests === store.count('changeRequest', row.id),
      `${row.id}: wrong count of change requests`,
    );
  }
  for (const row of store.every('revision'))
    check(store.get('space', row.space) !== undefined, `${row.id}: no space`);
  for (const row of store.every('fieldValue')) {
    check(store.get('customField', row.field)?.org === row.org, `${row.id}: value of no field`);
    check(store.get('space', row.space)?.org === row.org, `${row.id}: value of no space`);
  }
}

function checkPeople(store: Store, variants: Variants, check: Check): void {
  const free = variants['sso-without-provider'] === '200';
  for (const org of store.every('org')) {
    check(store.countTagged('member', org.id, 'admin') > 0, `${org.id}: no admin`);
    check(free || !org.sso || store.count('saml', org.id) > 0, `${org.id}: sso without a provider`);
    const site = org.defaultSite === undefined ? undefined : store.get('site', org.defaultSite);
    check(org.defaultSite === undefined || site?.org === org.id, `${org.id}: its default site is gone`);
  }
  for (const row of store.every('team')) {
    check(row.members === store.count('teamMember', row.id), `${row.id}: wrong count of members`);
  }
  for (const row of store.every('member')) {
    check(row.teams === store.countOwned('teamMember', row.id), `${row.id}: wrong count of teams`);
    check(store.get('user', row.user) !== undefined, `${row.id}: no user`);
  }
  for (const row of store.every('teamMember')) {
    check(store.get('member', `${row.org}/${row.user}`) !== undefined, `${row.id}: no member`);
    check(store.get('team', row.team)?.org === row.org, `${row.id}: no team`);
  }
}

function checkSettings(store: Store, check: Check): void {
  for (const row of store.every('saml')) {
    const team = row.defaultTeam === undefined ? undefined : store.get('team', row.defaultTeam);
    check(row.defaultTeam === undefined || team?.org === row.org, `${row.id}: its default team is gone`);
  }
  for (const row of store.every('spec')) {
    const last = row.lastVersion === undefined ? undefined : store.get('specVersion', row.lastVersion);
    check(row.lastVersion === undefined || last?.spec === row.id, `${row.id}: its last version is gone`);
  }
  for (const row of store.every('specVersion'))
    check(store.get('spec', row.spec) !== undefined, `${row.id}: no spec`);
}

function checkDiscussions(store: Store, check: Check): void {
  for (const row of store.every('changeRequest')) {
    check(store.get('space', row.space) !== undefined, `${row.id}: no space`);
    check(store.get('revision', row.revision)?.space === row.space, `${row.id}: no revision`);
    check(
      (row.status === 'merged') === (row.revisionMerged !== undefined),
      `${row.id}: merged without a revision`,
    );
  }
  for (const row of store.every('comment')) {
    check(store.get('changeRequest', row.changeRequest) !== undefined, `${row.id}: no change request`);
  }
  for (const row of store.every('reply'))
    check(store.get('comment', row.comment) !== undefined, `${row.id}: no comment`);
}
