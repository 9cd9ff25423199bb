import * as z from 'zod';
import { once } from './once.ts';
import { operation } from './operation.ts';
import { customization } from './resources/site.ts';
import { languages } from './values.ts';

const section = 'Customization';
const path = '/v1/orgs/{organizationId}/sites/{siteId}/customization';

const part = (about: string) => z.looseObject({}).optional().describe(about);

/** Parts without which services refuse the whole. */
export const requiredParts = [
  'styling',
  'internationalization',
  'favicon',
  'header',
  'footer',
  'themes',
  'feedback',
  'ai',
  'advancedCustomization',
  'pageActions',
  'externalLinks',
  'pagination',
  'trademark',
  'privacyPolicy',
  'socialPreview',
  'socialAccounts',
  'insights',
] as const;

/** Of parts by their paths: the first values are those of a new site. */
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

/** What has no value at a new site. */
export const announcementStyles = ['info', 'warning', 'danger', 'success'] as const;

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
  'sites.getCustomization': operation({
    method: 'GET',
    path,
    summary: 'Read how a site looks',
    section,
    needs: '2026',
    success: 200,
    response: customization,
  }),
  'sites.putCustomization': operation({
    method: 'PUT',
    path,
    summary: 'Set how a site looks, as a whole; what is left out goes back to its default',
    section,
    needs: '2026',
    body: whole,
    success: 200,
    response: customization,
  }),
};
