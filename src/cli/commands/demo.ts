/** `octavo demo`: the whole story on a made-up organization, inside this process: plan, apply, drift, repair. */
import { relative } from 'node:path';
import { isComplete } from '../../apply/events.ts';
import type { Client } from '../../client/client.ts';
import { isEmptyPlan } from '../../plan/plan.ts';
import { renderApplyResult } from '../../report/apply-text.ts';
import { renderPlan } from '../../report/plan-text.ts';
import { makeStyle } from '../../report/style.ts';
import type { PlanRun } from '../../run/planning.ts';
import { openSession, type Session } from '../../run/session.ts';
import { userError } from '../../util/user-error.ts';
import { makeClient, readSeedFile, startEmbedded } from '../connection.ts';
import type { Invocation } from '../invocation.ts';
import type { Output } from '../output.ts';
import { shippedPath } from '../package-root.ts';
import { readSettings } from '../settings.ts';

/** Exit code 0 when every plan was as the story expects. */
export async function run(invocation: Invocation): Promise<number> {
  const { cwd, output, interrupt, world } = invocation;
  const folder = shippedPath('examples/acme');
  if (folder === undefined) throw userError('demo', 'the example of the demo is not installed');
  // The demo depends on nothing around it: neither the configuration nor the environment.
  const settings = readSettings({ flags: {}, env: {}, cwd: folder });
  const service = await startEmbedded({ data: ':memory:', seed: await readSeedFile(folder, 'seed.json') });
  const client = makeClient(invocation, settings, { baseUrl: service.url, token: service.token });
  try {
    const open = (base?: string) =>
      openSession({
        cwd: folder,
        env: {},
        base,
        service: client,
        sleep: (milliseconds) => world.clock.sleep(milliseconds),
      });
    const shownFolder = relative(cwd, folder) || '.';
    const story = new Story(output, { client, open, session: await open(), folder: shownFolder });
    const isAsExpected = await story.run(() => interrupt.requested);
    return interrupt.requested ? interrupt.exitCode : isAsExpected ? 0 : 1;
  } finally {
    await client.close();
    await service.close();
  }
}

/** What the story works with. */
interface Scene {
  readonly client: Client;
  readonly session: Session;
  /** Opens a session against a base: the folder as it is, in place of what `--record` keeps in git. */
  readonly open: (base: string) => Promise<Session>;
  readonly folder: string;
}

class Story {
  readonly #output: Output;
  readonly #scene: Scene;
  #session: Session;
  #chapter = 0;
  /** Flags that name the base, once there is one. */
  #base = '';

  constructor(output: Output, scene: Scene) {
    this.#output = output;
    this.#scene = scene;
    this.#session = scene.session;
  }

  /** True when each plan was as expected. */
  async run(isInterrupted: () => boolean): Promise<boolean> {
    this.#write('Octavo keeps documentation workspaces in git. This is Acme, a made-up');
    this.#write('organization, on a service that runs inside this command.');

    this.#begin('Acme’s workspace has grown by hand. The manifests declare what it should be');
    const first = await this.#plan({ brief: true });
    if (isInterrupted() || isEmptyPlan(first.plan)) return false;

    this.#begin('The plan was reviewed. Apply sends exactly these requests, in order');
    if (!(await this.#apply(first)) || isInterrupted()) return false;

    this.#begin('Is that all? Plan again');
    if (!isEmptyPlan((await this.#plan({ brief: false })).plan) || isInterrupted()) return false;

    this.#begin('A week later, people have been busy in the app');
    for (const change of await simulateDrift(this.#scene.client)) this.#write(`  • ${change}`);
    if (isInterrupted()) return false;

    this.#begin('The next plan finds this drift, and nothing else: the manifests have not changed');
    const drift = await this.#plan({ brief: false });
    if (isInterrupted() || isEmptyPlan(drift.plan)) return false;

    this.#begin('Apply reverts it');
    if (!(await this.#apply(drift)) || isInterrupted()) return false;
    this.#write('');
    if (!isEmptyPlan((await this.#plan({ brief: false })).plan)) return false;

    this.#write('\nThat is all: change the files, read the plan, apply it.');
    this.#write(`Look at ${this.#scene.folder}, then write your own: README.md, "A first manifest".`);
    return true;
  }

  #begin(title: string): void {
    this.#chapter += 1;
    const { strong } = makeStyle(this.#output);
    this.#write(`\n${strong(`${this.#chapter}. ${title}.`)}\n`);
  }

  async #plan(options: { readonly brief: boolean }): Promise<PlanRun> {
    this.#command('plan', this.#base);
    const planned = await this.#session.plan();
    const { color, width } = this.#output;
    this.#output.result(renderPlan(planned.plan, { color, width, ...options }));
    return planned;
  }

  async #apply(planned: PlanRun): Promise<boolean> {
    this.#command('apply', `${this.#base} --record`);
    const result = await this.#session.apply(planned);
    this.#output.result(renderApplyResult(result, this.#output));
    if (!isComplete(result)) return false;
    this.#session = await this.#scene.open('.');
    this.#base = ' --base applied';
    return true;
  }

  #command(name: string, flags: string): void {
    const line = `$ octavo ${name} -f ${this.#scene.folder}${flags}\n`;
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
