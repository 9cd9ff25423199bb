/** Risks of changes to a role, a level or an audience, as text. Only wider access is a risk. */
import { roles } from '../../contract/index.ts';
import { knownValues } from '../../contract/values.ts';
import { unwrapped } from '../../util/data-schema.ts';
import { push } from '../../util/group.ts';
import type { Field, FieldTrait, RiskSituation, RiskText } from './field.ts';
import { mapOf, type Value } from './payload.ts';

type Risk = NonNullable<Field['risk']>;

/** The level of an object that inherits it from its container. */
export const inherited = 'inherit';

/** Higher means more rights; 0 for null (a guest). Undefined for unknown or undocumented roles. */
function rankOf(role: Value | undefined): number | undefined {
  if (role === null) return 0;
  const at = (roles as readonly unknown[]).indexOf(role);
  return at < 0 ? undefined : roles.length - at;
}

function isWider(before: Value | undefined, after: Value | undefined): boolean {
  const [was, is] = [rankOf(before), rankOf(after)];
  return was === undefined || is === undefined || is > was;
}

/** Rank of a level granted on the object itself. No grant ranks below all levels. */
export function rankOfGrant(level: unknown): number {
  if (level === undefined || level === null) return -1;
  return level === 'none' ? 0 : (rankOf(level as Value) ?? roles.length + 1);
}

/** Risk of changed levels of teams or people. Access from other sources is not considered. */
export const grantsRisk: Risk = (before, after) => {
  const [were, are] = [mapOf(before) ?? {}, mapOf(after) ?? {}];
  const names = [...new Set([...Object.keys(were), ...Object.keys(are)])].sort();
  const changes = names.filter((name) => were[name] !== are[name]);
  const groups = new Map<string, string[]>();
  for (const name of changes) push(groups, `${String(were[name] ?? '')}→${String(are[name] ?? '')}`, name);
  const tenses = (['text', 'past'] as const).map((tense) =>
    [...groups]
      .map(([key, people]) => {
        const [was = '', is = ''] = key.split('→');
        return grantText(named(people), {
          was,
          is,
          isWider: rankOfGrant(is || undefined) > rankOfGrant(was || undefined),
          tense,
          many: people.length > 1,
        });
      })
      .join('; '),
  );
  const [text, past] = tenses;
  if (text === undefined || text === '') return undefined;
  const severe = changes.some((name) => are[name] === 'admin') ? ({ severe: true } as const) : {};
  return { text, past, ...severe };
};

interface GrantWords {
  readonly was: string;
  readonly is: string;
  readonly isWider: boolean;
  readonly tense: 'text' | 'past';
  readonly many: boolean;
}

function grantText(who: string, { was, is, isWider, tense, many }: GrantWords): string {
  const done = many ? 'were' : 'was';
  if (was === '' && is === 'none')
    return tense === 'text' ? `lowers ${who} to none` : `${who} ${done} lowered to none`;
  if (was === '') return tense === 'text' ? `gives ${is} to ${who}` : `${who} ${done} given ${is}`;
  if (is === '') return tense === 'text' ? `takes ${was} from ${who}` : `${who} lost ${was}`;
  const [verb, past] = isWider ? ['raises', 'raised'] : ['lowers', 'lowered'];
  const range = `from ${was} to ${is}`;
  return tense === 'text' ? `${verb} ${who} ${range}` : `${who} ${done} ${past} ${range}`;
}

/** Risk of a role that many people get. `who`: in the singular, for example `everyone who joins`. */
export function roleRisk(who: string): Risk {
  return (before, after) => {
    if (before === after || rankOf(after) === 0 || !isWider(before, after)) return undefined;
    if (after === 'admin') return { text: `${who} becomes an administrator`, severe: true };
    if (before === undefined) return `${who} gets the role ${String(after)}`;
    return `${who} can do more: ${roleName(before, 'guest')} → ${roleName(after, 'guest')}`;
  };
}

const made = {
  administrator: {
    text: 'gives administration of the whole organization',
    past: 'was made an administrator',
    severe: true,
  },
  noAdministrator: { text: 'takes administration away', past: 'lost administration' },
} as const;

/** Risk of a changed role of one person. */
export const memberRoleRisk: Risk = (before, after) => {
  if (before === after) return undefined;
  if (after === 'admin') return made.administrator;
  if (before === 'admin') return made.noAdministrator;
  if (rankOf(after) === 0 || !isWider(before, after)) return undefined;
  return `can do more in the whole organization: ${roleName(before, 'guest')} → ${roleName(after, 'guest')}`;
};

/** Risk of a changed level of everyone, including a level inherited from another container. */
const levelRisk: Risk = (before, after, situation) => {
  const was = situation.isNew && before === undefined ? null : effective(before, situation.inherited.before);
  const is = effective(after, situation.inherited.after);
  if (is === undefined) return unknownLevelRisk(was, situation);
  if (rankOf(is) === 0 || !isWider(was, is)) return undefined;
  if (is === 'admin') return { text: 'everyone in the organization can administer it', severe: true };
  if (was === undefined || before === undefined)
    return `everyone in the organization gets the level ${String(is)}`;
  return `everyone in the organization can do more: ${roleName(was, 'none')} → ${roleName(is, 'none')}`;
};

/** A new object is never wider than its container, and `admin` is the widest level. */
function unknownLevelRisk(was: Value | undefined, { isNew, container }: RiskSituation): string | undefined {
  if (isNew || was === 'admin') return undefined;
  return `who can see it may change: its level comes from ${container}`;
}

/** Parts of every level that applies to everyone in the organization. */
export const levelField = {
  example: 'read',
  nullable: 'value',
  inherits: inherited,
  reads: 'word',
  risk: levelRisk,
} as const;

/** The effective level; an unknown one counts as inherited. */
function effective(level: Value | undefined, above: Value | undefined): Value | undefined {
  return level === undefined || level === inherited ? above : level;
}

/** A role as text; `none` is used for null. */
export function roleName(role: Value | undefined, none: string): string {
  return role === undefined ? 'unknown' : role === null ? none : String(role);
}

/** Ordered from the most to the least restricted audience. */
const audiences = ['visitor-auth', 'share-link', 'unlisted', 'public'];

/** Audiences that need no sign-in. */
export const openAudiences = ['share-link', 'unlisted', 'public'];

const audienceRisks: Readonly<Record<string, RiskText>> = {
  public: { text: 'opens the site to everyone', past: 'was opened to everyone', severe: true },
  unlisted: {
    text: 'opens the site to everyone who has its address',
    past: 'was opened to everyone who has its address',
  },
  'share-link': {
    text: 'opens the site to everyone who has a share link',
    past: 'was opened to everyone who has a share link',
  },
};

/** Risk of a changed audience of a site. */
export const audienceRisk: Risk = (before, after) => {
  const [was, is] = [audiences.indexOf(String(before ?? '')), audiences.indexOf(String(after))];
  if (is < 0)
    return before === after
      ? undefined
      : { text: 'may open the site to more people', past: 'may have been opened to more people' };
  if (is <= was) return undefined;
  // Everyone with the address can already see it.
  const isListed = before === 'unlisted' && after === 'public';
  return isListed
    ? { text: 'search engines can index the site', past: 'became open to search engines', severe: true }
    : audienceRisks[String(after)];
};

/** Risk of a changed condition. Adding a condition only hides, so it is not a risk. */
export function conditionRisk(what: string): Risk {
  return (before, after) => {
    if (before === undefined || before === null || before === after) return undefined;
    if (after === null) return `everyone can see ${what}`;
    return `other people can see ${what}: its condition changes`;
  };
}

/** Conditions read visitor attributes, which the schema in `adaptiveSchema` describes. */
export const visitorCondition: FieldTrait = {
  is: 'condition',
  attributes: 'visitor.claims',
  describedBy: 'adaptiveSchema',
};

/** Risk of switching adaptive content off: conditions then no longer hide the objects. */
export const adaptiveRisk: Risk = (before, after, { isNew, isSetBelow }) => {
  const isOff = (value: Value | undefined) => mapOf(value)?.enabled === false;
  if (isNew || !isOff(after) || isOff(before) || !isSetBelow('condition')) return undefined;
  return 'conditions no longer apply: everyone can see what they hide';
};

/** Risk of new entries in a list. `text` gets the added entries. */
export function addedRisk(text: (added: string) => string): Risk {
  return (before, after) => {
    const known = Array.isArray(before) ? before : [];
    const added = Array.isArray(after) ? after.filter((item) => !known.includes(item)) : [];
    return added.length === 0 ? undefined : text(added.join(', '));
  };
}

/** Risk of people who join a list or become owners. A new list does not give access to any object yet. */
export const peopleRisk: Risk = (before, after, { isNew }) => {
  const [were, are] = [mapOf(before) ?? {}, mapOf(after)];
  if (isNew || are === undefined) return undefined;
  const joined = Object.keys(are).filter((person) => !Object.hasOwn(were, person));
  const owners = Object.keys(are).filter(
    (person) => are[person] === 'owner' && were[person] !== 'owner' && !joined.includes(person),
  );
  const [text, past] = (['text', 'past'] as const).map((tense) =>
    [
      ...(joined.length === 0
        ? []
        : [`${named(joined, are)} ${tense === 'past' ? 'joined' : joined.length === 1 ? 'joins' : 'join'}`]),
      ...(owners.length === 0 ? [] : [becomeOwners(owners, tense)]),
    ].join('; '),
  );
  return text === undefined || text === '' ? undefined : { text, past };
};

function becomeOwners(people: readonly string[], tense: 'text' | 'past'): string {
  const [verb, noun] = people.length === 1 ? ['becomes', 'an owner'] : ['become', 'owners'];
  return `${named(people)} ${tense === 'past' ? 'became' : verb} ${noun}`;
}

/** Longer lists are reduced to a count; the values of the field name all people. */
const mostNames = 3;

/** Example: `kai@acme.dev and sam@acme.dev (owner)`. */
function named(people: readonly string[], roles: Readonly<Record<string, unknown>> = {}): string {
  const owners = people.filter((person) => roles[person] === 'owner');
  if (people.length > mostNames)
    return `${people.length} people${owners.length === 0 ? '' : ` (${owners.length} as ${owners.length === 1 ? 'an owner' : 'owners'})`}`;
  const names = people.map((person) => (owners.includes(person) ? `${person} (owner)` : person));
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');
}

/** Risk of a changed part of an address. */
export function formerLinks(part: string): Risk {
  const links = `links to the former ${part}`;
  return (before, _after, { takerOf }) => {
    if (before === undefined) return undefined;
    const taker = takerOf?.(before);
    return {
      text: taker === undefined ? `${links} stop working` : `${links} lead to ${taker}`,
      past: `${links} no longer lead to it`,
    };
  };
}

/** `one`: the value is an access level; `each`: each of its entries has one; undefined for other fields. */
export function levelsIn({ schema, trait }: Field): 'one' | 'each' | undefined {
  if (trait?.is === 'grants') return 'each';
  return knownValues(unwrapped(schema())).includes('admin') ? 'one' : undefined;
}
