/**
 * How a site looks. Every site has one; a manifest declares parts of it. A request sets the whole, so it is merged into what the
 * service shows right before.
 */
import * as z from 'zod';
import { announcementStyles, knownParts } from '../contract/customization.ts';
import type { OperationOutput } from '../contract/index.ts';
import { once } from '../contract/once.ts';
import { openEnum, uri } from '../contract/values.ts';
import { isRecord, sameJson } from '../util/json.ts';
import { merged, nested, valueAt } from '../util/nested.ts';
import { Secret } from '../util/secret.ts';
import type { Remark, RiskText } from './field.ts';
import { type CallContext, defineKind, type Kind, type KindSpec, type Unsupported } from './kind.ts';
import type { Call, Payload, Value } from './payload.ts';

type Styled = KindSpec['fields'][string];
type StyledFields = Readonly<Record<string, Styled>>;
type Text = readonly [description: string, example: string];

const hex = once(() =>
  z
    .string()
    .regex(/^#(?:[0-9a-fA-F]{3}){1,2}$/)
    .meta({ help: 'write # and three or six hexadecimal digits, for example "#346DDB"' }),
);

/** `#abc` is `#aabbcc`. */
function sameColor(one: Value, other: Value): boolean {
  const long = (value: Value) =>
    String(value)
      .toLowerCase()
      .replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3');
  return long(one) === long(other);
}

/** Of mappings, nulls in a request take away what was there. */
function sameMapping(one: Value, other: Value): boolean {
  return sameJson(merged({}, one), merged({}, other));
}

const url = once(() => uri());

const favicon = once(() => {
  const light = url()
    .exactOptional()
    .meta({ description: 'In light mode.', examples: ['https://acme.dev/light.png'] });
  const dark = url()
    .exactOptional()
    .meta({ description: 'In dark mode.', examples: ['https://acme.dev/dark.png'] });
  return z.strictObject({
    emoji: z
      .string()
      .min(1)
      .exactOptional()
      .meta({ description: 'An emoji.', examples: ['👋'] }),
    icon: z
      .strictObject({ light, dark })
      .exactOptional()
      .meta({
        description: 'An icon, by its URLs.',
        examples: [{ light: 'https://acme.dev/light.png', dark: 'https://acme.dev/dark.png' }],
      }),
  });
});

const anyText = once(() => z.string());
const flag = once(() => z.boolean());

/** The values of today; others are sent as they are. */
function wordOf(description: string, known: readonly string[]): Styled {
  return {
    schema: once(() => openEnum(...known)),
    description,
    example: known[1] ?? '',
    reads: 'word',
  };
}

function word(path: keyof typeof knownParts, description: string): StyledFields {
  return { [path]: wordOf(description, knownParts[path]) };
}

function flagged(description: string, example: boolean, risk?: Styled['risk']): Styled {
  return { schema: flag, description, example, ...(risk === undefined ? {} : { risk }) };
}

function text(schema: () => z.ZodType, [description, example]: Text): Styled {
  return { schema, description, example, nullable: 'removes' };
}

function inBoth(path: string, fieldFor: (mode: string) => Styled): StyledFields {
  return { [`${path}.light`]: fieldFor('light'), [`${path}.dark`]: fieldFor('dark') };
}

function color(path: string, what: string): StyledFields {
  return inBoth(path, (mode) => ({
    schema: hex,
    description: `${what} in ${mode} mode.`,
    example: '#346DDB',
    same: sameColor,
  }));
}

function httpsRemark(address: string): Remark | undefined {
  return /^https:\/\//i.test(address) ? undefined : { message: 'not an https URL' };
}

function image(path: string, what: string): StyledFields {
  return inBoth(path, (mode) => ({
    ...text(url, [`${what} in ${mode} mode: a URL.`, `https://acme.dev/${mode}.png`]),
    remark: httpsRemark,
  }));
}

const font = once(() => z.union([z.string().min(1), z.looseObject({})]));

function fontOf(what: string, example: string): Styled {
  return {
    schema: font,
    description: `Font of ${what}: a name, or an uploaded one.`,
    example,
    same: sameMapping,
  };
}

const target = once(() =>
  z.looseObject({
    kind: openEnum('url', 'page', 'space', 'file').meta({
      description: 'Kind of the target.',
      examples: ['url'],
    }),
    url: uri()
      .exactOptional()
      .meta({ description: 'Address, of a target of kind url.', examples: ['https://acme.dev/'] }),
  }),
);

const linkShape = once(() => ({
  title: z.string().meta({ description: 'Text of the link.', examples: ['Blog'] }),
  to: target().meta({
    description: 'Target of the link.',
    examples: [{ kind: 'url', url: 'https://acme.dev/' }],
  }),
}));

const links = once(() => z.array(z.looseObject(linkShape())));

const headerLinks = once(() =>
  z.array(
    z.looseObject({
      ...linkShape(),
      style: openEnum('link', 'button-primary', 'button-secondary')
        .exactOptional()
        .meta({ description: 'How the link looks.', examples: ['button-primary'] }),
      links: links()
        .exactOptional()
        .meta({ description: 'Links in a menu below it.', examples: [[]] }),
      condition: z
        .string()
        .exactOptional()
        .meta({ description: 'Who sees it.', examples: ['visitor.claims.unsigned.beta'] }),
    }),
  ),
);

const groups = once(() =>
  z.array(
    z.looseObject({
      title: z.string().meta({ description: 'Title of the group.', examples: ['Company'] }),
      links: links().meta({ description: 'Links of the group.', examples: [[]] }),
    }),
  ),
);

const exampleLink = { title: 'Blog', to: { kind: 'url', url: 'https://acme.dev/blog' } };

const styling: StyledFields = {
  ...word('styling.theme', 'Theme.'),
  ...color('styling.primaryColor', 'Main color'),
  ...color('styling.tint.color', 'Tint of the background'),
  ...color('styling.infoColor', 'Color of information'),
  ...color('styling.successColor', 'Color of success'),
  ...color('styling.warningColor', 'Color of warnings'),
  ...color('styling.dangerColor', 'Color of danger'),
  ...word('styling.corners', 'Corners of boxes.'),
  ...word('styling.depth', 'Whether boxes have depth.'),
  ...word('styling.links', 'How links look.'),
  'styling.font': fontOf('text', 'Inter'),
  'styling.headingFont': { ...fontOf('headings', 'Inter'), nullable: 'removes' },
  'styling.monospaceFont': fontOf('code', 'FiraCode'),
  ...word('styling.icons', 'Style of icons.'),
  ...inBoth('styling.codeTheme.default', (mode) => ({
    schema: anyText,
    description: `Colors of code in ${mode} mode.`,
    example: 'github-light',
  })),
  ...inBoth('styling.codeTheme.openapi', (mode) => ({
    schema: anyText,
    description: `Colors of code in API references in ${mode} mode.`,
    example: 'github-light',
  })),
  ...word('styling.sidebar.background', 'Background of the sidebar.'),
  ...word('styling.sidebar.list', 'How the sidebar marks pages.'),
  ...word('styling.search', 'How search is offered.'),
};

const banner: StyledFields = {
  'announcement.enabled': { ...flagged('Whether the banner is shown.', true), nullable: 'removes' },
  'announcement.message': {
    schema: once(() => z.string().min(2).max(128)),
    description: 'Text of the banner.',
    example: 'Version 2 is here',
    nullable: 'removes',
  },
  'announcement.link': {
    schema: once(() => z.looseObject({ to: linkShape().to })),
    description: 'Where the banner leads.',
    example: { title: 'More', to: { kind: 'url', url: 'https://acme.dev/v2' } },
    nullable: 'removes',
    same: sameMapping,
  },
  'announcement.style': { ...wordOf('How the banner looks.', announcementStyles), nullable: 'removes' },
};

const assistant: StyledFields = {
  'ai.mode': {
    ...wordOf(
      'What visitors can ask: nothing, a search with answers, or an assistant.',
      knownParts['ai.mode'],
    ),
    risk: (before, after) =>
      after !== 'none' && (before === 'none' || before === undefined || before === null)
        ? 'visitors get answers of an AI'
        : undefined,
  },
  'ai.greeting': text(
    once(() => z.string().max(256)),
    ['First words of the assistant.', 'Ask me about Acme'],
  ),
  'ai.suggestions': {
    schema: once(() => z.array(z.string()).max(5)),
    description: 'Questions that the assistant suggests.',
    example: ['How do I start?'],
    nullable: 'removes',
  },
  'ai.instructions': text(
    once(() => z.string().max(10_000)),
    ['How the assistant answers.', 'Answer in short sentences.'],
  ),
};

function cookieRisk(before: Value | undefined, after: Value): RiskText | undefined {
  if (after !== true || before === true) return undefined;
  return { text: 'visitors get a tracking cookie', past: 'tracking cookies were turned on' };
}

function policyRisk(before: Value | undefined, after: Value): RiskText | undefined {
  const isLost = (after === null || after === '') && typeof before === 'string' && before !== '';
  return isLost ? 'visitors see no privacy policy' : undefined;
}

/** API of the newer form, "Customization of a site". */
export const customization: Kind = defineKind({
  name: 'customization',
  noun: 'customization',
  needs: '2026',
  description:
    'How a site looks; what is left out stays as it is. Each dot in the name of a field is a mapping.',
  manifest: { places: [{ parent: 'site', key: 'customization', shape: 'single' }] },
  fields: {
    ...styling,
    ...word('internationalization.locale', 'Language of the interface.'),
    favicon: {
      schema: favicon,
      description: 'What tabs of browsers show: an emoji, or an icon by its URLs; {} for neither.',
      example: { emoji: '👋' },
      absent: {},
      same: sameMapping,
    },
    ...image('header.logo', 'Logo at the top'),
    'header.primaryLink': {
      schema: once(() => z.looseObject(linkShape())),
      description: 'The link that stands out at the top.',
      example: exampleLink,
      nullable: 'removes',
      same: sameMapping,
    },
    'header.links': {
      schema: headerLinks,
      description: 'Links at the top, in order; the list is exact.',
      example: [exampleLink],
    },
    ...image('footer.logo', 'Logo at the bottom'),
    'footer.groups': {
      schema: groups,
      description: 'Groups of links at the bottom, in order; the list is exact.',
      example: [{ title: 'Company', links: [exampleLink] }],
    },
    'footer.copyright': text(
      once(() => z.string().max(512)),
      ['Copyright at the bottom.', '© Acme'],
    ),
    ...banner,
    ...word('themes.default', 'Mode at the first visit.'),
    'themes.toggeable': flagged('Whether visitors can switch the mode.', true),
    'pageActions.items': {
      schema: once(() => z.array(openEnum('assistant', 'external-ai', 'markdown', 'mcp', 'git', 'pdf'))),
      description: 'What visitors can do with a page, in order; the list is exact.',
      example: ['markdown', 'pdf'],
    },
    ...word('externalLinks.target', 'Where links to elsewhere open.'),
    'pagination.enabled': flagged('Whether pages link to the next one.', true),
    'feedback.enabled': flagged('Whether visitors can rate pages.', true),
    'trademark.enabled': flagged('Whether the name of the service is shown.', true),
    'insights.trackingCookie': flagged('Whether visitors get a cookie that counts them.', false, cookieRisk),
    'advancedCustomization.enabled': flagged('Whether the advanced customization applies.', false),
    ...assistant,
    'privacyPolicy.url': {
      ...text(url, ['Address of the privacy policy.', 'https://acme.dev/privacy']),
      risk: policyRisk,
    },
    'socialPreview.url': {
      ...text(url, ['Image of links to the site: a URL.', 'https://acme.dev/preview.png']),
      remark: httpsRemark,
    },
    socialAccounts: {
      schema: once(() =>
        z
          .array(
            z.looseObject({
              platform: z.string().meta({ description: 'The platform.', examples: ['github'] }),
              handle: z.string().meta({ description: 'Name of the account there.', examples: ['acme'] }),
            }),
          )
          .max(10),
      ),
      description: 'Accounts elsewhere, in order; the list is exact.',
      example: [{ platform: 'github', handle: 'acme', display: { footer: true, header: false } }],
    },
  },
  identity: { scope: 'site' },
  reads: { get: { operation: 'sites.getCustomization' } },
  fromRemote: (remote: OperationOutput<'sites.getCustomization'>) => ({
    id: '',
    fields: Object.fromEntries(
      Object.keys(customization.fields).flatMap((name) => {
        const value = valueAt(remote, name);
        return value === undefined || value === null ? [] : [[name, value as Value]];
      }),
    ),
    ...(typeof remote.updatedAt === 'string' ? {} : { initial: true as const }),
  }),
  calls: {
    // It comes with its site.
    create: ({ params }) => ({ call: { operation: 'sites.getCustomization', params, find: {} }, fields: {} }),
    update: put,
  },
});

/** Mappings that are there as a whole or not at all. */
const optional = ['header.logo', 'footer.logo', 'announcement'];

function put(
  { params, fields, before }: CallContext,
  changed: readonly string[],
): readonly Call[] | Unsupported {
  if (changed.includes('favicon') && isRecord(fields.favicon) && Object.keys(fields.favicon).length > 1)
    return { unsupported: 'a favicon is an emoji or an icon', suggestion: 'remove one of the two' };
  const after = { ...before, ...fields };
  const isSet = (name: string) => after[name] !== undefined && after[name] !== null;
  const isEmpty = (group: string) =>
    !Object.keys(after).some((name) => name.startsWith(`${group}.`) && isSet(name));
  const empty = optional.filter(isEmpty);
  const values = changed.map((name): [string, Payload] => [
    empty.find((group) => name.startsWith(`${group}.`)) ?? name,
    inPlaceOf(before[name], fields[name] ?? null),
  ]);
  return [
    {
      operation: 'sites.putCustomization',
      params,
      body: nested(values),
      mergedInto: 'sites.getCustomization',
    },
  ];
}

/** Keys that a mapping no longer has are null: the request is merged. */
function inPlaceOf(before: Payload | undefined, after: Payload): Payload {
  if (!isRecord(before) || !isRecord(after) || after instanceof Secret) return after;
  const gone = Object.keys(before).map((key): [string, Payload] => [key, null]);
  const own = Object.entries(after).map(([key, value]): [string, Payload] => [
    key,
    inPlaceOf(before[key] as Payload | undefined, value as Payload),
  ]);
  return Object.fromEntries([...gone, ...own]);
}
