/** Whatever widens access is marked, for all kinds; what narrows it is not, but where it locks people out. */
import { describe, expect, test } from 'vitest';
import { roles } from '../../src/contract/index.ts';
import type { RiskSituation } from '../../src/kinds/field.ts';
import { kinds } from '../../src/kinds/index.ts';
import type { Value } from '../../src/kinds/payload.ts';

const kept: RiskSituation = {
  isNew: false,
  inherited: { before: undefined, after: undefined },
  container: 'collections/handbook',
  isSetBelow: () => true,
};

function riskOf(
  name: string,
  [before, after]: readonly [Value | undefined, Value],
  situation: Partial<RiskSituation> = {},
): string | undefined {
  const [kind = '', field = ''] = name.split('.');
  const found = kinds.find((one) => one.name === kind)?.fields[field];
  if (found === undefined) throw new Error(`there is no field ${name}`);
  const risk = found.risk?.(before, after, { ...kept, ...situation });
  return typeof risk === 'string' ? risk : risk?.text;
}

/** From the widest to the narrowest. */
const orders: Readonly<Record<string, readonly Value[]>> = {
  'organization.defaultRole': [...roles, null],
  'samlProvider.defaultRole': [...roles, null],
  'member.role': [...roles, null],
  'linkInvite.role': [...roles],
  'collection.defaultLevel': [...roles, null],
  'space.defaultLevel': [...roles, null],
  'organization.inviteLinks': [true, false],
  'organization.emailDomains': [['acme.dev', 'gmail.com'], ['acme.dev'], []],
  'site.visibility': ['public', 'unlisted', 'share-link', 'visitor-auth'],
  'site.adaptiveContent': [{ enabled: false }, { enabled: true }],
  'section.condition': [null, 'visitor.claims.beta'],
  'siteSpace.condition': [null, 'visitor.claims.beta'],
  'shareLink.active': [true, false],
  'member.sso': [false, true],
};

/** What locks people out has a mark of its own. */
const lockouts: readonly string[] = [
  ...[...roles.slice(1), null].map((role) => `member.role admin → ${String(role)}`),
  'organization.sso false → true',
  'space.editMode live → locked',
];

const steps = Object.entries(orders).flatMap(([name, values]) =>
  values.flatMap((wide, at) => values.slice(at + 1).map((narrow) => ({ name, wide, narrow }))),
);

const spelled = (value: Value) => (typeof value === 'string' ? value : JSON.stringify(value));

test.each(steps)('$name: $narrow → $wide is marked', ({ name, narrow, wide }) => {
  expect(riskOf(name, [narrow, wide])).toEqual(expect.any(String));
});

test.each(steps)('$name: $wide → $narrow is not', ({ name, narrow, wide }) => {
  const isLockout = lockouts.includes(`${name} ${spelled(wide)} → ${spelled(narrow)}`);
  expect(riskOf(name, [wide, narrow]) !== undefined).toBe(isLockout);
});

test.each([
  ['organization.defaultRole', 'admin', 'everyone who joins becomes an administrator'],
  ['organization.defaultRole', 'edit', 'everyone who joins can do more: guest → edit'],
  ['member.role', 'admin', 'gives administration of the whole organization'],
  ['linkInvite.role', 'admin', 'anyone with the link becomes an administrator'],
  ['site.visibility', 'public', 'opens the site to everyone'],
  [
    'samlProvider.defaultTeam',
    { $id: 'teams/docs' },
    'everyone who signs in for the first time joins teams/docs',
  ],
] as const)('%s → %s reads: %s', (name, after, text) => {
  expect(riskOf(name, [name === 'site.visibility' ? 'visitor-auth' : null, after])).toBe(text);
});

describe('new objects count as wider than nothing', () => {
  test.each([
    ['site.visibility', 'public'],
    ['site.visibility', 'unlisted'],
    ['samlProvider.defaultRole', 'admin'],
    ['collection.defaultLevel', 'edit'],
    ['space.defaultLevel', 'admin'],
  ] as const)('%s: %s', (name, after) => {
    expect(riskOf(name, [undefined, after], { isNew: true })).toEqual(expect.any(String));
  });

  test.each([
    ['site.visibility', 'visitor-auth'],
    ['section.condition', 'visitor.claims.beta'],
    ['collection.defaultLevel', null],
    ['collection.defaultLevel', 'inherit'],
    ['samlProvider.certificate', 'PEM'],
  ] as const)('%s: %s opens nothing', (name, after) => {
    expect(riskOf(name, [undefined, after], { isNew: true })).toBeUndefined();
  });
});

describe('a level that is inherited is what the container has', () => {
  const among = (before: Value | undefined, after: Value | undefined) =>
    riskOf('space.defaultLevel', ['inherit', 'inherit'], { inherited: { before, after } });

  test('wider, narrower, not known', () => {
    expect(among('read', 'edit')).toBe('everyone in the organization can do more: read → edit');
    expect(among('edit', 'read')).toBeUndefined();
    expect(among('read', 'admin')).toBe('everyone in the organization can administer it');
    expect(among('read', undefined)).toBe(
      'who can see it may change: its level comes from collections/handbook',
    );
  });

  test('a field that becomes inherited', () => {
    const inherited = { before: 'edit', after: 'edit' };
    expect(riskOf('space.defaultLevel', ['read', 'inherit'], { inherited })).toMatch(/read → edit/);
    expect(riskOf('space.defaultLevel', ['edit', 'inherit'], { inherited })).toBeUndefined();
  });
});

test('a certificate, and where people sign in, decide who can', () => {
  for (const field of ['certificate', 'entityID', 'ssoURL'])
    expect(riskOf(`samlProvider.${field}`, ['a', 'b'])).toMatch(/sign in/);
});

test('a condition that becomes another one may show things to other people', () => {
  expect(riskOf('section.condition', ['a', 'b'])).toContain('other people');
});

test('a domain that is added is named', () => {
  expect(riskOf('organization.emailDomains', [['acme.dev'], ['acme.dev', 'gmail.com']])).toBe(
    'people with an e-mail address at gmail.com can join',
  );
});

test('adaptive content that is off opens nothing where nothing has a condition', () => {
  const off = { isSetBelow: () => false };
  expect(riskOf('site.adaptiveContent', [{ enabled: true }, { enabled: false }], off)).toBeUndefined();
});

/** Fields whose names sound like access and that give none. */
const harmless = ['siteSpace.default', 'organization.defaultContent', 'site.default', 'section.default'];

test('every field that sounds like access has a risk', () => {
  const about =
    /role|level|visib|sso|invite|domain|condition|active|adaptiveContent|defaultTeam|access|entity|certif|editMode/i;
  const silent = kinds.flatMap(({ name, fields }) =>
    Object.entries(fields)
      .filter(([field, { risk }]) => about.test(field) && risk === undefined)
      .map(([field]) => `${name}.${field}`),
  );
  expect(silent.filter((field) => !harmless.includes(field))).toEqual([]);
});
