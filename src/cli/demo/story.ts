/** The story of the demo: a pull request from its first plan to its undo. What a scene expects is checked as it goes. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { firstColumns, wrap } from '../../report/safe-text.ts';
import { makeStyle } from '../../report/style.ts';
import type { Output } from '../output.ts';
import { sameTeam, tidyUp } from './files.ts';
import type { DemoResult, DemoStage } from './stage.ts';

/** What the scenes run in and write to. */
export interface Telling {
  readonly output: Output;
  readonly stage: DemoStage;
  /** Waits between scenes. */
  readonly pause: () => Promise<void>;
  readonly isInterrupted: () => boolean;
}

/** What a command prints, or the code that it ends with. */
type Expected = string | number;

/** True when everything came as told. Ends early where the demo is interrupted. */
export async function tellStory(telling: Telling): Promise<boolean> {
  const { output } = telling;
  const story = new Teller(telling);
  for (const [at, { title, text, play }] of scenes.entries()) {
    if (at > 0) await telling.pause();
    if (telling.isInterrupted()) return false;
    const lines = wrap(text, Math.min(output.width, 100)).join('\n');
    story.say(`${makeStyle(output).strong(`${at + 1}. ${title}`)}\n${lines}\n\n`);
    if (!(await play(story))) return false;
  }
  return true;
}

class Teller {
  readonly stage: DemoStage;
  /** The run that applied the pull request. */
  merged = '';
  readonly #telling: Telling;

  constructor(telling: Telling) {
    this.#telling = telling;
    this.stage = telling.stage;
  }

  /** Writes text of the story. */
  say(text: string): void {
    this.#telling.output.result(text);
  }

  /** Runs a command; undefined where it did not do what the story says. */
  async run(line: string, ...expected: readonly Expected[]): Promise<DemoResult | undefined> {
    const { isInterrupted, output } = this.#telling;
    if (isInterrupted()) return undefined;
    const result = await this.stage.run(line);
    const missing = expected.find((one) =>
      typeof one === 'number' ? one !== result.code : !result.text.includes(one),
    );
    if (missing === undefined) return result;
    if (!isInterrupted()) {
      const what = typeof missing === 'number' ? `exit code ${missing}` : `"${missing}"`;
      output.error(`The demo did not go as told: no ${what} from ${firstColumns(line, 60)}`);
    }
    return undefined;
  }
}

interface DemoScene {
  readonly title: string;
  /** What the reader should know. */
  readonly text: string;
  /** False where something did not come as told. */
  readonly play: (story: Teller) => Promise<boolean>;
}

const scenes: readonly DemoScene[] = [
  {
    title: 'The workspace is in git',
    text: 'Acme declares its workspace in two files. The first apply finds that all of it is so, and records the commit.',
    play: async (story) =>
      (await story.run('octavo apply --record --auto-approve', 0, 'No changes')) !== undefined,
  },
  {
    title: 'Cleo opens a pull request',
    text: 'She renames a section, moves a space to another collection, renames her team, and drops the team of the interns.',
    play: async (story) => {
      await story.stage.git('switch', '--quiet', '--create', 'tidy-up');
      await story.stage.commit('Tidy up', tidyUp);
      return (await story.run('git diff --unified=0 main', 'docs-team')) !== undefined;
    },
  },
  {
    title: 'Ada reviews the plan',
    text: 'The base tells what this branch does from what drifted. One change is refused: was the team renamed, or is it another one?',
    play: async (story) => (await story.run('octavo plan --base main', 3, 'looks like')) !== undefined,
  },
  {
    title: 'Cleo answers: it is the same team',
    text: 'One line more in the manifest. The team keeps its members and what it may edit; the plan is saved as it will be applied, and as a page for the browser.',
    play: async (story) => {
      await story.stage.commit('The docs team is the former writers', sameTeam);
      if ((await story.run('git diff --unified=1 HEAD~1', 'was: Writers')) === undefined) return false;
      const plan = 'octavo plan --base main --out plan.json --format html=demo.html';
      if ((await story.run(plan, 0, 'Digest')) === undefined) return false;
      const page = pathToFileURL(path.join(story.stage.folder, 'demo.html'));
      story.say(`The plan as a page, with the site before and after: ${page}\n\n`);
      return true;
    },
  },
  {
    title: 'Approved, merged, applied',
    text: 'Apply takes the plan that was approved. If the workspace had changed in between, it would stop before its first request.',
    play: async (story) => {
      if ((await story.run('git switch --quiet main')) === undefined) return false;
      if ((await story.run('git merge --quiet --ff-only tidy-up')) === undefined) return false;
      const applied = await story.run(
        'octavo apply plan.json --record --format compact',
        0,
        'Undo: octavo undo',
      );
      story.merged = /octavo undo (r-\S+)/.exec(applied?.text ?? '')?.[1] ?? '';
      return applied !== undefined;
    },
  },
  {
    title: 'A week later, somebody is busy in the app',
    text: 'These two calls stand for clicks: Bob renames a section, and deletes the share link that the partners use.',
    play: async (story) => {
      const site = 'organizationId=org_acme siteId=site_docs';
      const rename = `octavo api sections.update ${site} siteSectionId=sect_api -F title=Endpoints --select title`;
      if ((await story.run(rename, 0, 'Endpoints')) === undefined) return false;
      return (
        (await story.run(`octavo api shareLinks.delete ${site} shareLinkId=sl_partners`, 0)) !== undefined
      );
    },
  },
  {
    title: 'The next plan finds the drift, and apply reverts it',
    text: 'The manifests did not change since the record, so everything that differs was changed outside git.',
    play: async (story) => {
      if ((await story.run('octavo plan', 0, 'Drift')) === undefined) return false;
      const revert = 'octavo apply --auto-approve --format compact';
      return (await story.run(revert, 0, 'Applied: ')) !== undefined;
    },
  },
  {
    title: 'Taken back',
    text: 'The interns come back after all. Undo plans the way back from the journal of a run and from what is live today.',
    play: async (story) => {
      if ((await story.run('octavo history', 0, story.merged)) === undefined) return false;
      return (await story.run(`octavo undo ${story.merged} --auto-approve`, 0, 'Applied: ')) !== undefined;
    },
  },
  {
    title: 'Git follows',
    text: 'Once both commits are reverted in git as well, the manifests, the workspace and the record agree again.',
    play: async (story) => {
      if ((await story.run('git revert --no-edit main main~1')) === undefined) return false;
      return (await story.run('octavo plan', 0, 'No changes')) !== undefined;
    },
  },
];
