/** Files for typing mistakes, and the mistakes. */

/** File, old text, new text, and the error: `code file:line:column`, with `? ` before a warning. */
export type Slip = readonly [
  file: 'organization' | 'sites' | 'copy',
  from: string,
  to: string,
  expected: string,
];

/** The half without sites. */
export const organizationFile = `octavo: 1
organization:
  id: \${env:ORG}
  title: Acme
  emailDomains: [acme.example]
  defaultRole: read
  defaultContent: { site: hub }
  sso: true
  inviteLinks: false

settings:
  prune: removed
  limits: { deletes: 10 }

members:
  ada@acme.example: { role: admin }
  bob@acme.example: { role: edit }

teams:
  platform:
    title: Platform
    members:
      ada@acme.example: owner
      bob@acme.example: member
  writers:
    title: Writers
    members: { bob@acme.example: member }

customFields:
  audience:
    type: select:single
    title: Audience
    options: [internal, partners]
  review-days: { type: number }

samlProviders:
  okta:
    label: Okta
    entityID: http://www.okta.com/exk1
    ssoURL: https://acme.okta.com/app/sso/saml
    certificate: \${secret:CERT}
    defaultTeam: platform
    defaultRole: read
`;

/** The half with sites. */
export const sitesFile = `octavo: 1
organization: \${env:ORG}

collections:
  handbook:
    title: Handbook
    description: How we work
    defaultLevel: read
    spaces:
      onboarding:
        title: Onboarding
        emoji: "👋"
        customFields: { audience: internal, review-days: 90 }
      faq: { title: FAQ }

spaces:
  guide: { title: Guide }
  guide-next: { duplicateOf: guide, title: Guide (next) }

openapi:
  petstore: { source: { url: "https://acme.example/openapi.json" } }

sites:
  hub:
    title: Hub
    visibility: public
    basename: docs
    default: guides
    sections:
      guides:
        title: Guides
        path: guides
        icon: book
        spaces:
          en: { space: guide, path: en }
          next: { space: guide-next, path: next }
        default: en
      reference:
        title: Reference
        sections:
          api: { title: API, path: api, spaces: { main: { space: faq } } }
    shareLinks:
      partners: { name: "Partners \${env:PARTNER_TAG}", active: true }
  status:
    title: Status
    spaces: { main: { space: onboarding } }
`;

/** `copy`: the first file, under another name. */
export const slips: readonly Slip[] = [
  ['organization', 'octavo: 1\n', '', 'version organization:1:1'],
  ['organization', 'octavo: 1', 'octavo: 2', 'version organization:1:9'],
  ['organization', 'octavo: 1', 'octavo: "1"', 'version organization:1:9'],
  ['organization', 'octavo: 1', 'octavo:1', 'yaml organization:1:1'],
  ['organization', 'organization:\n  id: ${env:ORG}\n', 'organization:\n', 'organization organization:2:1'],
  ['organization', 'organization:', 'organisation:', 'organization organization:1:1'],
  ['organization', 'id: ${env:ORG}', 'id: ${env:ORGA}', 'missing-variable organization:3:7'],
  ['organization', 'id: ${env:ORG}', 'id: ${ORG}', 'interpolation organization:3:7'],
  ['organization', 'id: ${env:ORG}', 'id: ${env:ORG', 'interpolation organization:3:7'],
  ['organization', 'title: Acme', 'titel: Acme', 'unknown-key organization:4:3'],
  ['organization', 'title: Acme', 'title: A', 'value organization:4:10'],
  ['organization', 'title: Acme', 'title: 42', 'value organization:4:10'],
  ['organization', 'title: Acme', 'title: true', 'value organization:4:10'],
  ['organization', 'title: Acme', 'title:', 'null organization:4:9'],
  ['organization', 'title: Acme', 'title:Acme', 'yaml organization:4:3'],
  ['organization', 'title: Acme', 'title: @Acme', 'yaml organization:4:10'],
  ['organization', 'title: Acme', 'title: "Acme', 'yaml organization:4:10'],
  ['organization', 'title: Acme', 'title: Acme: the company', 'yaml organization:4:10'],
  ['organization', 'title: Acme', 'title: [Acme]', 'value organization:4:10'],
  ['organization', '  title: Acme', '\ttitle: Acme', 'yaml organization:4:1'],
  ['organization', '  title: Acme', '   title: Acme', 'yaml organization:4:4'],
  ['organization', '  title: Acme', ' title: Acme', 'yaml organization:4:2'],
  ['organization', '[acme.example]', 'acme.example', 'value organization:5:17'],
  ['organization', '[acme.example]', '[acme.example', 'yaml organization:5:17'],
  ['organization', '[acme.example]', '["@acme.example"]', '? unusual-value organization:5:18'],
  ['organization', '[acme.example]', '[https://acme.example]', '? unusual-value organization:5:18'],
  ['organization', 'defaultRole: read', 'defaultRole: reader', 'unknown-value organization:6:16'],
  ['organization', 'defaultRole: read', 'defaultrole: read', 'unknown-key organization:6:3'],
  ['organization', '{ site: hub }', 'hub', 'value organization:7:19'],
  ['organization', '{ site: hub }', '{ site: hubb }', 'unknown-reference organization:7:27'],
  ['organization', '{ site: hub }', '{ sites: hub }', 'unknown-key organization:7:21'],
  ['organization', 'sso: true', 'sso: "true"', 'value organization:8:8'],
  ['organization', 'sso: true', 'sso: yes', 'value organization:8:8'],
  ['organization', 'inviteLinks: false', 'inviteLinks: null', 'null organization:9:16'],
  ['organization', 'settings:', 'setting:', 'unknown-key organization:11:1'],
  ['organization', 'prune: removed', 'prune: remove', 'value organization:12:10'],
  ['organization', 'deletes: 10', 'deletes: ten', 'value organization:13:22'],
  ['organization', 'deletes: 10', 'delete: 10', 'unknown-key organization:13:13'],
  ['organization', 'deletes: 10', 'deletes: -1', 'value organization:13:22'],
  ['organization', 'ada@acme.example: { role: admin }', 'ada: { role: admin }', 'key organization:16:3'],
  ['organization', '{ role: admin }', 'admin', 'value organization:16:21'],
  ['organization', '{ role: admin }', '{ role: administrator }', 'unknown-value organization:16:29'],
  ['organization', '{ role: admin }', '{ roll: admin }', 'unknown-key organization:16:23'],
  ['organization', 'members:\n  ada', 'member:\n  ada', 'unknown-key organization:15:1'],
  [
    'organization',
    '  bob@acme.example: { role: edit }',
    '  ada@acme.example: { role: edit }',
    'duplicate-key organization:17:3',
  ],
  ['organization', 'teams:', 'team:', 'unknown-key organization:19:1'],
  ['organization', '    title: Platform', '   title: Platform', 'yaml organization:22:5'],
  ['organization', '    title: Platform', '  title: Platform', 'yaml organization:22:5'],
  ['organization', '    title: Platform', '     title: Platform', 'yaml organization:22:5'],
  ['organization', '    title: Platform', '\t\ttitle: Platform', 'yaml organization:21:1'],
  [
    'organization',
    '      ada@acme.example: owner',
    '      ada @acme.example: owner',
    'key organization:23:7',
  ],
  ['organization', '      ada@acme.example: owner', '      ada: owner', 'key organization:23:7'],
  [
    'organization',
    '      ada@acme.example: owner',
    '      ada@acme.example: lead',
    'unknown-value organization:23:25',
  ],
  ['organization', '      ada@acme.example: owner', '      - ada@acme.example', 'yaml organization:24:7'],
  ['organization', '      ada@acme.example: owner', '      ada@acme.example owner', 'yaml organization:23:7'],
  ['organization', '  writers:', '  platform:', 'duplicate-key organization:25:3'],
  ['organization', '  writers:', '  wri/ters:', 'key organization:25:3'],
  ['organization', 'title: Writers', 'title: Platform', '? indistinguishable organization:26:12'],
  [
    'organization',
    'title: Writers',
    'title: WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW',
    'value organization:26:12',
  ],
  ['organization', '{ bob@acme.example: member }', '{ bob@acme.example: member', 'yaml organization:27:14'],
  ['organization', '{ bob@acme.example: member }', '{ bob@acme.example member }', 'value organization:27:16'],
  ['organization', 'type: select:single', 'type: select', '? unknown-value organization:31:11'],
  ['organization', 'type: select:single', 'type: selct:single', '? unknown-value organization:31:11'],
  ['organization', '[internal, partners]', 'internal, partners', 'value organization:33:14'],
  ['organization', '[internal, partners]', '[]', 'value organization:33:14'],
  ['organization', '  audience:', '  Audience Field:', 'key organization:30:3'],
  ['organization', 'https://acme.okta.com/app/sso/saml', 'acme.okta.com/app', 'value organization:40:13'],
  ['organization', '${secret:CERT}', '${secret:CRT}', 'missing-secret organization:41:18'],
  ['organization', '${secret:CERT}', '${file:okta.pem}', 'missing-file organization:41:18'],
  ['organization', 'defaultTeam: platform', 'defaultTeam: platfrom', 'unknown-reference organization:42:18'],
  ['organization', 'defaultTeam: platform', 'defaultTeam: { id: }', 'value organization:42:18'],
  ['sites', 'collections:', 'collection:', 'unknown-key sites:4:1'],
  ['sites', 'description: How we work', 'description: How we work: always', 'yaml sites:7:18'],
  ['sites', 'description: How we work', 'description: "How we work', 'yaml sites:7:18'],
  [
    'sites',
    'description: How we work',
    'description: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'value sites:7:18',
  ],
  ['sites', 'description: How we work', 'descripton: How we work', 'unknown-key sites:7:5'],
  ['sites', 'defaultLevel: read', 'defaultLevel: reed', 'unknown-value sites:8:19'],
  ['sites', 'title: Onboarding', 'title: On\u00adboarding', ''],
  ['sites', 'title: Onboarding', 'title: {Onboarding', 'yaml sites:11:16'],
  ['sites', '"👋"', 'wave', 'value sites:12:16'],
  ['sites', '"👋"', ':wave:', 'yaml sites:12:16'],
  ['sites', 'audience: internal', 'audience: intern', 'value sites:13:25'],
  ['sites', 'audience: internal', 'audiense: internal', ''],
  ['sites', 'review-days: 90', 'review-days: "90"', 'value sites:13:45'],
  ['sites', 'faq: { title: FAQ }', 'faq: FAQ', 'value sites:14:12'],
  ['sites', 'faq: { title: FAQ }', 'faq:', 'null sites:14:11'],
  ['sites', 'faq: { title: FAQ }', 'faq: { title: FAQ, }', ''],
  ['sites', 'faq: { title: FAQ }', 'faq: { title: FAQ # 1 }', 'yaml sites:14:12'],
  ['sites', 'guide: { title: Guide }', 'guide: { title: Guide, id: }', 'value sites:17:30'],
  ['sites', 'duplicateOf: guide,', 'duplicateOf: gide,', 'unknown-reference sites:18:30'],
  ['sites', 'duplicateOf: guide,', 'duplicateOf: guide-next,', 'cyclic-reference sites:18:3'],
  ['sites', 'Guide (next)', 'Guide', '? indistinguishable sites:18:44'],
  ['sites', 'petstore:', 'Pet Store:', 'key sites:21:3'],
  ['sites', '"https://acme.example/openapi.json"', 'acme.example/openapi.json', 'value sites:21:30'],
  ['sites', 'visibility: public', 'visibility: pubic', 'unknown-value sites:26:17'],
  ['sites', 'visibility: public', 'visibility: hidden', 'unknown-value sites:26:17'],
  ['sites', 'basename: docs', 'basename: /docs', '? unusual-value sites:27:15'],
  ['sites', '    default: guides', '    default: guide', 'unknown-reference sites:28:14'],
  ['sites', '    default: guides', '    default: reference', 'unknown-reference sites:28:14'],
  ['sites', 'path: guides', 'path: /guides/', '? unusual-value sites:32:15'],
  ['sites', 'path: guides', 'path: api', 'value-wanted-twice sites:41:36'],
  ['sites', 'icon: book', 'icon: 📘', '? unusual-value sites:33:15'],
  ['sites', 'space: guide,', 'space: gude,', 'unknown-reference sites:35:24'],
  ['sites', '{ space: guide, path: en }', '{ path: en }', ''],
  ['sites', 'path: next', 'path: en', 'value-wanted-twice sites:36:44'],
  ['sites', '        default: en', '        default: eng', 'unknown-reference sites:37:18'],
  ['sites', '          en: { space', '         en: { space', 'yaml sites:36:11'],
  ['sites', '        spaces:\n          en', '        space:\n          en', 'unknown-key sites:34:9'],
  ['sites', 'active: true', 'active: "yes"', 'value sites:43:64'],
  ['sites', 'name: "Partners', 'title: "Partners', 'unknown-key sites:43:19'],
  ['sites', '${env:PARTNER_TAG}', '${PARTNER_TAG}', 'interpolation sites:43:35'],
  ['sites', '${env:PARTNER_TAG}', '${env:PARTNER_TGA}', 'missing-variable sites:43:35'],
  [
    'sites',
    '    spaces: { main: { space: onboarding } }',
    '    spaces: { main: { space: onboarding } }\n    sections: { a: { title: Aa, path: a, spaces: { x: { space: faq, path: x } } } }',
    'exclusive-keys sites:46:15',
  ],
  ['sites', '{ main: { space: onboarding } }', '{ main: { space: onboarding }', 'yaml sites:46:13'],
  ['sites', '{ main: { space: onboarding } }', '{ main: onboarding }', 'value sites:46:21'],
  ['sites', '{ main: { space: onboarding } }', '[{ space: onboarding }]', 'value sites:46:13'],
  ['sites', 'organization: ${env:ORG}\n', '', 'organization sites:1:1'],
  ['copy', 'sites.yaml', 'sites-copy.yaml', 'declared-twice sites:6:5'],
  ['copy', 'organization.yaml', 'zz.yaml', 'declared-twice zz:4:3'],
];
