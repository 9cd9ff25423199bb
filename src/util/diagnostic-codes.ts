/** All codes of diagnostics. The compiler rejects others, and a test finds unused ones. */

// biome-ignore format: a list of words
export const diagnosticCodes = [
  // Manifests
  'repository-in-manifests', 'match-invalidated', 'rules', 'yaml', 'duplicate-key', 'merge-key', 'alias', 'key', 'not-a-value',
  'too-many-values', 'nested-too-deep', 'not-json', 'version', 'not-a-manifest', 'no-manifests', 'not-found', 'link-outside',
  'unreadable', 'file-too-large', 'not-text', 'not-utf8', 'organization', 'declared-twice', 'overlay', 'template', 'levels',
  'exclusive-keys', 'unusual-value', 'unknown-key', 'value', 'null', 'unknown-value', 'unknown-reference',
  'ambiguous-reference', 'cyclic-reference', 'interpolation', 'cyclic-interpolation', 'missing-variable', 'missing-secret',
  'missing-file', 'path-outside', 'too-many-inclusions', 'too-many-folders', 'config',
  // Warnings of validate
  'unused-file', 'unreachable-section', 'visibility-wider-than-space', 'unknown-condition-attribute', 'redirect-loop',
  'redirected-path', 'swallowed-text', 'ending',
  // Planning
  'organization-not-found', 'ambiguous-identity', 'no-identity', 'indistinguishable', 'id-not-found', 'id-elsewhere',
  'id-claimed-twice', 'other-organization', 'recorded-otherwise', 'former-name', 'call-not-accepted', 'cannot-create',
  'cannot-change', 'contradiction', 'value-taken', 'value-wanted-twice', 'probable-rename', 'not-undone',
  'refused-rules', 'rules-changed', 'refused-unseen', 'unseen', 'refused-limits', 'refused-last-one', 'refused-own-member',
  'refused-lockout', 'refused-exclusive', 'refused-kept-value', 'refused-contents', 'refused-default', 'refused-protect', 'refused-synced',
  'refused-made-by-others', 'refused-open-work', 'refused-missing', 'refused-swap-or-swapped', 'refused-rename', 'refused-transfer',
  // Connecting
  'base-url', 'no-base-url', 'proxy', 'not-in-service', 'no-token', 'token-file', 'untrusted-host', 'trusted-hosts', 'token',
  // Commands
  'usage', 'file', 'base', 'base-ahead', 'base-moved', 'no-such-person', 'no-such-address', 'merge-conflict', 'no-record',
  'locked', 'lock', 'shard', 'lock-lost', 'report-merge', 'format-file', 'max-rps', 'parallelism',
  'approved', 'unexpected-plan', 'plan-stale', 'plan-file', 'out', 'record', 'refused', 'forge', 'forge-place',
  'ci', 'comment-key', 'comment-body', 'no-approval', 'rehearsal', 'not-approved', 'changed', 'read-only', 'write', 'export-differs',
  'exists', 'ids-of-one-organization', 'operation', 'api-input', 'api-status', 'api-connection',
  'api-timeout', 'api-shape', 'api-response', 'api-cancelled', 'body', 'field', 'paginate', 'embedded-service',
  'test-file', 'test', 'seed', 'faults', 'variant', 'port', 'host', 'allow-fetch', 'unknown-run', 'other-service', 'journal',
  'unfinished-run', 'system', 'bug',
  // Authoring
  'unknown-topic', 'init',
  // Editing
  'accept', 'format', 'interrupted-write',
] as const;

export type DiagnosticCode = (typeof diagnosticCodes)[number];

/** Example: `limits` for the code `refused-limits`. */
export type GuardName = DiagnosticCode extends infer Code
  ? Code extends `refused-${infer Name}`
    ? Name
    : never
  : never;
