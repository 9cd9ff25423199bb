/** Every change that widens access is a risk, for all kinds; one that narrows it is a risk only if it locks people out. */
import { describe, expect, test } from 'vitest';
import { roles } from '../../src/contract/index.ts';
import { kinds } from '../../src/kinds/index.ts';
import type { RiskSituation } from '../../src/kinds/parts/field.ts';
import type { Value } from '../../src/kinds/parts/payload.ts';

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

/** Values from the widest to the narrowest access. */
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

/** Changes that lock people out, with a risk of their own. */
const lockouts: readonly string[] = [
  ...[...roles.slice(1), null].map((role) => `member.role admin → ${String(role)}`),
  'organization.sso false → true',
  'space.editMode live → locked',
];

const steps = Object.entries(orders).flatMap(([name, values]) =>
  values.flatMap((wide, at) => values.slice(at + 1).map((narrow) => ({ name, wide, narrow }))),
);

const spelled = (value: Value) => (typeof value === 'string' ? value : JSON.stringify(value));

test.each(steps)('reports $name: $narrow → $wide as a risk', ({ name, narrow, wide }) => {
  expect(riskOf(name, [narrow, wide])).toEqual(expect.any(String));
});

test.each(steps)(
  'reports $name: $wide → $narrow as a risk only if it locks people out',
  ({ name, narrow, wide }) => {
    const isLockout = lockouts.includes(`${name} ${spelled(wide)} → ${spelled(narrow)}`);
    expect(riskOf(name, [wide, narrow]) !== undefined).toBe(isLockout);
  },
);

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
] as const)('%s → %s is reported as: %s', (name, after, text) => {
  expect(riskOf(name, [name === 'site.visibility' ? 'visitor-auth' : null, after])).toBe(text);
});

describe('a value of a new object is compared with no access', () => {
  test.each([
    ['site.visibility', 'public'],
    ['site.visibility', 'unlisted'],
    ['samlProvider.defaultRole', 'admin'],
    ['collection.defaultLevel', 'edit'],
    ['space.defaultLevel', 'admin'],
  ] as const)('%s: %s is a risk', (name, after) => {
    expect(riskOf(name, [undefined, after], { isNew: true })).toEqual(expect.any(String));
  });

  test.each([
    ['site.visibility', 'visitor-auth'],
    ['section.condition', 'visitor.claims.beta'],
    ['collection.defaultLevel', null],
    ['collection.defaultLevel', 'inherit'],
    ['samlProvider.certificate', 'PEM'],
  ] as const)('%s: %s is not a risk', (name, after) => {
    expect(riskOf(name, [undefined, after], { isNew: true })).toBeUndefined();
  });
});

describe('an inherited level counts as the level of the container', () => {
  const among = (before: Value | undefined, after: Value | undefined) =>
    riskOf('space.defaultLevel', ['inherit', 'inherit'], { inherited: { before, after } });

  test('if the container becomes wider, narrower or unknown', () => {
    expect(among('read', 'edit')).toBe('everyone in the organization can do more: read → edit');
    expect(among('edit', 'read')).toBeUndefined();
    expect(among('read', 'admin')).toBe('everyone in the organization can administer it');
    expect(among('read', undefined)).toBe(
      'who can see it may change: its level comes from collections/handbook',
    );
  });

  test('if the field becomes inherited', () => {
    const inherited = { before: 'edit', after: 'edit' };
    expect(riskOf('space.defaultLevel', ['read', 'inherit'], { inherited })).toMatch(/read → edit/);
    expect(riskOf('space.defaultLevel', ['edit', 'inherit'], { inherited })).toBeUndefined();
  });
});

test('reports a changed sign-in certificate or address as a risk', () => {
  for (const field of ['certificate', 'entityID', 'ssoURL'])
    expect(riskOf(`samlProvider.${field}`, ['a', 'b'])).toMatch(/sign in/);
});

test('reports a changed condition as possibly visible to other people', () => {
  expect(riskOf('section.condition', ['a', 'b'])).toContain('other people');
});

test('names an added e-mail domain', () => {
  expect(riskOf('organization.emailDomains', [['acme.dev'], ['acme.dev', 'gmail.com']])).toBe(
    'people with an e-mail address at gmail.com can join',
  );
});

test('accepts disabled adaptive content if no condition depends on it', () => {
  const off = { isSetBelow: () => false };
  expect(riskOf('site.adaptiveContent', [{ enabled: true }, { enabled: false }], off)).toBeUndefined();
});

/** Fields that do not give access in spite of their names. */
const harmless = ['siteSpace.default', 'organization.defaultContent', 'site.default', 'section.default'];

test('reports a risk for every field with a name about access', () => {
  const about =
    /role|level|visib|sso|invite|domain|condition|active|adaptiveContent|defaultTeam|access|entity|certif|editMode/i;
  const silent = kinds.flatMap(({ name, fields }) =>
    Object.entries(fields)
      .filter(([field, { risk }]) => about.test(field) && risk === undefined)
      .map(([field]) => `${name}.${field}`),
  );
  expect(silent.filter((field) => !harmless.includes(field))).toEqual([]);
});
