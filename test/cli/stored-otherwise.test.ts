/** A manifest with unusual values in each text field, for services that normalize them: each value is sent, and only once. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Variants } from '../../src/server/variants.ts';
import { certificate } from '../support/certificate.ts';
import { seed } from '../support/harness.ts';
import { folder, octavo } from './octavo.ts';
import { served } from './served.ts';

const title = (name: string) => JSON.stringify(`  ${name}   Cafe\u0301 & <Co>  é\n`);

const manifest = `octavo: 1
organization: { id: org_acme, emailDomains: [Zeta.test, acme.dev] }
settings: { limits: { changes: null } }
teams:
  platform: { was: [], title: "Platform  Team", members: { bob@acme.dev: owner, Cyd@Acme.dev: member } }
customFields:
  owner: { type: text, title: ${title('Owner')}, description: "two  spaces" }
  stage: { type: "select:single", title: Stage, options: { add: ["Beta  two", stable] } }
samlProviders:
  okta:
    label: "Okta  SSO"
    entityID: "https://IDP.Example.test"
    ssoURL: https://IDP.Example.test
    certificate: \${file:okta.pem}
    defaultTeam: platform
collections:
  products:
    was: []
    title: "Our  Products"
    description: "a  b"
    spaces:
      guide: { id: sp_guide, title: "Guides  v2", customFields: { owner: "new  owner" } }
openapi:
  pets: { source: { url: "http://127.0.0.1:1" } }
sites:
  hub:
    was: []
    title: "The  Hub"
    basename: Docs
    sections:
      start:
        title: "Start  here"
        path: Start
        description: "all  of it"
        spaces: { main: { space: guide, path: Main } }
    shareLinks: { vip: { name: "VIP  guests", active: false } }
`;

interface Listed {
  readonly items: readonly {
    readonly id: string;
    readonly active?: boolean;
    readonly team?: { readonly role: string };
  }[];
}

async function place(variants: Partial<Variants>) {
  const lines: string[] = [];
  const { env, send } = await served({ seed, variants, log: (line) => lines.push(line) });
  const cwd = folder({ 'acme.yaml': manifest, 'okta.pem': certificate, '.gitignore': '.octavo\n' });
  const get = (path: string): Promise<Listed> => send('GET', path);
  const patch = (path: string, body: object) => send('PATCH', path, body);
  const writes = () => lines.splice(0).filter((line) => !line.startsWith('GET'));
  const read = () => readFileSync(join(cwd, 'acme.yaml'), 'utf8');
  const write = (text: string) => writeFileSync(join(cwd, 'acme.yaml'), text);
  return { read, write, patch, run: (...args: string[]) => octavo(args, { cwd, env }), get, writes };
}

/** Fields that Octavo reports as stored in another form. Spellings of the same value do not count. */
const stored: readonly (readonly [Partial<Variants>, readonly string[]])[] = [
  [{ text: 'trimmed' }, []],
  [{ text: 'nfc' }, []],
  [{ urls: 'normalized' }, []],
  [{ certificates: 'rewrapped' }, []],
  [{ certificates: 'bare' }, []],
  [
    { text: 'collapsed' },
    [
      'collections/products description',
      'collections/products title',
      'collections/products/spaces/guide customFields',
      'collections/products/spaces/guide title',
      'customFields/owner description',
      'customFields/owner title',
      'customFields/stage options',
      'samlProviders/okta label',
      'sites/hub title',
      'sites/hub/sections/start description',
      'sites/hub/sections/start title',
      'sites/hub/shareLinks/vip name',
      'teams/platform title',
    ],
  ],
  [
    { paths: 'lower' },
    ['sites/hub basename', 'sites/hub/sections/start path', 'sites/hub/sections/start/spaces/main path'],
  ],
];

test.each(stored)('sends each value once with %j', async (variants, expected) => {
  const { read, write, patch, run, get, writes } = await place(variants);
  const first = await run('apply', '--auto-approve', '--format', 'json');
  expect(first, first.stderr).toMatchObject({ code: 0 });
  const [own] = JSON.parse(first.stdout).run.organizations;
  const found = (own.stored ?? []) as readonly { readonly address: string; readonly field: string }[];
  expect(found.map(({ address, field }) => `${address} ${field}`).sort()).toEqual(expected);
  // Normalized values do not prevent other changes.
  const org = 'orgs/org_acme';
  const [site] = (await get(`${org}/sites`)).items;
  const [link] = (await get(`${org}/sites/${site?.id}/share-links`)).items;
  expect(link?.active).toBe(false);
  const [team] = (await get(`${org}/teams`)).items;
  const members = (await get(`${org}/teams/${team?.id}/members`)).items;
  expect(members.map(({ team: own }) => own?.role).sort()).toEqual(['member', 'owner']);
  writes();
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  expect(writes()).toEqual([]);
  const again = await run('plan', '--detailed-exitcode');
  expect(again).toMatchObject({ code: 0 });
  // Parts of a value are not counted.
  const values = `: ${expected.length} values that the service stores in its own form`;
  expect(again.stdout.includes(values), again.stdout).toBe(expected.length > 0);
  // A saved plan of one object keeps what is known about the rest.
  for (const text of expected.length === 0
    ? []
    : [manifest.replace('active: false', 'active: true'), manifest]) {
    write(text);
    expect(await run('plan', '--out', 'plan.json')).toMatchObject({ code: 0 });
    expect(await run('apply', 'plan.json')).toMatchObject({ code: 0 });
    expect(writes()).toHaveLength(1);
    expect(await run('plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
  }
  // What others add to a list is no reason to write forms of the service into the manifests.
  const { items } = (await get(`${org}/custom-fields`)) as unknown as {
    items: { name: string; options: string[] }[];
  };
  const options = [...(items.find(({ name }) => name === 'stage')?.options ?? []), 'of others'];
  await patch(`${org}/custom-fields/stage`, { options });
  expect(await run('drift')).toMatchObject({ code: 0 });
  expect(await run('drift', '--accept')).toMatchObject({ code: 0 });
  expect(read()).toBe(manifest);
  await patch(`${org}/custom-fields/stage`, { options: options.filter((one) => one !== 'stable') });
  expect(await run('drift', '--accept')).toMatchObject({ code: 0 });
  expect(read()).toBe(manifest.replace('["Beta  two", stable]', '["Beta  two"]'));
});
