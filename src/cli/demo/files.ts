import type { Seed } from '../../server/index.ts';

const member = (name: string, role: 'admin' | 'create' | 'edit' | 'read') => ({
  id: `user_${name.toLowerCase()}`,
  email: `${name.toLowerCase()}@acme.example`,
  displayName: name,
  role,
});

const space = (id: string, title: string) => ({ id: `sp_${id}`, title, pages: [{ title: 'Overview' }] });

const section = (id: string, title: string) => ({
  id: `sect_${id}`,
  title,
  path: id,
  spaces: [{ id: `ss_${id}`, space: `sp_${id}`, path: 'main' }],
});

/** Ids are fixed, so that every demo shows the same. */
export const demoSeed: Seed = {
  owner: { id: 'user_octavo', email: 'octavo@acme.example', displayName: 'Octavo' },
  organizations: [
    {
      id: 'org_acme',
      title: 'Acme',
      members: [
        member('Ada', 'admin'),
        member('Bob', 'edit'),
        member('Cleo', 'create'),
        member('Dan', 'read'),
      ],
      teams: [
        {
          id: 'team_platform',
          title: 'Platform',
          members: { 'ada@acme.example': 'owner', 'bob@acme.example': 'member' },
        },
        {
          id: 'team_writers',
          title: 'Writers',
          members: { 'cleo@acme.example': 'owner', 'bob@acme.example': 'member' },
        },
        { id: 'team_interns', title: 'Summer interns', members: { 'dan@acme.example': 'member' } },
      ],
      content: [
        {
          type: 'collection',
          id: 'col_handbook',
          title: 'Handbook',
          content: [space('onboarding', 'Onboarding'), space('incidents', 'Incident reviews')],
        },
        {
          type: 'collection',
          id: 'col_engineering',
          title: 'Engineering',
          content: [space('guides', 'Guides'), space('api', 'API reference'), space('help', 'Help')],
        },
      ],
      sites: [
        {
          id: 'site_docs',
          title: 'Acme Docs',
          visibility: 'public',
          sections: [section('guides', 'Guides'), section('api', 'API'), section('help', 'Help')],
          shareLinks: [{ id: 'sl_partners', name: 'Partners', active: true }],
        },
      ],
    },
  ],
};

const people = `# Who works at Acme, and in which team.
octavo: 1
organization: { id: org_acme, title: Acme }

teams:
  platform:
    title: Platform
    members: { ada@acme.example: owner, bob@acme.example: member }
  writers:
    title: Writers
    members: { cleo@acme.example: owner, bob@acme.example: member }
  interns:
    title: Summer interns
    members: { dan@acme.example: member }
`;

const content = `# What Acme writes, and what it publishes.
octavo: 1
organization: org_acme

collections:
  handbook:
    title: Handbook
    spaces:
      onboarding: { title: Onboarding }
      incidents: { title: Incident reviews }
  engineering:
    title: Engineering
    spaces:
      guides: { title: Guides }
      api: { title: API reference }
      help: { title: Help }

sites:
  docs:
    title: Acme Docs
    visibility: public
    sections:
      guides: { title: Guides, path: guides, spaces: { main: { space: guides } } }
      api: { title: API, path: api, spaces: { main: { space: api } } }
      help: { title: Help, path: help, spaces: { main: { space: help } } }
    shareLinks:
      partners: { name: Partners, active: true }
`;

export const demoFiles: Readonly<Record<string, string>> = {
  'people.yaml': people,
  'content.yaml': content,
  'octavo.config.yaml': 'baseUrl: local:.octavo/acme.db # a service on this machine\n',
  '.gitignore': '.octavo/\nplan.json\ndemo.html\n',
};

export interface DemoEdit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const tidyUp: readonly DemoEdit[] = [
  {
    file: 'content.yaml',
    from: '      onboarding: { title: Onboarding }\n      incidents: { title: Incident reviews }\n',
    to: '      onboarding: { title: Onboarding }\n',
  },
  {
    file: 'content.yaml',
    from: '      guides: { title: Guides }\n',
    to: '      incidents: { title: Incident reviews }\n      guides: { title: Guides }\n',
  },
  {
    file: 'content.yaml',
    from: 'help: { title: Help, path: help, spaces',
    to: 'help: { title: Support, path: support, spaces',
  },
  {
    file: 'people.yaml',
    from: '  interns:\n    title: Summer interns\n    members: { dan@acme.example: member }\n',
    to: '',
  },
  {
    file: 'people.yaml',
    from: '  writers:\n    title: Writers\n',
    to: '  docs-team:\n    title: Docs team\n',
  },
];

/** The author's answer to Octavo's question. */
export const sameTeam: readonly DemoEdit[] = [
  { file: 'people.yaml', from: '    title: Docs team\n', to: '    title: Docs team\n    was: Writers\n' },
];
