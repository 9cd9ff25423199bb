/**
 * `octavo demo`: the whole story on a made-up organization, inside this process: plan, apply, drift, repair, and what is
 * refused. Each command that it names prints what the demo prints.
 */
import { relative } from 'node:path';
import { isComplete } from '../../apply/events.ts';
import type { Client } from '../../client/client.ts';
import { isEmptyPlan, standingRefusals } from '../../plan/plan.ts';
import { renderApplyResult } from '../../report/apply-text.ts';
import type { FormatOf } from '../../report/formats.ts';
import { makeStyle } from '../../report/style.ts';
import { marksOf } from '../../run/digest.ts';
import { openSession } from '../../run/open-session.ts';
import type { PlanRun } from '../../run/planning.ts';
import type { Session } from '../../run/session.ts';
import type { Prune } from '../../tree/settings.ts';
import { userError } from '../../util/user-error.ts';
import { readSeedFile, startEmbedded } from '../connection.ts';
import type { Invocation } from '../invocation.ts';
import type { Output } from '../output.ts';
import { shippedPath } from '../package-root.ts';
import { makeClient } from '../service-client.ts';
import { readSettings } from '../settings.ts';
import { planViews } from '../views.ts';

/** Exit code 0 when every plan was as the story expects. */
export async function run(invocation: Invocation): Promise<number> {
  const { cwd, output, interrupt, world } = invocation;
  const folder = shippedPath('examples/acme');
  if (folder === undefined) throw userError('demo', 'the example of the demo is not installed');
  // The demo depends on nothing around it: neither the configuration nor the environment.
  const settings = await readSettings({ flags: {}, env: {}, cwd: folder });
  const service = await startEmbedded({ data: ':memory:', seed: await readSeedFile(folder, 'seed.json') });
  const client = makeClient(invocation, settings, { baseUrl: service.url, token: service.token });
  try {
    const open = (choice: SceneChoice = {}) =>
      openSession({
        cwd: folder,
        env: {},
        ...choice,
        service: client,
        sleep: (milliseconds) => world.clock.sleep(milliseconds),
      });
    const shownFolder = relative(cwd, folder) || '.';
    const pause = () => (output.isTerminal ? world.clock.sleep(pauseMilliseconds) : Promise.resolve());
    const scene = { client, open, pause, session: await open(), folder: shownFolder, url: service.url };
    const story = new Story(output, scene);
    const isAsExpected = await story.run(() => interrupt.requested);
    return interrupt.requested ? interrupt.exitCode : isAsExpected ? 0 : 1;
  } finally {
    await client.close();
    await service.close();
  }
}

/** Time to read on, between scenes on a terminal. */
const pauseMilliseconds = 2000;

/** What a scene plans: against the folder as it is, or with another rule for deletes. */
interface SceneChoice {
  readonly base?: string;
  readonly prune?: Prune;
}

/** What the story works with. */
interface Scene {
  readonly client: Client;
  readonly session: Session;
  readonly open: (choice: SceneChoice) => Promise<Session>;
  readonly pause: () => Promise<void>;
  readonly folder: string;
  /** Where the service is. */
  readonly url: string;
}

class Story {
  readonly #output: Output;
  readonly #scene: Scene;
  #session: Session;
  #chapter = 0;
  /** Flags of the session. */
  #flags = '';

  constructor(output: Output, scene: Scene) {
    this.#output = output;
    this.#scene = scene;
    this.#session = scene.session;
  }

  /** True when each plan was as expected. */
  async run(isInterrupted: () => boolean): Promise<boolean> {
    this.#write('Octavo keeps documentation workspaces in git. This is Acme, a made-up');
    this.#write('organization, on a service that runs inside this command.');

    await this.#begin('Acme’s workspace has grown by hand. The manifests declare what it should be');
    const first = await this.#plan('compact');
    if (isInterrupted() || isEmptyPlan(first.plan)) return false;

    await this.#begin('The plan was reviewed. Apply sends exactly these requests, in order');
    if (!(await this.#apply(first)) || isInterrupted()) return false;

    await this.#begin('Is that all? Plan again');
    if (!isEmptyPlan((await this.#plan('text')).plan) || isInterrupted()) return false;

    await this.#begin('A week later, people have been busy in the app');
    for (const change of await simulateDrift(this.#scene.client)) this.#write(`  • ${change}`);
    if (isInterrupted()) return false;

    await this.#begin('The next plan finds this drift, and nothing else: the manifests have not changed');
    const drift = await this.#plan('text');
    if (isInterrupted() || isEmptyPlan(drift.plan)) return false;

    await this.#begin('Apply reverts it');
    if (!(await this.#apply(drift)) || isInterrupted()) return false;
    this.#write('');
    if (!isEmptyPlan((await this.#plan('text')).plan)) return false;

    await this.#begin('Somebody proposes to delete what the files do not list. What is protected is refused');
    await this.#use({ prune: 'unlisted' }, ' --prune unlisted');
    const { plan } = await this.#plan('text');
    if (isInterrupted() || standingRefusals(plan).length === 0) return false;

    this.#write('\nThat is all: change the files, read the plan, apply it.');
    this.#write(`Look at ${this.#scene.folder}, then write your own: README.md, "A first manifest".`);
    return true;
  }

  async #begin(title: string): Promise<void> {
    if (this.#chapter > 0) await this.#scene.pause();
    this.#chapter += 1;
    const { strong } = makeStyle(this.#output);
    this.#write(`\n${strong(`${this.#chapter}. ${title}.`)}\n`);
  }

  async #plan(format: FormatOf<'plan'>): Promise<PlanRun> {
    this.#command('plan', format === 'text' ? '' : ` --format ${format}`);
    const planned = await this.#session.plan();
    const { plan } = planned;
    const { color, width } = this.#output;
    const view = await planViews[format]();
    this.#output.result(view({ plan, marks: marksOf(plan) }, { color, width }));
    return planned;
  }

  async #use(choice: SceneChoice, flags: string): Promise<void> {
    this.#session = await this.#scene.open(choice);
    this.#flags = flags;
  }

  async #apply(planned: PlanRun): Promise<boolean> {
    this.#command('apply', ' --auto-approve | tail -n 1');
    const result = await this.#session.apply(planned);
    this.#output.result(renderApplyResult(result, this.#output));
    if (!isComplete(result)) return false;
    await this.#use({ base: '.' }, ' --base .');
    return true;
  }

  #command(name: string, flags: string): void {
    const { folder, url } = this.#scene;
    const line = `$ octavo ${name} -f ${folder} --base-url ${url}${this.#flags}${flags}\n`;
    this.#write(makeStyle(this.#output).faint(line));
  }

  #write(line: string): void {
    this.#output.result(`${line}\n`);
  }
}

/** Changes things as people do in the app, and describes each change. */
async function simulateDrift(client: Client): Promise<readonly string[]> {
  const organizationId = 'org_acme';
  const named = async (
    list: 'sites.list' | 'sections.list' | 'shareLinks.list',
    params: Record<string, string>,
  ) => {
    const items = (await client.all(list, { params })) as readonly {
      id: string;
      title?: string;
      name?: string;
    }[];
    return (name: string) => items.find((item) => item.title === name || item.name === name)?.id ?? '';
  };
  const site = (await named('sites.list', { organizationId }))('Developer Hub');
  const params = { organizationId, siteId: site };
  const section = await named('sections.list', params);
  const [guides, help, reference] = [section('Guides'), section('Help'), section('API')];
  await client.send('sections.update', {
    params: { ...params, siteSectionId: reference },
    body: { title: 'Endpoints' },
  });
  await client.send('sections.move', {
    params: { ...params, siteSectionId: help },
    body: { position: { before: { type: 'site-section', siteSection: guides } } },
  });
  await client.send('members.update', {
    params: { organizationId, userId: 'user_bob' },
    body: { role: 'admin' },
  });
  const link = (await named('shareLinks.list', params))('Partners');
  await client.send('shareLinks.delete', { params: { ...params, shareLinkId: link } });
  return [
    'Cleo renames the section “API” to “Endpoints”,',
    'and drags “Help” above “Guides”.',
    'Somebody makes Bob an administrator again, just for a moment.',
    'Dan deletes the share link that the partners use.',
  ];
}
