import type { DiagnosticTexts } from './texts.ts';

export const connectingCodes = {
  'base-url': [
    'The base URL is not valid',
    '`--base-url acme.dev/v1`',
    'Pass the address before `/v1`, with https',
  ],
  'no-base-url': [
    'No service is configured',
    '`octavo plan`, without --base-url',
    'Pass `--base-url`, set `OCTAVO_BASE_URL` or write `baseUrl` in `octavo.config.yaml`',
  ],
  proxy: [
    'An environment variable does not hold the address of an HTTP proxy',
    '`HTTPS_PROXY=proxy`',
    'Write it as http://proxy.acme.dev:3128',
  ],
  'not-in-service': [
    'The service does not have a kind of object, or shows it in an unknown form',
    '`customFields:`, at a service whose list of custom fields is not found',
    'Take it out of the manifests; check the base URL and what the token may see',
  ],
  'no-token': [
    'No token is configured',
    '`octavo plan`, without OCTAVO_TOKEN',
    'Set `OCTAVO_TOKEN` or `OCTAVO_TOKEN_FILE`, or pass `--token-file`',
  ],
  'token-file': [
    'The file of the token cannot be read, or octavo.config.yaml names one outside of its folder',
    '`--token-file token`',
    'Check the path and the permissions; name a file elsewhere with `OCTAVO_TOKEN_FILE`',
  ],
  'untrusted-host': [
    'Only octavo.config.yaml names the host that would get the token',
    '`octavo plan`, in a checkout whose `baseUrl` nobody has confirmed',
    'Set `OCTAVO_BASE_URL`, or run a command at a terminal and answer its question',
  ],
  'trusted-hosts': [
    'The list of the hosts that you trust cannot be read or written',
    '`trusted-hosts.json` that was cut off',
    'Fix or delete the file that the message names; Octavo asks again',
  ],
  token: ['The token cannot be sent in a header', 'a token with a line break in it', 'Copy the token again'],
} as const satisfies Readonly<Record<string, DiagnosticTexts>>;
