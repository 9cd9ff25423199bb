import * as z from 'zod';
import { once } from './once.ts';
import { operationsIn } from './operation.ts';
import { customization } from './resources/site.ts';
import { languages, openEnum, uri } from './values.ts';

const operation = operationsIn('Customization', '2026');
const path = '/v1/orgs/{organizationId}/sites/{siteId}/customization';

const part = (about: string) => z.looseObject({}).optional().describe(about);

// biome-ignore format: a list of words
/** Services reject a customization without these parts. */
export const requiredParts = [
  'styling', 'internationalization', 'favicon', 'header', 'footer', 'themes', 'feedback', 'ai',
  'advancedCustomization', 'pageActions', 'externalLinks', 'pagination', 'trademark', 'privacyPolicy',
  'socialPreview', 'socialAccounts', 'insights',
] as const;

/** Known values, keyed by path of the part. The first value is the default of a new site. */
export const knownParts = {
  'styling.theme': ['clean', 'muted', 'bold', 'gradient'],
  'styling.corners': ['rounded', 'straight', 'circular'],
  'styling.depth': ['subtle', 'flat'],
  'styling.links': ['default', 'accent'],
  'styling.icons': ['regular', 'solid', 'duotone', 'light', 'thin'],
  'styling.sidebar.background': ['default', 'filled'],
  'styling.sidebar.list': ['default', 'pill', 'line'],
  'styling.search': ['prominent', 'subtle'],
  'internationalization.locale': ['en', ...languages.filter((language) => language !== 'en')],
  'themes.default': ['light', 'dark', 'system'],
  'externalLinks.target': ['self', 'blank'],
  'ai.mode': ['none', 'search', 'assistant'],
} as const;

/** Schema of a manifest value, with its meaning and an example. */
function value(schema: z.ZodType, description: string, example: unknown) {
  return schema.exactOptional().meta({ description, examples: [example] });
}

/** Schema of a value that null removes. */
function clearable(schema: z.ZodType, description: string, example: unknown) {
  return value(schema.nullable(), description, example);
}

/** Schema of a word with known values; other words are sent as they are. */
function word(path: keyof typeof knownParts, description: string) {
  return value(openEnum(...knownParts[path]), description, knownParts[path][1]);
}

function inBoth(valueIn: (mode: string) => z.ZodType) {
  return z.looseObject({ light: valueIn('light'), dark: valueIn('dark') });
}

function color(what: string) {
  const hex = z
    .string()
    .regex(/^#(?:[0-9a-fA-F]{3}){1,2}$/)
    .meta({ help: 'write # and three or six hexadecimal digits, for example "#346DDB"' });
  return inBoth((mode) => value(hex, `${what} in ${mode} mode.`, '#346DDB'));
}

function image(what: string) {
  return inBoth((mode) =>
    clearable(uri(), `${what} in ${mode} mode: a URL.`, `https://acme.dev/${mode}.png`),
  );
}

function codeColors(what: string) {
  return inBoth((mode) => value(z.string(), `Colors of ${what} in ${mode} mode.`, 'github-light'));
}

const exampleLink = { title: 'Blog', to: { kind: 'url', url: 'https://acme.dev/blog' } };

/**
 * Schemas of the parts that Octavo knows, as manifests have them. Other keys and values are kept as they are
 * (newer form, "Customization of a site").
 */
export const customizationParts = once(() => {
  const font = z.union([z.string().min(1), z.looseObject({})]);
  const fontOf = (what: string) => `Font of ${what}: a name, or an uploaded one.`;
  const target = z.looseObject({
    kind: openEnum('url', 'page', 'space', 'file').meta({
      description: 'Kind of the target.',
      examples: ['url'],
    }),
    url: value(uri(), 'Address, of a target of kind url.', 'https://acme.dev/'),
  });
  const link = {
    title: z.string().meta({ description: 'Text of the link.', examples: ['Blog'] }),
    to: target.meta({
      description: 'Target of the link.',
      examples: [{ kind: 'url', url: 'https://acme.dev/' }],
    }),
  };
  const links = z.array(z.looseObject(link));
  const headerLink = z.looseObject({
    ...link,
    style: value(
      openEnum('link', 'button-primary', 'button-secondary'),
      'How the link looks.',
      'button-primary',
    ),
    links: value(links, 'Links in a menu below it.', []),
    condition: value(z.string(), 'Who sees it.', 'visitor.claims.unsigned.beta'),
  });
  const group = z.looseObject({
    title: z.string().meta({ description: 'Title of the group.', examples: ['Company'] }),
    links: links.meta({ description: 'Links of the group.', examples: [[]] }),
  });
  const icon = z.strictObject({
    light: value(uri(), 'In light mode.', 'https://acme.dev/light.png'),
    dark: value(uri(), 'In dark mode.', 'https://acme.dev/dark.png'),
  });
  const account = z.looseObject({
    platform: z.string().meta({ description: 'The platform.', examples: ['github'] }),
    handle: z.string().meta({ description: 'Name of the account there.', examples: ['acme'] }),
  });
  return z.looseObject({
    styling: z.looseObject({
      theme: word('styling.theme', 'Theme.'),
      primaryColor: color('Main color'),
      tint: z.looseObject({ color: color('Tint of the background') }),
      infoColor: color('Color of information'),
      successColor: color('Color of success'),
      warningColor: color('Color of warnings'),
      dangerColor: color('Color of danger'),
      corners: word('styling.corners', 'Corners of boxes.'),
      depth: word('styling.depth', 'Whether boxes have depth.'),
      links: word('styling.links', 'How links look.'),
      font: value(font, fontOf('text'), 'Inter'),
      headingFont: clearable(font, fontOf('headings'), 'Inter'),
      monospaceFont: value(font, fontOf('code'), 'FiraCode'),
      icons: word('styling.icons', 'Style of icons.'),
      codeTheme: z.looseObject({
        default: codeColors('code'),
        openapi: codeColors('code in API references'),
      }),
      sidebar: z.looseObject({
        background: word('styling.sidebar.background', 'Background of the sidebar.'),
        list: word('styling.sidebar.list', 'How the sidebar marks pages.'),
      }),
      search: word('styling.search', 'How search is offered.'),
    }),
    internationalization: z.looseObject({
      locale: word('internationalization.locale', 'Language of the interface.'),
    }),
    favicon: value(
      z.strictObject({
        emoji: value(z.string().min(1), 'An emoji.', '👋'),
        icon: value(icon, 'An icon, by its URLs.', {
          light: 'https://acme.dev/light.png',
          dark: 'https://acme.dev/dark.png',
        }),
      }),
      'What tabs of browsers show: an emoji, or an icon by its URLs; {} for neither.',
      { emoji: '👋' },
    ),
    header: z.looseObject({
      logo: image('Logo at the top'),
      primaryLink: clearable(z.looseObject(link), 'The link that stands out at the top.', exampleLink),
      links: value(z.array(headerLink), 'Links at the top, in order; the list is exact.', [exampleLink]),
    }),
    footer: z.looseObject({
      logo: image('Logo at the bottom'),
      groups: value(z.array(group), 'Groups of links at the bottom, in order; the list is exact.', [
        { title: 'Company', links: [exampleLink] },
      ]),
      copyright: clearable(z.string().max(512), 'Copyright at the bottom.', '© Acme'),
    }),
    announcement: z.looseObject({
      enabled: clearable(z.boolean(), 'Whether the banner is shown.', true),
      message: clearable(z.string().min(2).max(128), 'Text of the banner.', 'Version 2 is here'),
      link: clearable(z.looseObject({ to: link.to }), 'Where the banner leads.', {
        title: 'More',
        to: { kind: 'url', url: 'https://acme.dev/v2' },
      }),
      style: clearable(openEnum('info', 'warning', 'danger', 'success'), 'How the banner looks.', 'warning'),
    }),
    themes: z.looseObject({
      default: word('themes.default', 'Mode at the first visit.'),
      toggeable: value(z.boolean(), 'Whether visitors can switch the mode.', true),
    }),
    pageActions: z.looseObject({
      items: value(
        z.array(openEnum('assistant', 'external-ai', 'markdown', 'mcp', 'git', 'pdf')),
        'What visitors can do with a page, in order; the list is exact.',
        ['markdown', 'pdf'],
      ),
    }),
    externalLinks: z.looseObject({ target: word('externalLinks.target', 'Where links to elsewhere open.') }),
    pagination: z.looseObject({ enabled: value(z.boolean(), 'Whether pages link to the next one.', true) }),
    feedback: z.looseObject({ enabled: value(z.boolean(), 'Whether visitors can rate pages.', true) }),
    trademark: z.looseObject({
      enabled: value(z.boolean(), 'Whether the name of the service is shown.', true),
    }),
    insights: z.looseObject({
      trackingCookie: value(z.boolean(), 'Whether visitors get a cookie that counts them.', false),
    }),
    advancedCustomization: z.looseObject({
      enabled: value(z.boolean(), 'Whether the advanced customization applies.', false),
    }),
    ai: z.looseObject({
      mode: word('ai.mode', 'What visitors can ask: nothing, a search with answers, or an assistant.'),
      greeting: clearable(z.string().max(256), 'First words of the assistant.', 'Ask me about Acme'),
      suggestions: clearable(z.array(z.string()).max(5), 'Questions that the assistant suggests.', [
        'How do I start?',
      ]),
      instructions: clearable(
        z.string().max(10_000),
        'How the assistant answers.',
        'Answer in short sentences.',
      ),
    }),
    privacyPolicy: z.looseObject({
      url: clearable(uri(), 'Address of the privacy policy.', 'https://acme.dev/privacy'),
    }),
    socialPreview: z.looseObject({
      url: clearable(uri(), 'Image of links to the site: a URL.', 'https://acme.dev/preview.png'),
    }),
    socialAccounts: value(z.array(account).max(10), 'Accounts elsewhere, in order; the list is exact.', [
      { platform: 'github', handle: 'acme', display: { footer: true, header: false } },
    ]),
  });
});

const whole = once(() =>
  z.looseObject({
    styling: part('Theme, colors, fonts and forms'),
    internationalization: part('Language of the interface'),
    favicon: part('Icon in tabs of browsers'),
    header: part('Logo and links at the top'),
    footer: part('Logo, links and copyright at the bottom'),
    announcement: part('A banner'),
    themes: part('Light or dark'),
    pageActions: part('What visitors can do with a page'),
    externalLinks: part('How links to elsewhere open'),
    pagination: part('Links to the next page'),
    feedback: part('Whether visitors rate pages'),
    trademark: part('Whether the name of the service is shown'),
    insights: part('Cookies that count visitors'),
    advancedCustomization: part('Whether code of the site runs in it'),
    ai: part('What visitors can ask'),
    privacyPolicy: part('Address of the privacy policy'),
    socialPreview: part('Image of links to the site'),
    socialAccounts: z.array(z.looseObject({})).max(10).optional().describe('Accounts elsewhere'),
  }),
);

/** Operations on the customization of a site. */
export const customizations = {
  'sites.getCustomization': operation(`GET ${path}`, 'Read the appearance of a site', {
    response: customization,
  }),
  'sites.putCustomization': operation(
    `PUT ${path}`,
    'Set the appearance of a site as a whole; omitted parts return to their defaults',
    { body: whole, response: customization },
  ),
};
