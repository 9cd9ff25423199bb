/** For each kind: the steps of an undo after a create, an update, a delete and a replacement, and its notes about losses. */
import { expect, test } from 'vitest';
import { isLacking } from '../../../src/contract/form.ts';
import { registry } from '../../../src/kinds/index.ts';
import { free } from '../../support/arbitrary.ts';
import { treeOf } from '../../support/harness.ts';
import { some } from '../../support/runs.ts';
import { sharedHarness } from '../../support/shared-harness.ts';
import { applyPlanned, applyTree, onlyPlan, undoOf } from '../../support/undo.ts';

const harness = await sharedHarness();

/** Manifests before the run and of the run, the steps of its undo, and its notes. */
interface UndoCase {
  readonly before: object;
  readonly run: object;
  readonly steps: readonly string[];
  readonly notes?: readonly string[];
}

const ids = (count: number) =>
  count === 1
    ? 'undefined: 1 object created again gets a new id'
    : `undefined: ${count} objects created again get new ids`;
const section = (more: object = {}) => ({
  title: 'Guides',
  spaces: { main: { space: { id: 'sp_guide' } } },
  ...more,
});
const forum = (more: object = {}) => ({ title: 'Forum', url: 'https://forum.example.com/', ...more });
const hub = (more: object) => ({
  sites: { hub: { title: 'Hub', type: 'basic', visibility: 'public', ...more } },
});
const schema = (claim: string) => ({
  type: 'object',
  properties: {
    unsigned: {
      type: 'object',
      description: 'Claims',
      properties: { [claim]: { type: 'boolean', description: claim } },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
});

const cases: Readonly<Record<string, Readonly<Record<string, UndoCase>>>> = {
  organization: {
    update: {
      before: {
        organization: { id: 'org_acme', title: 'Acme', emailDomains: ['acme.dev'], defaultRole: null },
      },
      run: {
        organization: { id: 'org_acme', title: 'Acne', emailDomains: ['acne.dev'], defaultRole: 'edit' },
      },
      steps: ['organization#update'],
    },
  },
  member: {
    update: {
      before: {},
      run: { members: { 'bob@acme.dev': { role: 'edit', sso: true } } },
      steps: ['members/bob@acme.dev#update'],
      notes: ['members/bob@acme.dev: sso remains true: it can be switched on, not off'],
    },
    delete: {
      before: { members: { 'bob@acme.dev': { role: 'edit' } } },
      run: { members: {}, settings: { prune: 'never', pruneKinds: { member: 'removed' }, protect: ['!**'] } },
      steps: [],
      notes: [
        'members/bob@acme.dev: cannot be restored: the API cannot invite anyone; invite the person in the app',
      ],
    },
  },
  team: {
    create: { before: {}, run: { teams: { red: { title: 'Red' } } }, steps: ['teams/red#delete'] },
    update: {
      before: { teams: { red: { title: 'Red', members: { 'ada@acme.dev': 'owner' } } } },
      run: { teams: { red: { title: 'Pink', was: 'Red', members: { 'bob@acme.dev': 'member' } } } },
      steps: ['teams/red#update'],
    },
    delete: {
      before: { teams: { red: { title: 'Red', members: { 'ada@acme.dev': 'owner' } } } },
      run: { teams: {} },
      steps: ['teams/red#create', 'teams/red#update'],
      notes: ['teams/red: team is created again: what the team gave its members access to is lost', ids(1)],
    },
  },
  customField: {
    create: {
      before: {},
      run: { customFields: { tier: { type: 'text' } } },
      steps: ['customFields/tier#delete'],
    },
    update: {
      before: { customFields: { tier: { type: 'text', title: 'Tier' } } },
      run: { customFields: { tier: { type: 'text', title: 'Level' } } },
      steps: ['customFields/tier#update'],
    },
    delete: {
      before: {
        customFields: { tier: { type: 'text', title: 'Tier' } },
        spaces: { guide: { id: 'sp_guide', customFields: { tier: 'a' } } },
      },
      run: { customFields: {}, spaces: { guide: { id: 'sp_guide' } } },
      steps: ['customFields/tier#create', 'spaces/guide#update'],
      notes: [
        'customFields/tier: custom field is created again: spaces lose their values for it, except those in this plan',
      ],
    },
    replace: {
      before: { customFields: { tier: { type: 'text', title: 'Tier', placeholder: 'Say' } } },
      run: { customFields: { tier: { type: 'number', title: 'Tier' } } },
      steps: ['customFields/tier#create', 'customFields/tier#delete'],
      notes: [
        'customFields/tier: custom field is created again: spaces lose their values for it, except those in this plan',
      ],
    },
  },
  samlProvider: {
    create: {
      before: {},
      run: { samlProviders: { okta: { label: 'Okta' } } },
      steps: ['samlProviders/okta#delete'],
    },
    update: {
      before: { samlProviders: { okta: { label: 'Okta', entityID: 'urn:a' } } },
      run: { samlProviders: { okta: { label: 'Okta', entityID: 'urn:b', ssoURL: 'https://okta.com/a' } } },
      steps: ['samlProviders/okta#update'],
      notes: ['samlProviders/okta: ssoURL had no value before the run, and the API cannot unset it'],
    },
    delete: {
      before: { samlProviders: { okta: { label: 'Okta', entityID: 'urn:a', certificate: 'PEM' } } },
      run: { samlProviders: {} },
      steps: ['samlProviders/okta#create'],
      notes: [
        'samlProviders/okta: SAML provider is created again: its sign-in addresses are new ones; enter them at the identity provider',
        ids(1),
      ],
    },
  },
  collection: {
    create: {
      before: {},
      run: { collections: { docs: { title: 'Docs' } } },
      steps: ['collections/docs#delete'],
    },
    update: {
      before: { collections: { docs: { title: 'Docs', defaultLevel: null } } },
      run: {
        collections: { docs: { title: 'Books', was: 'Docs', defaultLevel: 'read', description: 'All' } },
      },
      steps: ['collections/docs#update'],
    },
    delete: {
      before: { collections: { docs: { title: 'Docs', defaultLevel: 'edit' } } },
      run: { collections: {} },
      steps: ['collections/docs#create', 'collections/docs#update'],
      notes: [
        'collections/docs: collection is created again: access given to people in addition to its default level is lost',
        ids(1),
      ],
    },
  },
  space: {
    create: {
      before: { spaces: { guide: { id: 'sp_guide' } } },
      run: { spaces: { guide: { id: 'sp_guide' }, copy: { title: 'Copy', duplicateOf: 'guide' } } },
      steps: ['spaces/copy#delete'],
    },
    update: {
      before: { spaces: { guide: { id: 'sp_guide', emoji: '📘', editMode: 'live', defaultLevel: 'read' } } },
      run: { spaces: { guide: { id: 'sp_guide', emoji: '👋', editMode: 'locked', defaultLevel: null } } },
      steps: ['spaces/guide#update'],
    },
    move: {
      before: {
        collections: {
          docs: { title: 'Docs', spaces: { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' } } },
        },
      },
      run: {
        spaces: { guide: { id: 'sp_guide' } },
        collections: { docs: { title: 'Docs', spaces: { faq: { id: 'sp_faq' } } } },
      },
      steps: ['collections/docs/spaces/guide#attach'],
    },
    delete: {
      before: {
        collections: {
          docs: { title: 'Docs', spaces: { guide: { id: 'sp_guide' }, faq: { id: 'sp_faq' } } },
        },
      },
      run: { collections: { docs: { title: 'Docs', spaces: { faq: { id: 'sp_faq' } } } } },
      steps: ['collections/docs/spaces/guide#restore', 'collections/docs/spaces/guide#move'],
    },
  },
  openapiSpec: {
    create: {
      before: {},
      run: { openapi: { pets: { source: { url: 'https://acme.dev/a.json' } } } },
      steps: ['openapi/pets#delete'],
    },
    update: {
      before: { openapi: { pets: { source: { url: 'https://acme.dev/a.json' } } } },
      run: { openapi: { pets: { source: { url: 'https://acme.dev/b.json' } } } },
      steps: ['openapi/pets#update'],
    },
    delete: {
      before: { openapi: { pets: { source: { url: 'https://acme.dev/a.json' } } } },
      run: { openapi: {} },
      steps: ['openapi/pets#create'],
      notes: ['openapi/pets: OpenAPI spec is created again: its former versions are lost'],
    },
  },
  translation: {
    create: {
      before: {},
      run: { translations: { fr: { title: 'French' } } },
      steps: ['translations/fr#delete'],
    },
    update: {
      before: { translations: { fr: { title: 'French' } } },
      run: { translations: { fr: { title: 'Français', was: 'French' } } },
      steps: ['translations/fr#update'],
    },
    delete: {
      before: { translations: { fr: { title: 'French' } } },
      run: { translations: {} },
      steps: ['translations/fr#create'],
      notes: ['translations/fr: translation is created again: its languages are lost', ids(1)],
    },
  },
  linkInvite: {
    update: {
      before: { linkInvites: { inv_one: { role: 'read' } } },
      run: { linkInvites: { inv_one: { role: 'edit' } } },
      steps: ['linkInvites/inv_one#update'],
    },
    delete: {
      before: { linkInvites: { inv_one: { role: 'read' } } },
      run: { linkInvites: {} },
      steps: [],
      notes: [
        'linkInvites/inv_one: cannot be restored: the API cannot create one; create another one in the app',
      ],
    },
  },
  site: {
    create: { before: {}, run: hub({}), steps: ['sites/hub#delete'] },
    update: {
      before: hub({ basename: 'docs', proxy: 'acme.dev/docs' }),
      run: hub({ basename: 'hub', proxy: null, visibility: 'unlisted', adaptiveContent: { enabled: true } }),
      steps: ['sites/hub#update'],
    },
    delete: {
      before: hub({
        sections: { guides: section() },
        shareLinks: { friends: { name: 'Friends', active: false } },
      }),
      run: { sites: {} },
      steps: [
        'sites/hub#create',
        'sites/hub#update',
        'sites/hub/sections/guides#create',
        'sites/hub/sections/guides#update',
        'sites/hub/sections/guides/spaces/main#create',
        'sites/hub/sections/guides/spaces/main#update',
        'sites/hub/shareLinks/friends#create',
        'sites/hub/shareLinks/friends#update',
      ],
      notes: [
        'sites/hub: site is created again: its customization, icon and custom hostname are lost; publish it in the app',
        'sites/hub/sections/guides/spaces/main: site-space is created again: a customization of its own is lost',
        'sites/hub/shareLinks/friends: share link is created again: it has a new address: everyone who had the former one needs the new one',
        ids(4),
      ],
    },
  },
  adaptiveSchema: {
    create: {
      before: hub({}),
      run: hub({ adaptiveSchema: schema('beta') }),
      steps: [],
      notes: ['sites/hub/adaptiveSchema: is kept: the API cannot delete an adaptive schema'],
    },
    update: {
      before: hub({ adaptiveSchema: schema('beta') }),
      run: hub({ adaptiveSchema: schema('alpha') }),
      steps: ['sites/hub/adaptiveSchema#update'],
    },
    delete: {
      before: hub({ adaptiveSchema: schema('beta') }),
      run: { sites: {} },
      steps: ['sites/hub#create', 'sites/hub/adaptiveSchema#create'],
      notes: [
        'sites/hub: site is created again: its customization, icon and custom hostname are lost; publish it in the app',
        ids(1),
      ],
    },
  },
  customization: {
    update: {
      before: hub({ customization: { styling: { theme: 'muted' }, footer: { copyright: 'Acme' } } }),
      run: hub({
        customization: {
          styling: { theme: 'bold', primaryColor: { light: '#abc' } },
          favicon: { emoji: '👋' },
          announcement: { enabled: true, message: 'Hello' },
          footer: { copyright: null },
        },
      }),
      steps: ['sites/hub/customization#update'],
    },
    delete: {
      before: hub({ customization: { styling: { theme: 'muted' }, favicon: { emoji: '👋' } } }),
      run: { sites: {} },
      steps: [
        'sites/hub#create',
        'sites/hub#update',
        'sites/hub/customization#create',
        'sites/hub/customization#update',
      ],
      notes: [
        'sites/hub: site is created again: its icon, its custom hostname and unknown parts of its customization are lost',
        ids(1),
      ],
    },
  },
  section: {
    create: {
      before: hub({ sections: { guides: section() } }),
      run: hub({ sections: { guides: section(), more: section({ title: 'More' }) } }),
      steps: ['sites/hub/sections/more#delete'],
    },
    update: {
      before: hub({ sections: { guides: section({ path: 'guides' }) } }),
      run: hub({
        sections: {
          guides: section({
            path: 'read',
            was: 'guides',
            icon: 'book',
            condition: 'visitor.claims.a',
            description: 'All',
          }),
        },
      }),
      steps: ['sites/hub/sections/guides#update'],
    },
    move: {
      before: hub({ sections: { guides: section(), more: section({ title: 'More' }) } }),
      run: hub({ sections: { more: section({ title: 'More' }), guides: section() } }),
      steps: ['sites/hub/sections/guides#move'],
    },
    delete: {
      before: hub({ sections: { more: section({ title: 'More' }), guides: section() }, default: 'guides' }),
      run: hub({ sections: { guides: section() }, default: 'guides' }),
      steps: [
        'sites/hub/sections/more#create',
        'sites/hub/sections/more#update',
        'sites/hub/sections/more/spaces/main#create',
        'sites/hub/sections/more/spaces/main#update',
        'sites/hub/sections/more#move',
      ],
      notes: [
        'sites/hub/sections/more/spaces/main: site-space is created again: a customization of its own is lost',
        ids(2),
      ],
    },
  },
  sectionGroup: {
    create: {
      before: hub({ sections: { guides: section() } }),
      run: hub({ sections: { all: { title: 'All', sections: { guides: section() } } } }),
      steps: [
        'sites/hub/sections/guides#detach',
        'sites/hub/sections/guides#move',
        'sites/hub/sections/all#delete',
      ],
    },
    update: {
      before: hub({ sections: { all: { title: 'All', icon: 'book', sections: { guides: section() } } } }),
      run: hub({
        sections: { all: { title: 'Everything', was: 'All', icon: null, sections: { guides: section() } } },
      }),
      steps: ['sites/hub/sections/all#update'],
    },
    delete: {
      before: hub({ sections: { all: { title: 'All', sections: { guides: section() } } } }),
      run: hub({ sections: { guides: section() } }),
      steps: ['sites/hub/sections/all#create'],
      notes: [ids(1)],
    },
  },
  link: {
    create: {
      before: hub({ sections: { guides: section() } }),
      run: hub({ sections: { forum: forum(), guides: section() } }),
      steps: ['sites/hub/sections/forum#delete'],
    },
    update: {
      before: hub({ sections: { guides: section(), forum: forum({ icon: 'message' }) } }),
      run: hub({ sections: { guides: section(), forum: forum({ title: 'Questions', icon: null }) } }),
      steps: ['sites/hub/sections/forum#update'],
    },
    delete: {
      before: hub({ sections: { forum: forum({ draft: true }), guides: section() } }),
      run: hub({ sections: { guides: section() } }),
      steps: ['sites/hub/sections/forum#create', 'sites/hub/sections/forum#move'],
      notes: [ids(1)],
    },
  },
  siteSpace: {
    create: {
      before: hub({ sections: { guides: section() } }),
      run: hub({
        sections: {
          guides: section({
            spaces: { main: { space: { id: 'sp_guide' } }, faq: { space: { id: 'sp_faq' } } },
          }),
        },
      }),
      steps: ['sites/hub/sections/guides/spaces/faq#delete'],
    },
    update: {
      before: hub({ spaces: { main: { space: { id: 'sp_guide' }, path: 'a' } } }),
      run: hub({ spaces: { main: { space: { id: 'sp_guide' }, path: 'b', condition: 'visitor.claims.a' } } }),
      steps: ['sites/hub/spaces/main#update'],
    },
    replace: {
      before: hub({ spaces: { main: { space: { id: 'sp_guide' }, path: 'a' } } }),
      run: hub({ spaces: { main: { space: { id: 'sp_faq' }, path: 'a' } } }),
      steps: [
        'sites/hub/spaces/main#create',
        'sites/hub/spaces/main#delete',
        'sites/hub/spaces/main#update',
        'sites/hub#update',
      ],
      notes: [
        'sites/hub/spaces/main: site-space is created again: a customization of its own is lost',
        ids(1),
      ],
    },
  },
  shareLink: {
    create: {
      before: hub({}),
      run: hub({ shareLinks: { pals: { name: 'Pals' } } }),
      steps: ['sites/hub/shareLinks/pals#delete'],
    },
    update: {
      before: hub({ shareLinks: { pals: { name: 'Pals' } } }),
      run: hub({ shareLinks: { pals: { name: 'Pals', active: false } } }),
      steps: ['sites/hub/shareLinks/pals#update'],
    },
    delete: {
      before: hub({ shareLinks: { pals: { name: 'Pals' } } }),
      run: hub({ shareLinks: {} }),
      steps: ['sites/hub/shareLinks/pals#create'],
      notes: [
        'sites/hub/shareLinks/pals: share link is created again: it has a new address: everyone who had the former one needs the new one',
        ids(1),
      ],
    },
  },
  redirect: {
    create: {
      before: hub({ sections: { guides: section() }, redirects: {} }),
      run: hub({ sections: { guides: section() }, redirects: { '/a/b*': { to: 'guides' } } }),
      steps: ['sites/hub/redirects/:a:b*#delete'],
    },
    update: {
      before: hub({
        sections: { guides: section() },
        redirects: { '/a': { to: 'guides', permanent: true } },
      }),
      run: hub({
        sections: { guides: section() },
        redirects: { '/a': { to: 'https://acme.dev/', permanent: false } },
      }),
      steps: ['sites/hub/redirects/:a#update'],
    },
    delete: {
      before: hub({ sections: { guides: section() }, redirects: { '/a': { to: 'guides' } } }),
      run: hub({ sections: { guides: section() }, redirects: {} }),
      steps: ['sites/hub/redirects/:a#create'],
    },
  },
  draftRedirect: {
    create: {
      before: hub({ sections: { guides: section() }, draftRedirects: {} }),
      run: hub({ sections: { guides: section() }, draftRedirects: { '/a/b*': { to: 'guides' } } }),
      steps: ['sites/hub/draftRedirects/:a:b*#delete'],
    },
    update: {
      before: hub({
        sections: { guides: section() },
        draftRedirects: { '/a': { to: 'guides', permanent: true } },
      }),
      run: hub({
        sections: { guides: section() },
        draftRedirects: { '/a': { to: 'https://acme.dev/', permanent: false } },
      }),
      steps: ['sites/hub/draftRedirects/:a#update'],
    },
    delete: {
      before: hub({ sections: { guides: section() }, draftRedirects: { '/a': { to: 'guides' } } }),
      run: hub({ sections: { guides: section() }, draftRedirects: {} }),
      steps: ['sites/hub/draftRedirects/:a#create'],
    },
  },
};

/** Fields of several kinds. */
const accessCases: Readonly<Record<string, UndoCase>> = {
  update: {
    before: {
      teams: { red: { title: 'Red' } },
      spaces: { guide: { id: 'sp_guide', access: { teams: { red: 'edit' } } } },
      ...hub({ access: { members: { 'bob@acme.dev': 'none' } }, defaultLevel: 'read' }),
    },
    run: {
      teams: { red: { title: 'Red' }, blue: { title: 'Blue' } },
      spaces: {
        guide: { id: 'sp_guide', access: { teams: { blue: 'read' }, members: { 'cyd@acme.dev': 'admin' } } },
      },
      ...hub({ access: { teams: { red: 'read' }, members: { 'bob@acme.dev': 'edit' } }, defaultLevel: null }),
    },
    steps: ['sites/hub#update', 'spaces/guide#update', 'teams/blue#delete'],
  },
  delete: {
    before: {
      teams: { red: { title: 'Red' } },
      spaces: { guide: { id: 'sp_guide', access: { teams: { red: 'edit' } } } },
    },
    run: { teams: {}, spaces: { guide: { id: 'sp_guide', access: { teams: {} } } } },
    steps: ['teams/red#create'],
    notes: [
      'spaces/guide: access.teams: team_new is no longer a team',
      'teams/red: team is created again: what the team gave its members access to is lost',
      ids(1),
    ],
  },
};

const settings = { ...free, prune: 'unlisted', pruneKinds: { member: 'never', space: 'removed' } };

function documentOf(part: object): object {
  return { octavo: 1, organization: { id: 'org_acme' }, settings, ...part };
}

test('tests every kind', () => {
  expect(Object.keys(cases)).toEqual(registry.kinds.map(({ name }) => name));
});

for (const [kind, changes] of Object.entries({ ...cases, access: accessCases })) {
  for (const [change, { before, run, steps, notes = [] }] of some(Object.entries(changes))) {
    test(`undoes ${kind}: ${change}`, async () => {
      const needs = kind === 'access' ? '2026' : registry.byName(kind).needs;
      const isDocumented = !isLacking('document', needs);
      harness.reset({}, isDocumented ? 'document' : '2026');
      const first = await treeOf(documentOf(before));
      await applyTree(harness, first);
      const applied = await applyTree(harness, await treeOf(documentOf(run)), { base: first });
      expect(onlyPlan(applied.planned).steps).not.toEqual([]);
      const undo = await undoOf(harness, applied);
      const plan = onlyPlan(undo);
      expect(plan.refusals).toEqual([]);
      expect(plan.unmanaged).toEqual([]);
      expect(
        plan.notes.map(({ address, message }) => `${address}: ${message.replace(/team_\w+/, 'team_new')}`),
      ).toEqual(notes);
      expect(plan.steps.map(({ id }) => id).sort()).toEqual([...steps].sort());
      const { result } = await applyPlanned(harness, undo);
      const outcomes = result.organizations.flatMap((organization) => organization.outcomes);
      expect(outcomes.filter(({ type }) => type !== 'done' && type !== 'satisfied')).toEqual([]);
      // Only differences in the notes remain from the first state.
      expect(onlyPlan(await undoOf(harness, applied)).steps).toEqual([]);
      if (notes.every((note) => note.includes('made again')))
        expect((await harness.plan(first)).steps.map(({ id }) => id)).toEqual([]);
    });
  }
}
