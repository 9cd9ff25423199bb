/** Raw HTTP for the tests of the embedded service: plain `fetch`, not our own client. */
import { type Seed, type Service, type ServiceOptions, startService } from '../../src/server/index.ts';

/** A response with its parsed body. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the service may return any value; the tests check it
  readonly body: any;
}

/** Sends one request; `body` is sent as JSON. */
export type Call = (method: string, path: string, body?: unknown, token?: string | null) => Promise<Answer>;

/** Sends requests to a service with its own token, another one, or (null) none. */
export function caller(service: Pick<Service, 'url' | 'token'>): Call {
  return async (method, path, body, token = service.token) => {
    const headers: Record<string, string> = {};
    if (token !== null) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const response = await fetch(service.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  };
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A service in memory that records unexpected errors as failures. */
export async function startInMemory(
  seed: Seed,
  options: Partial<ServiceOptions> = {},
): Promise<{ service: Service; call: Call; failures: unknown[] }> {
  const failures: unknown[] = [];
  const service = await startService({
    data: ':memory:',
    seed,
    report: (error) => failures.push(error),
    ...options,
  });
  return { service, call: caller(service), failures };
}
