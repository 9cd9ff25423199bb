/**
 * Checks of the service: reachable, the right one, accepts the token, what the token may read. Only reads, each with a timeout;
 * no text contains the token.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseBaseUrl } from '../../client/base-url.ts';
import { Looker, type Sight } from '../../client/look.ts';
import type { OperationOutput } from '../../contract/index.ts';
import type { DoctorCheck } from '../../report/results/checkup.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { version } from '../../util/version.ts';
import type { Invocation } from '../line/command.ts';
import { proxyFor, startEmbedded } from '../service/connection.ts';
import type { RunSettings } from '../service/settings.ts';
import { serviceToken } from '../service/token.ts';
import { problemsOf } from '../show/failure.ts';
import { failed, failedBy, ok, skipped, warning } from './checks.ts';
import {
  accessChecks,
  type LookContext,
  organizationsFor,
  tokenCheck,
  tokenRefused,
} from './token-checks.ts';

/** Smaller differences are fine: the header has whole seconds, and requests take time. */
const toleratedSkew = 60_000;

const later = ['service', 'clock', 'token', 'organization', 'access'] as const;

/** In order: each builds on the ones before. */
export async function serviceChecks(
  invocation: Invocation,
  settings: RunSettings,
  trees: readonly DesiredTree[],
): Promise<readonly DoctorCheck[]> {
  const { baseUrl } = settings;
  if (baseUrl === undefined) {
    const help = 'pass --base-url, set OCTAVO_BASE_URL, or write baseUrl in octavo.config.yaml';
    return [failed('base-url', 'no service is configured', help), ...notReached('base-url', later)];
  }
  let address = baseUrl;
  try {
    // As it is shown: without other parts that an address may have.
    if (!isLocal(baseUrl)) address = parseBaseUrl(baseUrl, { allowHttp: settings.allowHttp }).text;
    const target = await targetOf(invocation, settings, baseUrl);
    if ('checks' in target) return target.checks;
    try {
      return [...target.own, ...(await lookedAt(target.looker, { invocation, settings, trees }))];
    } finally {
      await target.close();
    }
  } catch (error) {
    const isToken = /token/.test(problemsOf(error)[0]?.code ?? '');
    const id = isToken ? 'token' : 'base-url';
    const own = isToken ? [ok('base-url', address)] : [];
    return [
      ...own,
      failedBy(id, error),
      ...notReached(
        id,
        later.filter((one) => one !== id),
      ),
    ];
  }
}

interface LookTarget {
  readonly looker: Looker;
  readonly own: readonly DoctorCheck[];
  readonly close: () => Promise<void>;
}

function isLocal(baseUrl: string): boolean {
  return /^local(?::|$)/.test(baseUrl);
}

async function targetOf(
  invocation: Invocation,
  settings: RunSettings,
  baseUrl: string,
): Promise<LookTarget | { readonly checks: readonly DoctorCheck[] }> {
  const { world, interrupt, cwd, env } = invocation;
  const common = {
    allowHttp: settings.allowHttp,
    userAgent: `octavo/${version}`,
    now: world.clock.now,
    signal: interrupt.signal,
  };
  const local = /^local(?::(.*))?$/s.exec(baseUrl);
  if (local === null) {
    const proxy = proxyFor(baseUrl, env);
    const looker = new Looker({
      ...common,
      baseUrl,
      // A check must not change anything, including the hosts that the user trusts.
      token: await serviceToken(invocation, settings, { untrusted: 'refuse' }),
      ...(proxy === undefined ? {} : { proxy }),
    });
    const through = proxy === undefined ? '' : `, through the proxy ${new URL(proxy).host}`;
    return { looker, own: [ok('base-url', `${looker.address.text}${through}`)], close: () => looker.close() };
  }
  const data = local[1] === undefined ? undefined : path.resolve(cwd, local[1]);
  if (data === undefined || !existsSync(data)) {
    const about =
      data === undefined
        ? 'the embedded service, in memory'
        : `the embedded service, in ${local[1]}, which is made by the first command`;
    return {
      checks: [
        ok('base-url', about),
        ...later.map((id) => skipped(id, 'the embedded service has no state yet')),
      ],
    };
  }
  const service = await startEmbedded({ data });
  const looker = new Looker({ ...common, baseUrl: service.url, token: service.token });
  const close = async () => {
    await looker.close();
    await service.close();
  };
  return { looker, own: [ok('base-url', `the embedded service, in ${local[1]}`)], close };
}

async function lookedAt(looker: Looker, context: LookContext): Promise<readonly DoctorCheck[]> {
  const sight = await looker.look('orgs.list');
  const { status, error, milliseconds, clocks } = sight;
  if (status === undefined) {
    const help = 'check the address, the network, and the proxy (HTTPS_PROXY, NO_PROXY)';
    return [
      failed('service', error?.message ?? 'no response', help),
      ...notReached('service', later.slice(1)),
    ];
  }
  const clock = clockCheck(clocks);
  if (status === 401) {
    const reached = ok('service', `reached in ${Math.round(milliseconds)} ms; it asks for another token`);
    return [reached, clock, tokenRefused(context, sight), ...notReached('token', later.slice(3))];
  }
  if (error !== undefined) {
    const help = 'check that the base URL is the address before /v1, and that nothing else answers there';
    return [failed('service', error.message, help), clock, ...notReached('service', later.slice(2))];
  }
  const { items } = sight.value as OperationOutput<'orgs.list'>;
  const reached = ok('service', `responds as documented, in ${Math.round(milliseconds)} ms`);
  const found = await organizationsFor(looker, items, context.trees);
  return [
    reached,
    clock,
    tokenCheck(context, items),
    ...found.checks,
    ...(await accessChecks(looker, found.organizations, context.trees)),
  ];
}

function clockCheck(clocks: Sight['clocks']): DoctorCheck {
  if (clocks === undefined) return skipped('clock', 'the service does not say what time it is');
  const ahead = Math.round((clocks.ours - clocks.theirs) / 1000);
  if (Math.abs(ahead) * 1000 <= toleratedSkew) return ok('clock', 'agrees with that of the service');
  const message = `this machine is ${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} the service`;
  return warning('clock', message, 'set the clock (NTP): leases of locks and times in histories go by it');
}

function notReached(what: string, ids: readonly string[]): readonly DoctorCheck[] {
  return ids.map((id) => skipped(id, `not checked: see ${what}`));
}
