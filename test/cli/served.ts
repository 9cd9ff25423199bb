/** A service behind a socket that ends with its test: for commands, and for what others do in the app. */
import { expect, onTestFinished } from 'vitest';
import { type ServiceOptions, startService } from '../../src/server/index.ts';

const acme = { organizations: [{ id: 'org_acme', title: 'Acme' }] };

export async function served(options: Partial<ServiceOptions> = {}) {
  const service = await startService({ data: ':memory:', seed: acme, ...options });
  onTestFinished(() => service.close());
  const { url, token } = service;
  /** Sends a request past Octavo, which must succeed; `path` follows the version. Returns the response. */
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(`${response.status} ${text}`).toMatch(/^2/);
    return text === '' ? undefined : JSON.parse(text);
  };
  return { service, env: { OCTAVO_BASE_URL: url, OCTAVO_TOKEN: token }, send };
}
