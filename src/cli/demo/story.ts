/** The demo: a made-up workspace, and the commands that are run in it. */
import type { Seed } from '../../server/index.ts';

const member = (name: string, role: 'admin' | 'create' | 'edit' | 'read') => ({
  id: `user_${name.toLowerCase()}`,
  email: `${name.toLowerCase()}@acme.example`,
  displayName: name,
  role,
});

const team = (title: string, members: Readonly<Record<string, 'owner' | 'member'>>) => ({
  id: `team_${title.split(' ')[0]?.toLowerCase()}`,
  title,
  members,
});

const collection = (title: string, spaces: Readonly<Record<string, string>>) => ({
  type: 'collection' as const,
  id: `col_${title.toLowerCase()}`,
  title,
  content: Object.entries(spaces).map(([id, name]) => ({
    id: `sp_${id}`,
    title: name,
    pages: [{ title: 'Overview' }],
  })),
});

const section = (id: string, title: string) => ({
  id: `sect_${id}`,
  title,
  path: id,
  spaces: [{ id: `ss_${id}`, space: `sp_${id}`, path: 'main' }],
});

/** Ids are fixed, so that every demo prints the same output. */
export const seed: Seed = {
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
        team('Platform', { 'ada@acme.example': 'owner', 'bob@acme.example': 'member' }),
        team('Writers', { 'cleo@acme.example': 'owner', 'bob@acme.example': 'member' }),
        team('Interns', { 'dan@acme.example': 'member' }),
      ],
      content: [
        collection('Handbook', { onboarding: 'Onboarding', incidents: 'Incidents' }),
        collection('Engineering', { guides: 'Guides', api: 'API', help: 'Help' }),
      ],
      sites: [
        {
          id: 'site_docs',
          title: 'Docs',
          visibility: 'public',
          sections: [section('guides', 'Guides'), section('api', 'API'), section('help', 'Help')],
          shareLinks: [{ id: 'sl_partners', name: 'Partners', active: true }],
        },
      ],
    },
  ],
};

/** Files next to the manifests, which the first command of the demo exports. */
export const files: Readonly<Record<string, string>> = {
  'octavo.config.yaml': 'baseUrl: local:.octavo/acme.db # a service on this machine\n',
  '.gitignore': '.octavo/\nplan.json\ndemo.html\n',
};

export const manifest = 'acme.yaml';

export interface DemoCommit {
  readonly commit: string;
  readonly edits?: readonly (readonly [from: string, to: string])[];
}

interface DemoStep {
  readonly title: string;
  readonly text: string;
  /** Commands of `octavo` and git as they are shown; `$RUN` is the run that applied the pull request. */
  readonly steps: readonly (string | DemoCommit)[];
  readonly exitCode?: number;
}

const incidents = `      incidents:
        title: Incidents
        emoji: "📄"
        editMode: live
        defaultLevel: inherit
`;

const tidyUp: DemoCommit = {
  commit: 'Tidy up',
  edits: [
    [incidents, ''],
    [
      '      guides:\n        title: Guides\n        emoji',
      `${incidents}      guides:\n        title: Guides\n        emoji`,
    ],
    ['        title: Help\n        path: help\n', '        title: Support\n        path: support\n'],
    ['  interns:\n    title: Interns\n    members:\n      dan@acme.example: member\n', ''],
    ['  writers:\n    title: Writers\n', '  docs-team:\n    title: Docs team\n'],
  ],
};

const sameTeam: DemoCommit = {
  commit: 'The docs team is the former writers',
  edits: [['    title: Docs team\n', '    title: Docs team\n    was: Writers\n']],
};

/** Shell redirection that hides the output. */
export const silent = ' > /dev/null';

const site = 'organizationId=org_acme siteId=site_docs';

export const scenes: readonly DemoStep[] = [
  {
    title: 'The workspace comes into git',
    text: 'Acme exports its workspace as manifests. The first apply finds that the live workspace matches them, and records the commit.',
    steps: [
      `octavo export --out ${manifest}`,
      { commit: 'Acme in git' },
      'octavo apply --record --auto-approve',
    ],
  },
  {
    title: 'Cleo opens a pull request',
    text: 'She renames a section, moves a space to another collection, renames her team, and drops the team of the interns.',
    steps: ['git switch --quiet --create tidy-up', tidyUp, 'git diff --unified=0 main'],
  },
  {
    title: 'Ada reviews the plan',
    text: 'The base separates the changes of this branch from drift. One change is refused: was the team renamed, or is it another one?',
    steps: ['octavo plan --base main'],
    exitCode: 3,
  },
  {
    title: 'Cleo answers: it is the same team',
    text: 'One more line in the manifest. The team keeps its members and what it may edit; the plan is saved as it will be applied, and as a page for the browser.',
    steps: [
      sameTeam,
      'git diff --unified=1 HEAD~1',
      'octavo plan --base main --out plan.json --format html=demo.html',
    ],
  },
  {
    title: 'Approved, merged, applied',
    text: 'Apply takes the plan that was approved. If the workspace had changed in between, it would stop before its first request.',
    steps: [
      'git switch --quiet main',
      'git merge --quiet --ff-only tidy-up',
      'octavo apply plan.json --record',
    ],
  },
  {
    title: 'A week later, someone is busy in the app',
    text: 'These two calls stand for clicks: Bob renames a section, and deletes the share link that the partners use.',
    steps: [
      `octavo api sections.update ${site} siteSectionId=sect_api -F title=Endpoints${silent}`,
      `octavo api shareLinks.delete ${site} shareLinkId=sl_partners`,
    ],
  },
  {
    title: 'The next plan finds the drift, and apply reverts it',
    text: 'The manifests did not change since the record, so every difference was made outside git.',
    steps: ['octavo plan', 'octavo apply --auto-approve'],
  },
  {
    title: 'Undone',
    text: 'The interns come back after all. Undo plans from the journal of a run and from the live state of today.',
    steps: ['octavo history', 'octavo undo $RUN --auto-approve'],
  },
  {
    title: 'Git follows',
    text: 'Once both commits are reverted in git as well, the manifests, the workspace and the record agree again.',
    steps: ['git revert --no-edit main main~1', 'octavo plan'],
  },
];
