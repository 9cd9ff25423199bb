/**
 * Every replacement, cut off at every request in every way, and continued in every way: the same command, another machine, a revert, a
 * corrected commit, an undo. Prints how often each ended as the undisturbed run, and how often the plan names what is left.
 */
import { afterAll, expect, test } from 'vitest';
import type { Form } from '../../src/contract/form.ts';
import { commitSeed } from '../support/commits.ts';
import { type Cut, Workspace } from '../support/cut-runs.ts';
import { counts, story, ways } from '../support/cut-stories.ts';
import { treeOf } from '../support/harness.ts';
import { patience } from '../support/runs.ts';

const head = {
  settings: { protect: ['!**'], limits: { deletes: null, deletePercent: null } },
  spaces: { g1: { id: 'sp_g1' }, g2: { id: 'sp_g2' }, g3: { id: 'sp_g3' } },
};

const shop = (more: object) => ({
  sites: { shop: { title: 'Shop', type: 'basic', visibility: 'unlisted', ...more } },
});
const sections = {
  one: {
    title: 'One',
    path: 'one',
    spaces: { main: { space: 'g1', path: 'start' }, more: { space: 'g2', path: 'more' } },
  },
  group: {
    title: 'Group',
    sections: { two: { title: 'Two', path: 'two', spaces: { main: { space: 'g3' } } } },
  },
};
const shareLinks = { press: { name: 'Press' } };
const condition = 'visitor.claims.beta';

type Documents = readonly [before: object, after: object];

const stories: Readonly<Record<string, readonly [Form, ...Documents]>> = {
  'a site-space with a condition': [
    'document',
    shop({
      spaces: { main: { space: 'g1', path: 'start' }, other: { space: 'g2', path: 'p25', condition } },
    }),
    shop({
      spaces: { main: { space: 'g1', path: 'start' }, other: { space: 'g3', path: 'p25', condition } },
    }),
  ],
  'a site-space whose path and condition no manifest declares': [
    'document',
    shop({ spaces: { main: { space: 'g1' }, other: { space: 'g2', path: 'p25', condition } } }),
    shop({ spaces: { main: { space: 'g1' }, other: { space: 'g3' } } }),
  ],
  'the default site-space of a section': [
    'document',
    shop({ sections }),
    shop({
      sections: { ...sections, one: { ...sections.one, spaces: { main: { space: 'g3', path: 'start' } } } },
    }),
  ],
  'a site with sections and links': [
    'document',
    shop({ sections, shareLinks, basename: 'shop' }),
    shop({ sections, shareLinks, basename: 'shop', type: 'premium' }),
  ],
  'a custom field of another type': [
    'document',
    { customFields: { prio: { type: 'text', title: 'Priority' } } },
    { customFields: { prio: { type: 'number', title: 'Priority' } } },
  ],
  'a custom field of another name': [
    'document',
    {
      customFields: { prio: { type: 'text', title: 'Priority' } },
      spaces: { ...head.spaces, g1: { id: 'sp_g1', customFields: { prio: 'a' } } },
    },
    {
      customFields: { level: { was: 'prio', type: 'text', title: 'Priority' } },
      spaces: { ...head.spaces, g1: { id: 'sp_g1', customFields: { level: 'a' } } },
    },
  ],
  'an OpenAPI specification of another slug': [
    'document',
    { openapi: { petstore: { source: { url: 'https://acme.dev/a.json' } } } },
    { openapi: { shop: { was: 'petstore', source: { url: 'https://acme.dev/a.json' } } } },
  ],
  'a redirect of another path': [
    '2026',
    shop({
      spaces: { main: { space: 'g1', path: 'start' } },
      redirects: { '/old': { to: 'https://acme.dev/' } },
    }),
    shop({
      spaces: { main: { space: 'g1', path: 'start' } },
      redirects: { '/older': { was: '/old', to: 'https://acme.dev/' } },
    }),
  ],
  'a new site': ['document', {}, shop({ sections, shareLinks, default: 'one' })],
  'a site of the newer form': [
    '2026',
    shop({ sections, shareLinks, redirects: { '/old': { to: 'one' } } }),
    shop({ sections, shareLinks, redirects: { '/old': { to: 'one' } }, type: 'premium' }),
  ],
};

async function writesOf(form: Form, before: object, after: object): Promise<number> {
  const workspace = new Workspace(commitSeed, form);
  try {
    for (const document of [before, after]) await workspace.apply(await treeOf(document));
    return workspace.writes;
  } finally {
    await workspace.close();
  }
}

const rows: string[] = [];
afterAll(() => {
  process.stdout.write(`${rows.join('\n')}\n`);
});

test.each(Object.entries(stories))(
  '%s',
  { timeout: patience(300_000) },
  async (name, [form, before, after]) => {
    const [older, newer] = [before, after].map((part) => ({ ...head, ...part }));
    if (older === undefined || newer === undefined) throw new Error('two documents');
    const corrected = { ...newer, organization: { id: 'org_acme', title: 'Acme, corrected' } };
    const writes = await writesOf(form, older, newer);
    expect(writes).toBeGreaterThan(0);
    for (const key of Object.keys(counts)) delete counts[key];
    const wrong: string[] = [];
    for (let at = 0; at < writes; at += 1)
      // A run whose response is lost goes on by itself.
      for (const how of ['before', 'after', 'lost', 'refused'] as const satisfies readonly Cut['how'][])
        for (const way of how === 'lost' ? (['again'] as const) : ways) {
          const found = await story(form, { world: older, older, newer, corrected }, { at, how }, way);
          wrong.push(...found.map((text) => `${how} ${at}, ${way}: ${text}`));
        }
    rows.push(`${name}: ${writes} requests, ${JSON.stringify(counts)}`);
    expect(wrong).toEqual([]);
  },
);
