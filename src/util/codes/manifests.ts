import type { DiagnosticTexts } from './texts.ts';

export const manifestCodes = {
  'repository-in-manifests': [
    'A folder of manifests has the files of a git repository, with settings that could run programs',
    '`docs/HEAD`, `docs/objects/`, `docs/refs/` and `docs/config`',
    'Remove these files',
  ],
  'match-invalidated': [
    'After the apply, `match` would not find the organization any more',
    '`organization: { match: { hostname: a }, hostname: b }`',
    'Name the organization by its id',
  ],
  rules: ['octavo.rules.yaml is not valid', '`no-site-delete: {}`', 'Fix the place that the message shows'],
  yaml: [
    'The file is not valid YAML',
    '`title: Platform: the team`',
    'Fix the place that the message shows, mostly with quotes, an indentation or a closing bracket',
  ],
  'duplicate-key': ['A mapping has the same key twice', '`{ title: A, title: B }`', 'Keep one of the two'],
  'merge-key': [
    '`<<` has a value that is neither an alias of a mapping nor a list of them',
    '`<<: text`',
    'Write `<<: *name` for a mapping above that has the anchor `&name`',
  ],
  alias: [
    'An alias has no anchor before it, or contains itself',
    '`title: *tittle`',
    'Name a value above with `&name`, or quote text that starts with `*`',
  ],
  key: [
    'A key cannot be used: it is empty, is not text, contains `/`, or does not match what the service accepts',
    '`teams: { a/b: { title: A } }`',
    'Rename the key',
  ],
  'not-a-value': [
    'YAML has this value, JSON does not: infinity, or half of a surrogate pair',
    '`limits: { deletes: .inf }`',
    'Write another value, or quote it to make it text',
  ],
  'too-many-values': [
    'Aliases, included files or templates repeat values too often',
    '`x: [*a, *a, *a]`, where a holds 100,000 values',
    'Write the values out, or use fewer aliases, included files and templates',
  ],
  'nested-too-deep': [
    'Mappings and lists are nested more than 200 levels deep',
    '`[[[[…]]]]`',
    'Check that the file is a manifest',
  ],
  'not-json': [
    'A file that is included with `${json:…}` is not valid JSON',
    '`{ "type": "object", }`',
    'Fix the place that the message shows, or include the file with `${yaml:…}`',
  ],
  version: [
    'The document has no `octavo: 1`, or another version',
    '`octavo: 2`',
    'Write `octavo: 1`, or use the version of Octavo that the document is written for',
  ],
  'not-a-manifest': [
    'A document has no key `octavo` and is skipped; an error where the file was named',
    '`apiVersion: v1`',
    'Start the document with `octavo: 1` if it is a manifest',
  ],
  'no-manifests': ['No manifest was found', '`octavo plan`, in an empty folder', 'Pass the folder with `-f`'],
  'not-found': [
    'A file, a folder or a member that was named does not exist',
    '`-f workspace`',
    'Check the path or the e-mail address',
  ],
  'link-outside': [
    'A symbolic link leads out of the folder: a folder behind it is not read, and a file behind it is not written',
    '`shared.yaml -> ../../shared.yaml`',
    'Pass its target with `-f`, or edit the target where it is',
  ],
  unreadable: ['A file or folder cannot be read', 'a file of another user', 'Check its permissions'],
  'file-too-large': [
    'A file is larger than 5 MiB',
    'an archive named data.yaml',
    'Split it, or move it out of the folder',
  ],
  'not-text': [
    'A file is not text',
    'a picture named logo.yaml',
    'Move it out of the folder; encode what is included, as PEM or Base64',
  ],
  'not-utf8': ['A file is text, but not UTF-8', 'a file saved as UTF-16', 'Save it as UTF-8'],
  organization: [
    'The document does not name one organization',
    '`organization: { id: org_1, match: { title: Acme } }`',
    'Write either `id: org_…` or `match: { hostname: … }`',
  ],
  'declared-twice': [
    'Two documents declare the same thing',
    '`teams/a/title in a.yaml and in b.yaml`',
    'Keep one of the two; use an overlay for values that depend on the environment',
  ],
  overlay: [
    'An overlay is unknown, is a manifest, is for an organization that no manifest declares, or has an object that no manifest has without `new: true`',
    '`--overlay prodution`; `sites: { hubb: { title: Hub } }` in an overlay',
    'Write `overlay: <name>` beside `octavo: 1` in each document of the overlay, and pass that name or a path',
  ],
  template: [
    'A template is not declared as it should be, is unknown, makes another kind of object, uses itself, or lacks an input that it can use',
    '`hub: { use: product-site }`, where the template has an input `title` without a default',
    'Give the template each input that it declares without a default, with the type that it declares',
  ],
  levels: [
    'Objects inside each other, more levels deep than a service takes',
    '`sections: { more: { sections: { deeper: { sections: { deepest: { sections: {} } } } } } }`',
    'Move the deepest one up: a group in a group holds no further one',
  ],
  'exclusive-keys': [
    'Two keys of an object exclude each other',
    '`spaces` and `sections` of one site',
    'Keep one of the two; spaces go into sections, where a site has any',
  ],
  'unusual-value': [
    'The API does not forbid a value, but it is probably not what was meant; a warning',
    '`path: /python/`',
    'Write what the message suggests, or leave it: the value is sent as it is',
  ],
  'unknown-key': [
    'A key, setting or kind has no meaning here',
    '`teams: { a: { titel: A } }`',
    'Use the key that is suggested, or remove it',
  ],
  value: [
    'A value has the wrong type, or is out of range',
    '`title: true`',
    'Write a value as the message says',
  ],
  null: [
    'The value cannot be `null`',
    '`title: null`',
    'Give it a value, or remove the line to leave it unmanaged',
  ],
  'unknown-value': [
    'The value is not one of those that are known: an error where the API lists them all, else a warning',
    '`visibility: pubic`',
    'Use one of the known values',
  ],
  'unknown-reference': [
    'A reference names no declared object',
    '`defaultTeam: plattform`',
    'Declare the object, or fix the key',
  ],
  'ambiguous-reference': [
    'A reference fits several declared objects',
    '`default: main`, in two sections',
    'Write the whole address',
  ],
  'cyclic-reference': [
    'Objects refer to each other in a cycle',
    'spaces a and b, each a duplicate of the other',
    'Remove one of the references',
  ],
  interpolation: [
    '`${…}` cannot be filled in',
    '`${evn:NAME}`',
    'Write `${env:NAME}`, `${file:path}`, `${json:path}`, `${yaml:path}`, `${secret:NAME}` or, in a template, `${input:NAME}`; `$${` is a literal `${`',
  ],
  'cyclic-interpolation': [
    'Files include each other in a cycle',
    'a.yaml includes b.yaml, which includes a.yaml',
    'Remove one of the inclusions',
  ],
  'missing-variable': [
    'An environment variable is not set',
    '`${env:ORG_ID}`',
    'Set it, or write a default: `${env:ORG_ID:-org_acme}`',
  ],
  'missing-secret': [
    'The environment variable of a secret is not set, or empty',
    '`${secret:CERTIFICATE}`',
    'Set the environment variable',
  ],
  'missing-file': [
    'An included file does not exist',
    '`${file:okta.pem}`',
    'Check the path: it is relative to the file that contains it',
  ],
  'path-outside': [
    'An included file is outside of the workspace folder',
    '`${file:../../secret.pem}`',
    'Move the file into the folder',
  ],
  'too-many-inclusions': [
    'Files include each other too deep, or add up to more than 64 MiB',
    'ten files that include each other ten times each',
    'Include fewer or smaller files',
  ],
  config: [
    '`octavo.config.yaml` cannot be read',
    'two documents in octavo.config.yaml',
    'Write one document with the known settings',
  ],
} as const satisfies Readonly<Record<string, DiagnosticTexts>>;

export const authoringCodes = {
  'unknown-topic': [
    'There is nothing of that name to explain',
    '`octavo explain sites.colour`',
    'Use the name that is suggested; `octavo explain` lists what there is',
  ],
  init: [
    '`octavo init` lacks an answer, or was given one that does not do',
    '`octavo init`, in a pipeline',
    'Pass `--yes`, with `--base-url` and `--organization`',
  ],
  'init-exists': [
    '`octavo init` never writes over a file',
    'a folder with octavo.config.yaml',
    'Move the file away, or pass another `--dir`',
  ],
} as const satisfies Readonly<Record<string, DiagnosticTexts>>;

export const editingCodes = {
  accept: [
    'The live state cannot be written into the manifests: they would not be valid, or would mean something else as well',
    '`octavo drift --accept`, where an overlay brings back what was removed',
    'Accept fewer objects by naming their addresses, or edit the manifests by hand',
  ],
  format: [
    'A file cannot be formatted: it is not valid YAML, or its meaning would change',
    '`octavo fmt`, in a folder with a broken file',
    'Fix the file; `octavo validate` shows what is wrong',
  ],
} as const satisfies Readonly<Record<string, DiagnosticTexts>>;
