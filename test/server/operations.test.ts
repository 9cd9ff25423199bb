/**
 * Every operation at least once over raw HTTP against the sample: success with status and body compared strictly with the
 * contract, an unknown field, unknown ids, no token, the token of another organization, an insufficient role.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OperationId, operationOf } from '../../src/contract/index.ts';
import { sampleSeed } from '../../src/server/index.ts';
import { documentedIds } from '../contract/documented.ts';
import { brokenInvariants } from '../support/invariants.ts';
import { startInMemory } from './call.ts';
import { undocumented } from './undocumented.ts';

const { service, call, failures } = await startInMemory(sampleSeed);
const elsewhere = createServer((_request, response) => response.end('# A page'));
await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
const pageUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/a.md`;
const covered = new Set<OperationId>();

afterAll(async () => {
  process.stdout.write(`${covered.size} of ${documentedIds.length} operations answered with success\n`);
  expect(covered.size).toBe(130);
  expect(failures).toEqual([]);
  elsewhere.close();
  await service.close();
});

const params: Record<string, string> = {
  organizationId: 'org_acme',
  collectionId: 'col_handbook',
  spaceId: 'sp_api_guide',
  siteId: 'site_hub',
  siteSectionId: 'sect_news',
  siteSectionGroupId: 'sgrp_more',
  siteSpaceId: 'sitesp_next',
  shareLinkId: 'share_partners',
  fileId: 'file_map',
  pageId: 'page_welcome',
  changeRequestId: 'cr_wording',
  commentId: 'com_first',
  commentReplyId: 'rep_first',
  inviteId: 'inv_sample',
  emailDomain: 'acme.example',
  userId: 'user_edda',
  teamId: 'team_platform',
  fieldName: 'stage',
  samlProviderId: 'saml_okta',
  specSlug: 'petstore',
  versionId: '',
  translationSettingsId: 'tr_french',
};

interface Case {
  readonly query?: string;
  readonly body?: unknown;
  readonly params?: Record<string, string>;
}

const cases: Partial<Record<OperationId, Case>> = {
  'collections.update': { body: { title: 'Book', description: 'Of hands', defaultLevel: null } },
  'collections.move': { body: { position: { after: { type: 'space', space: 'sp_api_guide' } } } },
  'collections.transfer': { body: { organization: 'org_globex' } },
  'collections.create': { body: { title: 'New', parent: 'col_handbook' } },
  'collections.list': { query: '?nested=false&limit=10' },
  'spaces.update': { body: { title: 'Guide', emoji: '🚀', editMode: 'locked', defaultLevel: 'read' } },
  'spaces.restore': { params: { spaceId: 'sp_old' } },
  'spaces.move': {
    body: { parent: 'col_handbook', position: { before: { type: 'space', space: 'sp_onboarding' } } },
  },
  'spaces.transfer': { body: { organization: 'org_globex' } },
  'spaces.links': { query: '?status=broken' },
  'spaces.updateCustomFields': {
    body: { values: { stage: { value: 'stable' }, reviewed: { value: false } } },
  },
  'spaceContent.search': { query: '?query=bearer' },
  'spaceContent.import': { body: { url: pageUrl, source: 'markdown' } },
  'spaceContent.get': { query: '?metadata=false&computed=false' },
  'spaceContent.getPage': { query: '?format=markdown' },
  'changeRequests.create': { body: { subject: 'More' } },
  'changeRequests.update': { body: { status: 'archived' } },
  'changeRequests.pdf': { query: '?only=true&page=page_welcome' },
  'changeRequestContent.import': { body: { url: pageUrl, source: 'markdown' } },
  'comments.list': { query: '?order=asc&status=open&authors=user_owner&authors=user_ada' },
  'comments.create': { body: { body: { markdown: 'Hm.' }, page: 'page_welcome', node: 'n1' } },
  'comments.update': { body: { resolved: true, addedReactions: ['👍'], body: { markdown: 'Better.' } } },
  'comments.createReply': { body: { body: { markdown: 'Yes.' } } },
  'orgs.update': {
    body: { title: 'Acme Inc', logo: 'https://acme.example/l.png', defaultContent: null, sso: true },
  },
  'linkInvites.update': { body: { role: 'edit' } },
  'orgs.search': { query: '?query=welcome' },
  'members.list': { query: '?role=admin&search=ADA&sort=lastSeenAt&order=asc' },
  'members.update': { body: { role: null } },
  'members.listTeams': { query: '?title=plat' },
  'teams.list': { query: '?owner=user_ada&title=PLAT' },
  'teams.create': { body: { title: 'New', members: ['user_ada'] } },
  'teams.update': { body: { title: 'Base' } },
  'teams.updateMembers': {
    body: {
      add: ['rex@acme.example', 'user_gus'],
      remove: ['user_gus'],
      memberships: { user_edda: { role: 'owner' } },
    },
  },
  'teams.setMember': { body: { role: 'owner' } },
  'sites.list': { query: '?space=sp_api_guide&published=true&title=HUB' },
  'sites.create': { body: { title: 'New', type: 'basic', visibility: 'unlisted', spaces: 'sample' } },
  'sites.update': { body: { title: 'Hub', basename: 'hub', proxy: null, defaultSiteSection: 'sect_news' } },
  'sites.putAdaptiveSchema': {
    body: { jsonSchema: { type: 'object', properties: {}, additionalProperties: false } },
  },
  'sections.create': { body: { spaceId: 'sp_secret', title: 'Hidden' } },
  'sections.update': {
    body: { title: 'Fresh', path: 'fresh', icon: null, condition: 'a', description: 'b' },
  },
  'sections.move': { body: { position: { before: { type: 'site-section', siteSection: 'sect_guides' } } } },
  'sectionGroups.create': { body: { title: 'Others', icon: 'gear', sections: ['sect_news'] } },
  'sectionGroups.update': { body: { title: 'Rest', icon: null } },
  'sectionGroups.addSection': { body: { sectionId: 'sect_news' } },
  'sectionGroups.removeSection': { params: { siteSectionId: 'sect_ops' } },
  'sectionGroups.move': { body: { position: { after: { type: 'site-section', id: 'sect_news' } } } },
  'siteSpaces.list': { query: '?default=true' },
  'siteSpaces.create': { body: { spaceId: 'sp_secret', sectionId: 'sect_news' } },
  'siteSpaces.update': { body: { path: 'soon', condition: null } },
  'siteSpaces.move': { body: { position: { before: { type: 'site-space', siteSpace: 'sitesp_guide' } } } },
  'shareLinks.create': { body: { name: 'New' } },
  'shareLinks.update': { body: { active: false, name: 'Old' } },
  'customFields.create': { body: { name: 'tags-of', type: 'tags', title: 'Tags', options: ['a', 'b'] } },
  'customFields.update': { body: { title: 'Stage of life', options: ['alpha'] } },
  'saml.create': {
    body: { label: 'New', ssoURL: 'https://idp.example/', defaultTeam: 'team_platform', defaultRole: null },
  },
  'saml.update': { body: { label: 'Renamed', defaultRole: 'admin' } },
  'openapi.create': { body: { slug: 'new', source: { text: '{"openapi":"3.1.0"}' } } },
  'openapi.put': { body: { source: { url: 'https://example.com/openapi.json' } } },
  'translations.create': { body: { title: 'German' } },
  'translations.put': { body: { title: 'Français' } },
};

function pathOf(id: OperationId, replaced: Record<string, string> = {}): string {
  const values: Record<string, string> = {
    ...params,
    versionId: latestVersion(),
    ...cases[id]?.params,
    ...replaced,
  };
  return operationOf(id).path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}

function latestVersion(): string {
  return service.store.find('spec', 'org_acme', 'petstore')?.lastVersion ?? '';
}

/** Operations that every member may use, and operations without an organization. */
const forAll = ['orgs.list', 'orgs.get', 'orgs.search', 'members.ping', 'sso.list', 'emailDomains.listOrgs'];
const ofNoOrg = ['orgs.list', 'emailDomains.listOrgs'];
/** Parameters that need not exist: a slug that PUT creates, an unused domain. */
const free: Record<string, string[]> = {
  'openapi.put': ['specSlug'],
  'emailDomains.listOrgs': ['emailDomain'],
};

function requestOf(id: OperationId) {
  const operation = operationOf(id);
  const { query = '', body } = cases[id] ?? {};
  const send = (path: string, token?: string | null) => call(operation.method, path + query, body, token);
  return { operation, query, body, send };
}

describe('each operation', () => {
  beforeEach(() => service.reset(sampleSeed));

  test.each(documentedIds)('succeeds: %s', async (id) => {
    const { operation, send } = requestOf(id);
    const got = await send(pathOf(id));
    expect(got.status, got.text).toBe(operation.success);
    if (operation.response === null) expect(got.text).toBe('');
    else {
      expect(operation.response.safeParse(got.body).error?.issues ?? []).toEqual([]);
      expect(undocumented(operation.response, got.body)).toEqual([]);
    }
    if (operation.success === 201) {
      const location = got.headers.get('location');
      expect(location === null).toBe(id.endsWith('.import'));
      const read = await call('GET', (location ?? '/healthz').replace(service.url, ''));
      expect([200, 405]).toContain(read.status);
    }
    expect(brokenInvariants(service)).toEqual([]);
    covered.add(id);
  });
});

describe('each operation', () => {
  // What is refused changes nothing.
  beforeAll(() => service.reset(sampleSeed));

  test.each(documentedIds)('refuses invalid and unauthorized requests: %s', async (id) => {
    const { operation, query, body, send } = requestOf(id);
    const checks: [number, () => ReturnType<typeof call>][] = [
      [401, () => send(pathOf(id), null)],
      [401, () => send(pathOf(id), 'wrong')],
      [400, () => call(operation.method, `${pathOf(id)}${query === '' ? '?' : `${query}&`}bogus=1`, body)],
    ];
    if (operation.method !== 'GET' && operation.method !== 'DELETE') {
      const bogus = { ...(body as object | undefined), bogus: 1 };
      checks.push([400, () => call(operation.method, pathOf(id) + query, bogus)]);
    }
    if (operation.paged) checks.push([400, () => call('GET', `${pathOf(id)}?limit=1001`)]);
    for (const name of operation.params.filter((one) => !(free[id] ?? []).includes(one))) {
      for (const unknown of ['nope', '../..', '%00']) {
        checks.push([404, () => send(pathOf(id, { [name]: unknown }))]);
      }
    }
    if (!ofNoOrg.includes(id)) checks.push([404, () => send(pathOf(id), 'token-hank')]);
    if (!forAll.includes(id)) {
      const reads = operation.method === 'GET';
      const ofContent = operation.params.includes('spaceId') || operation.params.includes('collectionId');
      const hidden = (reads && ofContent) || id === 'spaces.restore';
      checks.push([hidden ? 404 : 403, () => send(pathOf(id), reads ? 'token-gus' : 'token-rex')]);
    }
    for (const [status, ask] of checks) {
      const got = await ask();
      expect(got.status, `${ask} ${got.text}`).toBe(status);
      expect(got.body).toEqual({ error: { code: status, message: expect.any(String) } });
    }
  });

  afterAll(() => expect(brokenInvariants(service)).toEqual([]));
});
