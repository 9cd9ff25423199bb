/** The organization of the pull requests in `review/`: people and spaces, which the API cannot create. */
import type { Seed } from '../../src/server/index.ts';

const member = (name: string, role: 'admin' | 'read' | 'edit' | 'comment') => ({
  id: `user_${name}`,
  email: `${name}@acme.dev`,
  displayName: `${name[0]?.toUpperCase()}${name.slice(1)}`,
  role,
});

const spaces = {
  welcome: 'Welcome',
  holidays: 'Holidays',
  incidents: 'Incident reports',
  api: 'API reference',
  guides: 'Guides',
  guides_next: 'Guides (next)',
  sdk_js: 'JavaScript SDK',
  sdk_python: 'Python SDK',
  changelog: 'Changelog',
  faq: 'FAQ',
  status: 'Status page',
};

/** People with the roles that the base declares, and spaces outside of all collections. */
export const reviewSeed: Seed = {
  owner: { id: 'user_eve', email: 'eve@acme.dev', displayName: 'Eve' },
  organizations: [
    {
      id: 'org_acme',
      title: 'Acme',
      hostname: 'acme',
      members: [
        member('ada', 'admin'),
        member('bob', 'read'),
        member('cyd', 'edit'),
        member('kai', 'comment'),
      ],
      spaces: Object.entries(spaces).map(([key, title]) => ({ id: `sp_${key}`, title })),
    },
  ],
};
