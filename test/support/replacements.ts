/** Random pairs of commits, of which the newer one also replaces, copies and renames objects that only a new one can stand for. */
import fc from 'fast-check';
import type { Form } from '../../src/contract/form.ts';
import type { Document } from './arbitrary.ts';
import { listsOf, type Objects } from './commit-edits.ts';
import { type Commits, commits } from './commits.ts';

/** Changes of the newer commit in addition to its edits. */
const extras = fc.record({
  keepsEdits: fc.boolean(),
  siteType: fc.boolean(),
  shows: fc.option(fc.record({ list: fc.nat(5), to: fc.nat(3), bare: fc.boolean() }), { nil: undefined }),
  field: fc.constantFrom(undefined, 'type', 'name'),
  slug: fc.boolean(),
  redirect: fc.boolean(),
  copies: fc.constantFrom(0, 0, 1, 2, 3),
  people: fc.boolean(),
});

type Extras = typeof extras extends fc.Arbitrary<infer T> ? T : never;

export const replacingCommits = (form: Form): fc.Arbitrary<Commits> =>
  fc.tuple(commits, extras).map(([all, more]) => withExtras(all, more, form));

function withExtras(
  { live: world, older: former, newer: edited }: Commits,
  more: Extras,
  form: Form,
): Commits {
  const [live, older] = [world, former].map((one) => withObjects(structuredClone(one) as Objects, form));
  const newer = withObjects(structuredClone(more.keepsEdits ? edited : former) as Objects, form);
  if (live === undefined || older === undefined) throw new Error('two documents');
  const site = Object.values((newer.sites ?? {}) as Objects)[0] as Objects | undefined;
  if (more.siteType && site !== undefined) Object.assign(site, { type: 'premium' });
  if (more.shows !== undefined) showAnother(newer, more.shows);
  if (form === 'document' && more.field === 'type')
    newer.customFields = { prio: { type: 'number', title: 'Priority' } };
  if (form === 'document' && more.field === 'name')
    newer.customFields = { level: { was: 'prio', type: 'text', title: 'Priority' } };
  if (more.slug) newer.openapi = { shop: { was: 'petstore', source: { url: 'https://acme.dev/a.json' } } };
  if (form === '2026' && more.redirect && site !== undefined)
    site.redirects = { '/older': { was: '/old', to: 'https://acme.dev/new' } };
  const spaces = newer.spaces as Objects;
  const copies = {
    c1: { duplicateOf: 'g1' },
    c2: { duplicateOf: 'g1', defaultLevel: 'read' },
    c3: { duplicateOf: 'c1' },
  };
  for (const [key, copy] of Object.entries(copies).slice(0, more.copies))
    spaces[key] = { ...copy, title: `Copy ${key}` };
  if (more.people)
    newer.members =
      form === '2026'
        ? { 'bob@acme.dev': { role: 'edit' }, 'new@acme.dev': { role: 'admin' } }
        : { 'bob@acme.dev': { role: 'edit' } };
  return { live, older, newer };
}

/** Objects of all kinds that can be replaced. */
function withObjects(document: Objects, form: Form): Objects {
  document.members = { 'bob@acme.dev': { role: 'read' } };
  // Newer services have neither.
  if (form === '2026') delete document.translations;
  else document.customFields = { prio: { type: 'text', title: 'Priority' } };
  document.openapi = { petstore: { source: { url: 'https://acme.dev/a.json' } } };
  const [site] = Object.values((document.sites ?? {}) as Objects);
  if (form === '2026' && site !== undefined)
    (site as Objects).redirects = { '/old': { to: 'https://acme.dev/new' } };
  return document;
}

/** A site-space shows another space. `bare`: its path is left to the service. */
function showAnother(document: Objects, { list: at, to, bare }: NonNullable<Extras['shows']>): void {
  const lists = listsOf(document).filter(({ list }) =>
    Object.values(list).some((one) => typeof (one as Objects).space === 'string'),
  );
  const { list } = lists[at % Math.max(1, lists.length)] ?? {};
  const [key] = Object.keys(list ?? {});
  if (list === undefined || key === undefined) return;
  const used = new Set(Object.values(list).map((one) => (one as Objects).space as unknown));
  const free = ['g1', 'g2', 'g3', 'g4'].filter((space) => !used.has(space));
  const space = free[to % Math.max(1, free.length)];
  if (space === undefined) return;
  const { path, ...rest } = list[key] as Objects;
  list[key] = { ...rest, ...(bare || path === undefined ? {} : { path }), space } as Document;
}
