/** A workspace of many files with two overlays, and mistakes of its authors, each with its one message. */
import { certificate } from '../support/certificate.ts';

/** File, old text, new text, and `severity place: message → help`. A file name with `+` is a new file. */
export type AuthorSlip = readonly [file: string, from: string, to: string, expected: string];

const head = 'octavo: 1\norganization: org_contoso\n\n';

export const authorFiles: Readonly<Record<string, string>> = {
  'organization.yaml': `octavo: 1
organization:
  id: org_contoso
  title: Contoso
  emailDomains: [contoso.example]
  defaultRole: read
  defaultContent: { site: docs }
  sso: true

settings:
  prune: removed
  limits: { deletes: 10 }
`,
  'members.yaml': `${head}members:
  ada@contoso.example: { role: admin }
  bob@contoso.example: { role: edit }
  hana@contoso.example: { role: review }
`,
  'teams/platform.yaml': `${head}teams:
  platform:
    title: Platform
    members:
      ada@contoso.example: owner
      bob@contoso.example: member
`,
  'teams/support.yaml': `${head}teams:
  support:
    title: Support
    members: { hana@contoso.example: owner }
`,
  'fields.yaml': `${head}customFields:
  audience:
    type: select:single
    title: Audience
    options: [internal, partners]
  review-days: { type: number, title: Days between reviews }
`,
  'sign-in.yaml': `${head}samlProviders:
  okta:
    label: Okta
    entityID: http://www.okta.com/exk1
    ssoURL: https://contoso.okta.com/app/sso/saml
    certificate: \${file:okta.crt.txt}
    defaultTeam: platform
`,
  'okta.crt.txt': certificate,
  'collections/handbook.yaml': `${head}collections:
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
`,
  'collections/products.yaml': `${head}collections:
  products:
    title: Products
    spaces:
      guide: { title: Guide }
      guide-next: { duplicateOf: guide, title: Guide (next) }
`,
  'openapi.yaml': `${head}openapi:
  petstore: { source: { url: https://contoso.example/openapi.json } }
`,
  'sites/docs.yaml': `${head}sites:
  docs:
    title: Docs
    visibility: unlisted
    basename: docs
    default: guides
    sections:
      guides:
        title: Guides
        path: guides
        icon: book
        spaces:
          en: { space: guide, path: en }
          next: { space: guide-next, path: next, condition: visitor.claims.unsigned.beta }
        default: en
      reference:
        title: Reference
        sections:
          api: { title: API, path: api, spaces: { main: { space: faq } } }
    shareLinks:
      partners: { name: Partners }
`,
  'sites/status.yaml': `${head}sites:
  status:
    title: Status
    proxy: contoso.example/status
    spaces:
      main: { space: onboarding, path: main }
`,
  'environments/production.yaml': `octavo: 1
overlay: production
organization: { id: org_contoso_prod, title: Contoso }
sites:
  docs:
    visibility: public
    shareLinks: null
`,
  'environments/staging.yaml': `octavo: 1
overlay: staging
organization: { id: org_contoso_stg, title: "Contoso \${env:SUFFIX:-staging}" }
sites:
  status: { proxy: "\${clear}" }
  preview: { new: true, title: Preview }
`,
};

export const authorSlips: readonly AuthorSlip[] = [
  // keys
  [
    'organization.yaml',
    'title: Contoso',
    'titel: Contoso',
    'error organization.yaml:4:3 unknown key "titel" in the organization → did you mean title?',
  ],
  [
    'organization.yaml',
    'emailDomains:',
    'emailDomain:',
    'error organization.yaml:5:3 unknown key "emailDomain" in the organization → did you mean emailDomains?',
  ],
  [
    'organization.yaml',
    'prune: removed',
    'prunes: removed',
    'error organization.yaml:11:3 unknown setting "prunes" → did you mean prune?',
  ],
  [
    'teams/platform.yaml',
    'teams:',
    'team:',
    'error teams/platform.yaml:4:1 unknown key "team" in the document → did you mean teams?',
  ],
  [
    'teams/platform.yaml',
    '    members:',
    '    member:',
    'error teams/platform.yaml:7:5 unknown key "member" in a team → did you mean members?',
  ],
  [
    'sites/docs.yaml',
    '    shareLinks:',
    '    sharelinks:',
    'error sites/docs.yaml:23:5 unknown key "sharelinks" in a site → did you mean shareLinks?',
  ],
  [
    'sites/docs.yaml',
    'name: Partners',
    'title: Partners',
    'error sites/docs.yaml:24:19 unknown key "title" in a share link → use one of name, active, id, was, lifecycle',
  ],
  [
    'sign-in.yaml',
    'ssoURL:',
    'ssoUrl:',
    'error sign-in.yaml:8:5 unknown key "ssoUrl" in a SAML provider → did you mean ssoURL?',
  ],
  [
    'fields.yaml',
    'review-days:',
    'Review Days:',
    'error fields.yaml:9:3 the key of a custom field "Review Days" does not match /^[a-z_\\-0-9]+$/ → did you mean review-days?',
  ],
  // values
  [
    'organization.yaml',
    'defaultRole: read',
    'defaultRole: reader',
    'error organization.yaml:6:16 unknown defaultRole "reader" → did you mean read? Known values are admin, create, review, edit, comment, read',
  ],
  [
    'organization.yaml',
    'sso: true',
    'sso: yes',
    'error organization.yaml:8:8 sso must be true or false, is text ("yes") → write true, without quotes',
  ],
  [
    'organization.yaml',
    'prune: removed',
    'prune: remove',
    'error organization.yaml:11:10 settings.prune must be one of never, removed, unlisted, is text ("remove") → did you mean removed?',
  ],
  [
    'organization.yaml',
    'deletes: 10',
    'deletes: ten',
    'error organization.yaml:12:22 settings.limits.deletes must be a number, is text ("ten") → write a whole number, or null for no limit',
  ],
  [
    'members.yaml',
    'role: edit',
    'role: editor',
    'error members.yaml:6:32 unknown role "editor" → did you mean edit? Known values are admin, create, review, edit, comment, read',
  ],
  [
    'teams/platform.yaml',
    'bob@contoso.example: member',
    'bob@contoso.example: lead',
    'error teams/platform.yaml:9:28 unknown value "lead" of "bob@contoso.example" in members → use one of owner, member',
  ],
  [
    'teams/platform.yaml',
    'title: Platform',
    'title: 2026',
    'error teams/platform.yaml:6:12 title must be text, is a number (2026) → quote it: "2026"',
  ],
  [
    'teams/platform.yaml',
    'title: Platform',
    'title:',
    'error teams/platform.yaml:6:11 title cannot be null → give it a value, or remove the line to leave it unmanaged',
  ],
  [
    'collections/handbook.yaml',
    'defaultLevel: read',
    'defaultLevel: reed',
    'error collections/handbook.yaml:8:19 unknown defaultLevel "reed" → did you mean read? Known values are admin, create, review, edit, comment, read, inherit',
  ],
  [
    'collections/handbook.yaml',
    '"👋"',
    'wave',
    'error collections/handbook.yaml:12:16 emoji must be an emoji such as 👋, or its code points in hex, is text ("wave") → for example emoji: 👋',
  ],
  [
    'sites/docs.yaml',
    'visibility: unlisted',
    'visibility: hidden',
    'error sites/docs.yaml:7:17 unknown visibility "hidden" → use one of public, unlisted, share-link, visitor-auth',
  ],
  [
    'sites/docs.yaml',
    'path: guides',
    'path: /guides/',
    'warning sites/docs.yaml:13:15 path "/guides/": not a single part of a path → did you mean guides?',
  ],
  [
    'sites/docs.yaml',
    'icon: book',
    'icon: "📘"',
    'warning sites/docs.yaml:14:15 icon "📘": not the name of an icon such as book → for example icon: book',
  ],
  [
    'sites/status.yaml',
    'proxy: contoso.example/status',
    'proxy: https://contoso.example/status',
    'error sites/status.yaml:7:12 proxy "https://contoso.example/status" does not match /^([\\w-]+\\.)*[\\w-]+\\.[a-zA-Z]{2,}(\\/[\\w-]+)+$/ → did you mean contoso.example/status?',
  ],
  // levels
  [
    'teams/platform.yaml',
    '    members:\n      ada@contoso.example: owner\n      bob',
    '  members:\n    ada@contoso.example: owner\n    bob',
    'error teams/platform.yaml:7:3 members is indented as a team, but is a key of one → indent it below the team that it belongs to',
  ],
  [
    'collections/handbook.yaml',
    '    spaces:\n',
    '    space:\n',
    'error collections/handbook.yaml:9:5 unknown key "space" in a collection → did you mean spaces?',
  ],
  [
    'sites/docs.yaml',
    '        default: en',
    '    default: en',
    'error sites/docs.yaml:19:7 this line is indented deeper than its siblings, which start in column 5 → indent it with 4 spaces, or indent the lines above like it',
  ],
  [
    'sites/docs.yaml',
    'spaces: { main: { space: faq } }',
    'space: faq',
    'error sites/docs.yaml:22:41 unknown key "space" in a section → did you mean spaces?',
  ],
  // references
  [
    'organization.yaml',
    'site: docs',
    'site: doc',
    'error organization.yaml:7:27 defaultContent: site "doc" not found → did you mean docs?',
  ],
  [
    'sign-in.yaml',
    'defaultTeam: platform',
    'defaultTeam: platfrom',
    'error sign-in.yaml:10:18 defaultTeam: team "platfrom" not found → did you mean platform?',
  ],
  [
    'collections/products.yaml',
    'duplicateOf: guide,',
    'duplicateOf: guides,',
    'error collections/products.yaml:9:34 duplicateOf: "guides" is a section, not a space → did you mean guide?',
  ],
  [
    'sites/docs.yaml',
    'space: faq',
    'space: fag',
    'error sites/docs.yaml:22:66 space: space "fag" not found → did you mean faq?',
  ],
  [
    'sites/docs.yaml',
    '    default: guides',
    '    default: guide',
    'error sites/docs.yaml:9:14 default: "guide" is a space, not a section or site-space → did you mean guides?',
  ],
  [
    'sites/docs.yaml',
    'default: en',
    'default: english',
    'error sites/docs.yaml:18:18 default: site-space "english" not found → use one of en, next, or { id: … } for an existing one',
  ],
  // indentation and tabs
  [
    'teams/platform.yaml',
    '    title: Platform',
    '   title: Platform',
    'error teams/platform.yaml:7:5 this line is indented deeper than its siblings, which start in column 4 → indent it with 3 spaces, or indent the lines above like it',
  ],
  [
    'teams/platform.yaml',
    '    title: Platform',
    '\ttitle: Platform',
    'error teams/platform.yaml:6:1 tab used as indentation → indent with spaces',
  ],
  [
    'collections/handbook.yaml',
    '        emoji:',
    '         emoji:',
    'error collections/handbook.yaml:12:10 this line is indented deeper than its siblings, which start in column 9 → indent it with 8 spaces, or indent the lines above like it',
  ],
  [
    'sites/docs.yaml',
    '          next: {',
    '         next: {',
    'error sites/docs.yaml:17:10 inconsistent indentation: expected column 11 → align keys of the same mapping, and dashes of the same list',
  ],
  [
    'members.yaml',
    '  bob@',
    ' bob@',
    'error members.yaml:6:2 inconsistent indentation: expected column 3 → align keys of the same mapping, and dashes of the same list',
  ],
  // quotes, braces and signs
  [
    'collections/handbook.yaml',
    'description: How we work',
    'description: How we work: rules',
    'error collections/handbook.yaml:7:18 unquoted value contains ": " → quote it, or write the mapping inside on lines of its own',
  ],
  [
    'collections/handbook.yaml',
    'description: How we work',
    'description: "How we work',
    'error collections/handbook.yaml:7:18 unclosed quote → close it; write a quote inside the value in quotes of the other kind',
  ],
  [
    'teams/support.yaml',
    '{ hana@contoso.example: owner }',
    '{ hana@contoso.example: owner',
    'error teams/support.yaml:7:14 unclosed { → add }, or indent what belongs inside further than the line with {',
  ],
  [
    'sites/status.yaml',
    'title: Status',
    'title: Status # 1',
    'warning sites/status.yaml:6:12 title is "Status": "# 1" after it is a comment → quote it if it belongs to the text: title: "Status # 1"',
  ],
  [
    'sites/status.yaml',
    'title: Status',
    'title: @Status',
    'error sites/status.yaml:6:12 unquoted value starts with @ → quote it',
  ],
  [
    'sites/status.yaml',
    'title: Status',
    'title:Status',
    'error sites/status.yaml:6:5 no space after a colon → write title: Status',
  ],
  // lists and mappings
  [
    'teams/support.yaml',
    'teams:\n  support:\n    title: Support\n    members: { hana@contoso.example: owner }',
    'teams:\n  - title: Support',
    'error teams/support.yaml:5:3 teams must be a mapping, is a list → write teams: { some-key: { … } }',
  ],
  [
    'organization.yaml',
    '[contoso.example]',
    'contoso.example',
    'error organization.yaml:5:17 emailDomains must be a list, is text ("contoso.example") → write a list: [contoso.example]',
  ],
  [
    'sites/status.yaml',
    'main: { space: onboarding, path: main }',
    '- space: onboarding',
    'error sites/status.yaml:9:7 spaces must be a mapping from keys to site-spaces, is a list → write spaces: { some-key: { … } }',
  ],
  [
    'collections/handbook.yaml',
    'faq: { title: FAQ }',
    'faq: FAQ',
    'error collections/handbook.yaml:14:12 a space must be a mapping, is text ("FAQ") → for example faq: { title: Onboarding }',
  ],
  // duplicates
  [
    'teams/support.yaml',
    '  support:',
    '  platform:',
    'error teams/support.yaml:6:5 teams/platform/title is declared twice → keep one of the two, or use an overlay to change a value for an environment',
  ],
  [
    'members.yaml',
    '  hana@',
    '  bob@',
    'error members.yaml:7:3 duplicate key "bob@contoso.example" → keep one of the two',
  ],
  [
    'collections/products.yaml',
    '      guide:',
    '      faq: { title: FAQ }\n      guide:',
    'error collections/products.yaml:8:7 space "faq" is declared twice, also as collections/handbook/spaces/faq → remove one of the two; if they are two objects, name each by its whole address',
  ],
  [
    'sites/docs.yaml',
    'path: next',
    'path: en',
    'error sites/docs.yaml:17:44 path "en" is already used by sites/docs/sections/guides/spaces/en → choose another path for one of the two',
  ],
  [
    '+teams/platform-copy.yaml',
    'teams/platform.yaml',
    '',
    'error teams/platform.yaml:6:5 teams/platform.yaml declares 3 objects or settings that teams/platform-copy.yaml also declares → remove one of the files if it is a copy; else keep each thing in one of them',
  ],
  // the organization of a document
  [
    'teams/support.yaml',
    'organization: org_contoso',
    'organization: org_contsoo',
    'error teams/support.yaml:2:15 organization "org_contsoo" is declared nowhere else → did you mean org_contoso? Write organization: { id: org_contsoo } if it is another one',
  ],
  [
    'openapi.yaml',
    'organization: org_contoso\n',
    '',
    'error openapi.yaml:1:1 no organization → add organization: { id: org_… }',
  ],
  [
    'openapi.yaml',
    'octavo: 1\n',
    'octavo: 2\n',
    'error openapi.yaml:1:9 unsupported version: this program reads octavo: 1 → write octavo: 1, or run the version of Octavo that the document is written for',
  ],
  [
    '+collections/extra.json',
    '',
    '{ "octavo": 1, "organization": "org_contoso" }',
    'hint collections/extra.json:1:1 skipped: the name of a manifest ends in .yaml or .yml → rename it to extra.yaml: JSON is YAML',
  ],
  // custom fields
  [
    'collections/handbook.yaml',
    'audience: internal',
    'audiense: internal',
    'warning collections/handbook.yaml:13:25 customFields: custom field "audiense" is not declared → did you mean audience?',
  ],
  [
    'collections/handbook.yaml',
    'audience: internal',
    'audience: intern',
    'error collections/handbook.yaml:13:25 customFields.audience must be one of internal, partners, is "intern" → did you mean internal?',
  ],
  [
    'collections/handbook.yaml',
    'review-days: 90',
    'review-days: "90"',
    'error collections/handbook.yaml:13:45 customFields.review-days must be a number, is "90" → write 90, without quotes',
  ],
  [
    'fields.yaml',
    'type: number',
    'type: integer',
    'warning fields.yaml:9:24 unknown type "integer": sent as is; the service may reject it → use one of text, number, boolean, tags, select:single, select:multi',
  ],
  // e-mail addresses and URLs
  [
    'members.yaml',
    'bob@contoso.example',
    'bob',
    'error members.yaml:6:3 the key of a member must be an e-mail address, is text ("bob") → write the e-mail address of the person, for example ada@acme.dev',
  ],
  [
    'teams/platform.yaml',
    'bob@contoso.example',
    'bob @contoso.example',
    'error teams/platform.yaml:9:7 members: "bob @contoso.example" is not the e-mail address of a member → did you mean bob@contoso.example?',
  ],
  [
    'organization.yaml',
    '[contoso.example]',
    '["@contoso.example"]',
    'warning organization.yaml:5:18 emailDomains "@contoso.example": not a domain → did you mean contoso.example?',
  ],
  [
    'sign-in.yaml',
    'https://contoso.okta.com',
    'contoso.okta.com',
    'error sign-in.yaml:8:13 ssoURL must be a URL such as https://acme.dev/x, is text ("contoso.okta.com/app/sso/saml") → did you mean https://contoso.okta.com/app/sso/saml?',
  ],
  [
    'openapi.yaml',
    'https://contoso.example',
    'htps//contoso.example',
    'error openapi.yaml:5:30 source.url must be a URL such as https://acme.dev/x, is text ("htps//contoso.example/openapi.json") → did you mean https://contoso.example/openapi.json?',
  ],
  // certificates and conditions
  [
    'sign-in.yaml',
    '${file:okta.crt.txt}',
    'okta.crt',
    'error sign-in.yaml:9:18 certificate is the name of a file, not a certificate → write certificate: ${file:path} to use the text of a file',
  ],
  [
    'sign-in.yaml',
    '${file:okta.crt.txt}',
    '${file:okta.txt}',
    'error sign-in.yaml:9:18 included file not found: okta.txt → write a path relative to the including file',
  ],
  [
    'sites/docs.yaml',
    'visitor.claims.unsigned.beta',
    'visitor.claims.unsigned.beta ==',
    'warning sites/docs.yaml:17:61 condition "visitor.claims.unsigned.beta ==": it ends with == → for example condition: visitor.claims.unsigned.beta',
  ],
  [
    'sites/docs.yaml',
    'visitor.claims.unsigned.beta',
    'vistor.claims.unsigned.beta',
    'warning sites/docs.yaml:17:61 condition "vistor.claims.unsigned.beta": vistor.claims is not an attribute of visitors → did you mean visitor.claims.unsigned.beta?',
  ],
  // overlays
  [
    'environments/production.yaml',
    '  docs:',
    '  doc:',
    'error environments/production.yaml:5:3 site "doc" is not in the manifests → did you mean docs? Otherwise, add new: true to the entry if it exists only with this overlay',
  ],
  [
    'environments/production.yaml',
    'visibility: public',
    'visibilty: public',
    'error environments/production.yaml:6:5 unknown key "visibilty" in a site → did you mean visibility?',
  ],
  [
    'environments/production.yaml',
    'overlay: production\n',
    'overlays: production\n',
    'error environments/production.yaml:2:1 unknown key "overlays" in the document → did you mean overlay?',
  ],
  [
    'environments/staging.yaml',
    'proxy: "${clear}"',
    'proxy: null',
    'hint environments/staging.yaml:5:20 null in an overlay leaves proxy unmanaged → to clear the value, write proxy: ${clear}',
  ],
  [
    'environments/staging.yaml',
    'new: true, ',
    '',
    'error environments/staging.yaml:6:3 site "preview" is not in the manifests → add new: true to the entry if it exists only with this overlay',
  ],
  [
    'environments/staging.yaml',
    '${env:SUFFIX:-staging}',
    '${SUFFIX}',
    'error environments/staging.yaml:3:54 unknown interpolation ${SUFFIX} → write ${env:SUFFIX} for an environment variable (a literal ${ is $${)',
  ],
];
