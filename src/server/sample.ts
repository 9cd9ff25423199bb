/** The `sample` seed: at least one object for each operation to work on. */
import type { Role } from './rows.ts';
import type { Seed, SeedMember, SeedSpace } from './seed-file.ts';

const domain = 'acme.example';

export const sampleInvite = 'inv_sample';

const people: readonly [name: string, role: Role | null][] = [
  ['Ada', 'admin'],
  ['Cleo', 'create'],
  ['Rana', 'review'],
  ['Edda', 'edit'],
  ['Cosmo', 'comment'],
  ['Rex', 'read'],
  ['Gus', null],
];

/** Members with each role, and a guest; their tokens are `token-ada` and so on. */
const members: SeedMember[] = people.map(([name, role], at) => ({
  id: `user_${name.toLowerCase()}`,
  email: `${name.toLowerCase()}@${domain}`,
  displayName: name,
  role,
  token: `token-${name.toLowerCase()}`,
  joinedAt: new Date(Date.UTC(2024, at, 1)).toISOString(),
  ...(at % 2 === 0 ? { lastSeenAt: new Date(Date.UTC(2025, at, 1)).toISOString() } : {}),
}));

const apiGuide: SeedSpace = {
  id: 'sp_api_guide',
  title: 'API guide',
  emoji: '1f4d8',
  customFields: { 'owner-team': 'Platform', reviewed: true, stage: 'beta' },
  pages: [
    {
      id: 'page_welcome',
      title: 'Welcome',
      markdown:
        '# Welcome\n\nStart with [the first call](first-steps/first-call), look at ![the map](map.png), ask [us](https://example.com), and mind [what is gone](gone).',
    },
    {
      id: 'page_first',
      title: 'First steps',
      type: 'group',
      pages: [
        {
          id: 'page_call',
          title: 'First call',
          markdown: '# First call\n\nSee [the welcome](/welcome) and send a GET.',
        },
        {
          id: 'page_auth',
          title: 'Authentication',
          markdown: '# Authentication\n\nTokens are bearer tokens.',
        },
      ],
    },
    { id: 'page_reference', title: 'Reference', spec: 'petstore', markdown: '# Reference\n' },
  ],
  files: [{ id: 'file_map', name: 'map.png', contentType: 'image/png', size: 2048 }],
  reusableContents: [{ id: 'reuse_note', title: 'Note', document: 'Mind the limits.' }],
  changeRequests: [
    {
      id: 'cr_wording',
      subject: 'Better wording',
      comments: [
        {
          id: 'com_first',
          markdown: 'This reads well.',
          page: 'page_welcome',
          replies: [{ id: 'rep_first', markdown: 'Thank you.' }],
        },
        { id: 'com_done', markdown: 'A typo.', resolved: true },
      ],
    },
    { id: 'cr_draft', subject: 'Ideas', status: 'draft' },
  ],
};

const petstore = {
  openapi: '3.1.0',
  info: { title: 'Petstore', version: '1.0.0' },
  paths: { '/pets': { get: { responses: { '200': { description: 'Pets' } } } } },
};

const visitorSchema = {
  type: 'object',
  properties: {
    unsigned: {
      type: 'object',
      description: 'Claims that anyone may set',
      properties: { beta: { type: 'boolean', description: 'Takes part in the beta' } },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

export const sampleSeed: Seed = {
  organizations: [
    {
      id: 'org_acme',
      title: 'Acme',
      hostname: 'acme',
      emailDomains: [domain],
      useCase: 'productDocs',
      defaultRole: 'read',
      defaultSite: 'site_hub',
      inviteLinks: true,
      members,
      teams: [
        {
          id: 'team_platform',
          title: 'Platform',
          members: { [`ada@${domain}`]: 'owner', [`cleo@${domain}`]: 'owner', [`edda@${domain}`]: 'member' },
        },
        { id: 'team_writers', title: 'Writers', members: { [`rana@${domain}`]: 'member' } },
      ],
      customFields: [
        { name: 'owner-team', type: 'text', title: 'Owning team', placeholder: 'Platform' },
        { name: 'reviewed', type: 'boolean', title: 'Reviewed' },
        { name: 'stage', type: 'select:single', title: 'Stage', options: ['alpha', 'beta', 'stable'] },
      ],
      samlProviders: [
        {
          id: 'saml_okta',
          label: 'Okta',
          entityID: 'http://www.okta.com/exk1',
          ssoURL: 'https://acme.okta.com/app/sso/saml',
          certificate:
            'MIIBBzCBrgIBATAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARhY21lMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAPMQ0wCwYDVQQDDARhY21lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDDOKLOAHJZVAMIU4rMW5DmQn1sC45NIWcGAEJCo8irypFxQlN8gJ/fhyU4rupFBLpZGFP111k8o0kD4ZX+sChDAKBggqhkjOPQQDAgNIADBFAiEAkrLkuFzhznP/eqDG/1N8kxZ+ArdwRVVVv7EB7iRlULcCIH4LMWo7mJVyew6IwdxQG8/EjKSK+CoFSbLtVm0oTfkr',
          defaultTeam: 'team_writers',
          defaultRole: 'read',
        },
        { id: 'saml_entra', label: 'Entra' },
      ],
      linkInvites: [{ id: sampleInvite, role: 'read' }],
      openapi: [
        {
          slug: 'petstore',
          url: 'https://acme.example/petstore.json',
          versions: [petstore, { ...petstore, info: { title: 'Petstore', version: '1.1.0' } }],
        },
      ],
      translations: [{ id: 'tr_french', title: 'French', languages: ['fr'] }],
      collections: [
        {
          type: 'collection',
          id: 'col_handbook',
          title: 'Handbook',
          description: 'How we work',
          defaultLevel: 'read',
          spaces: [
            {
              id: 'sp_onboarding',
              title: 'Onboarding',
              emoji: '1f44b',
              pages: [{ id: 'page_day_one', title: 'Day one' }],
            },
            { id: 'sp_old', title: 'Old rules', deletedAt: 'now' },
          ],
          collections: [
            {
              type: 'collection',
              id: 'col_engineering',
              title: 'Engineering',
              spaces: [{ id: 'sp_runbooks', title: 'Runbooks', editMode: 'locked' }],
            },
          ],
        },
      ],
      spaces: [
        apiGuide,
        { id: 'sp_api_next', title: 'API guide (next)', defaultLevel: 'edit' },
        { id: 'sp_secret', title: 'Secret', defaultLevel: null },
      ],
      sites: [
        {
          id: 'site_hub',
          title: 'Developer Hub',
          basename: 'docs',
          published: true,
          visibility: 'share-link',
          proxy: 'acme.example/docs',
          adaptiveContent: true,
          adaptiveSchema: visitorSchema,
          sections: [
            {
              id: 'sect_guides',
              title: 'Guides',
              icon: 'book',
              spaces: [
                { id: 'sitesp_guide', space: 'sp_api_guide', path: 'current' },
                {
                  id: 'sitesp_next',
                  space: 'sp_api_next',
                  path: 'next',
                  condition: 'visitor.claims.unsigned.beta',
                },
              ],
            },
            {
              id: 'sgrp_more',
              title: 'More',
              sections: [
                {
                  id: 'sect_people',
                  title: 'People',
                  spaces: [{ id: 'sitesp_people', space: 'sp_onboarding' }],
                },
                { id: 'sect_ops', title: 'Operations', spaces: [{ id: 'sitesp_ops', space: 'sp_runbooks' }] },
              ],
            },
            { id: 'sect_news', title: 'News', spaces: [{ id: 'sitesp_news', space: 'sp_api_next' }] },
          ],
          shareLinks: [
            { id: 'share_partners', name: 'Partners' },
            { id: 'share_press', name: 'Press', active: false },
          ],
        },
        {
          id: 'site_status',
          title: 'Status',
          spaces: [
            { id: 'sitesp_status', space: 'sp_api_guide' },
            { id: 'sitesp_status_next', space: 'sp_api_next' },
          ],
        },
      ],
    },
    {
      id: 'org_globex',
      title: 'Globex',
      hostname: 'globex',
      emailDomains: ['globex.example'],
      type: 'community',
      members: [
        {
          id: 'user_hank',
          email: 'hank@globex.example',
          displayName: 'Hank',
          role: 'admin',
          token: 'token-hank',
        },
      ],
      spaces: [{ id: 'sp_globex', title: 'Plans' }],
      sites: [{ id: 'site_globex', title: 'Globex docs', spaces: [{ space: 'sp_globex' }] }],
    },
  ],
};
