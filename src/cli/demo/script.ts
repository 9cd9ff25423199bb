import { type DemoEdit, sameTeam, tidyUp } from './files.ts';

export interface DemoCommit {
  readonly commit: string;
  readonly edits: readonly DemoEdit[];
}

export interface DemoScene {
  readonly title: string;
  readonly text: string;
  /** Commands of `octavo` and git as they are shown; `$RUN` is the run that applied the pull request. */
  readonly steps: readonly (string | DemoCommit)[];
  readonly exitCode?: number;
  /** Shown at the end; `$FOLDER` is the URL of the folder. */
  readonly note?: string;
}

const site = 'organizationId=org_acme siteId=site_docs';

export const scenes: readonly DemoScene[] = [
  {
    title: 'The workspace is in git',
    text: 'Acme declares its workspace in two files. The first apply finds that the live workspace matches them, and records the commit.',
    steps: ['octavo apply --record --auto-approve'],
  },
  {
    title: 'Cleo opens a pull request',
    text: 'She renames a section, moves a space to another collection, renames her team, and drops the team of the interns.',
    steps: [
      'git switch --quiet --create tidy-up',
      { commit: 'Tidy up', edits: tidyUp },
      'git diff --unified=0 main',
    ],
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
      { commit: 'The docs team is the former writers', edits: sameTeam },
      'git diff --unified=1 HEAD~1',
      'octavo plan --base main --out plan.json --format html=demo.html',
    ],
    note: 'The plan as a page, with the site before and after: $FOLDER/demo.html',
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
    title: 'A week later, somebody is busy in the app',
    text: 'These two calls stand for clicks: Bob renames a section, and deletes the share link that the partners use.',
    steps: [
      `octavo api sections.update ${site} siteSectionId=sect_api -F title=Endpoints --select title`,
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
