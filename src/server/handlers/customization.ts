/** Appearance of sites: customizations merged over the defaults of a new site. */
import {
  customizationParts,
  type customizations,
  knownParts,
  requiredParts,
} from '../../contract/customization.ts';
import type { OperationOutput } from '../../contract/index.ts';
import { defined } from '../../util/defined.ts';
import { sameJson } from '../../util/json.ts';
import { merged, nested, valueAt } from '../../util/nested.ts';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import type { HandlersOf } from '../handler.ts';
import type { SiteRow } from '../store/rows.ts';

type Customization = OperationOutput<'sites.getCustomization'>;

/** Customization of a site in the API document. */
function documented(site: SiteRow) {
  const plain = (light: string, dark: string) => ({ light, dark });
  return {
    title: site.title,
    styling: {
      theme: 'clean',
      primaryColor: plain('#346ddb', '#346ddb'),
      tint: { color: plain('#787878', '#787878') },
      infoColor: plain('#787878', '#787878'),
      successColor: plain('#007f5c', '#8fd5a6'),
      warningColor: plain('#b97b00', '#ffc247'),
      dangerColor: plain('#c5352c', '#ff8a80'),
      corners: 'rounded',
      links: 'default',
      font: 'Inter',
      icons: 'regular',
      sidebar: { background: 'default', list: 'default' },
      search: 'prominent',
    },
    internationalization: { locale: 'en' },
    favicon: {},
  };
}

function initial(site: SiteRow): unknown {
  const codeTheme = { light: 'default-light', dark: 'default-dark' };
  return merged(documented(site), {
    ...(merged(nested(Object.entries(knownParts).map(([path, [first]]) => [path, first])), {
      styling: {
        background: 'plain',
        monospaceFont: 'FiraCode',
        codeTheme: { default: codeTheme, openapi: codeTheme },
      },
    }) as object),
    header: { preset: 'default', links: [] },
    footer: { groups: [] },
    themes: { default: 'light', toggeable: true },
    pageActions: { items: ['markdown', 'pdf'] },
    pagination: { enabled: true },
    feedback: { enabled: false },
    trademark: { enabled: true },
    advancedCustomization: { enabled: false },
    privacyPolicy: {},
    socialPreview: {},
    socialAccounts: [],
    insights: { trackingCookie: false },
  });
}

function customizationOf(context: Context, site: SiteRow): Customization {
  const { whole = {}, updatedAt } = context.store.get('customization', site.id) ?? {};
  const own = merged(initial(site), { ...whole, title: site.title }) as Customization;
  return { ...own, object: 'site-customization', ...defined({ updatedAt }) };
}

export function publishedCustomization(context: Context, site: SiteRow): Customization {
  return context.form === '2026' ? customizationOf(context, site) : documented(site);
}

function refusedParts(site: SiteRow, body: unknown): readonly string[] {
  const unknown = Object.entries(knownParts).filter(([path, known]) => {
    const value = valueAt(body, path);
    return value !== undefined && !(known as readonly unknown[]).includes(value);
  });
  const path = 'trademark.enabled';
  const hides = site.type === 'basic' && valueAt(body, path) === false;
  return [...unknown.map(([name]) => name), ...(hides ? [path] : [])];
}

/** Requires the documented types, unless a value is what the site has already: a newer service may know more. */
function requireTypes(body: unknown, before: unknown): void {
  for (const { code, path, message } of customizationParts().safeParse(body).error?.issues ?? []) {
    const [given, kept] = [body, before].map((whole) =>
      path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], whole),
    );
    const isOpen = code === 'unrecognized_keys' || given === undefined || given === null;
    if (!isOpen && !sameJson(given, kept)) throw invalid(`body.${path.join('.')}: ${message}`);
  }
}

export const customizationHandlers: HandlersOf<typeof customizations> = {
  'sites.getCustomization': (context, { params }) => customizationOf(context, context.site(params, 'read')),

  'sites.putCustomization': (context, { params, body }) => {
    const site = context.site(params, 'create');
    const lacking = requiredParts.filter((name) => body[name] === undefined);
    if (lacking.length > 0) throw invalid(`body: ${lacking.join(', ')}: required`);
    const before = customizationOf(context, site);
    requireTypes(body, before);
    const refused = refusedParts(site, body);
    const way = context.variants['customization-values'];
    const [first] = refused;
    if (way === 'rejected' && first !== undefined) throw invalid(`body.${first}: not available`);
    const kept = nested(refused.map((name) => [name, valueAt(before, name)] as const));
    const whole = (way === 'ignored' ? merged(body, kept) : body) as Record<string, unknown>;
    const { id, org } = site;
    context.store.put('customization', { id, org, whole, updatedAt: context.at, order: 1 });
    return customizationOf(context, site);
  },
};
