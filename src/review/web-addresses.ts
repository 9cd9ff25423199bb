/**
 * Web addresses that change, are lost or are reassigned to another object: a view of the live tree and the steps. An address is
 * predicted only if the service's addresses demonstrably consist of the paths of the containers.
 *
 *     section guides → docs    https://acme.example/hub/guides → https://acme.example/hub/docs, with all below it
 */
import type { PlanContext } from '../plan/context.ts';
import { isUpdate, type Step } from '../plan/plan.ts';
import { titleOf } from '../plan/title-of.ts';
import { isSecret } from '../plan/values/secret-fields.ts';
import type { LiveNode } from '../tree/live.ts';
import { deletedBy, RefSet, refText } from '../tree/refs.ts';
import { isDraft, pathField, sitePath } from '../tree/site-paths.ts';
import { defined } from '../util/defined.ts';
import { grouped } from '../util/group.ts';
import { compareTexts } from '../util/lists.ts';
import { declaredPath, livePath } from './former-links.ts';
import type { WebAddress } from './reviewed-plan.ts';

export function webAddresses(context: PlanContext, steps: readonly Step[]): readonly WebAddress[] {
  const { live: tree } = context;
  const sites = tree
    .nodes()
    .filter((live) => context.kindOf(live).display.navigation === true && live.url !== undefined);
  const inside = new Map(sites.map((site) => [site, [] as LiveNode[]]));
  for (const node of tree.nodes()) for (const above of tree.ancestorsOf(node)) inside.get(above)?.push(node);
  return [...inside].flatMap(([site, nodes]) => new SiteAddresses(context, steps, site).changes(nodes));
}

interface AddressedObject {
  readonly live: LiveNode | undefined;
  readonly address: string | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

class SiteAddresses {
  readonly #context: PlanContext;
  readonly #site: LiveNode;
  /** Keyed by the id of the live object, or by the address of a new one. */
  readonly #steps: ReadonlyMap<string, readonly Step[]>;
  readonly #gone: RefSet;

  constructor(context: PlanContext, steps: readonly Step[], site: LiveNode) {
    this.#context = context;
    this.#site = site;
    this.#steps = grouped(steps, ({ kind, liveId, address }) =>
      liveId === undefined ? address : refText({ kind, id: liveId }),
    );
    this.#gone = new RefSet(steps.filter(({ phase }) => phase === 'delete').flatMap(deletedBy));
  }

  /** `nodes`: all live objects inside the site. */
  changes(nodes: readonly LiveNode[]): readonly WebAddress[] {
    const { desired, matching, registry } = this.#context;
    const site = matching.addressOf(this.#site);
    const base = this.#baseAfter();
    // The effect of another base on the site's address is unknown.
    if (base === null) return [];
    const { url } = this.#site;
    const inside = nodes.filter((node) => pathField(registry, node) !== undefined && this.#isShown(node));
    const made =
      site === undefined ? [] : desired.inside(site).filter(({ address }) => this.#steps.has(address));
    const placed: readonly AddressedObject[] = [
      ...(this.#isShown(this.#site) ? [{ live: this.#site, address: site, before: url, after: base }] : []),
      ...inside.map((node) => this.#placed(node, base)),
      ...(base === undefined ? [] : made.flatMap(({ address }) => this.#made(address, base))),
    ];
    const taken = new Map(placed.flatMap((one) => (one.after === undefined ? [] : [[one.after, one]])));
    const changed = placed.filter((one) => one.before !== undefined && one.before !== one.after);
    const byLive = new Map(changed.map((one) => [one.live, one]));
    // Contents move with their parent, unless their own path also changes.
    const above = (one: AddressedObject) =>
      (one.live === undefined ? [] : this.#context.live.ancestorsOf(one.live))
        .flatMap((live) => byLive.get(live) ?? [])
        .filter((other) => goesWith(one, other));
    const below = new Map<AddressedObject, number>();
    for (const one of changed) for (const other of above(one)) below.set(other, (below.get(other) ?? 0) + 1);
    return changed
      .filter((one) => above(one).length === 0)
      .map((one) => this.#shown(one, below.get(one) ?? 0, taken.get(one.before ?? '')))
      .sort((left, right) => compareTexts(left.from, right.from));
  }

  #isShown(node: LiveNode): boolean {
    const { registry, live } = this.#context;
    const chain = [node, ...live.ancestorsOf(node)];
    const isPart = (one: LiveNode, name: string) =>
      /^(?:path|base)$/.test(registry.byName(one.kind).fields[name]?.trait?.is ?? '');
    const isHidden = chain.some((one) =>
      Object.keys(one.fields).some((name) => isSecret(this.#context, one, name) && isPart(one, name)),
    );
    return node.deleted !== true && !chain.some((one) => isDraft(registry, one)) && !isHidden;
  }

  #placed(node: LiveNode, base: string | undefined): AddressedObject {
    const address = this.#context.matching.addressOf(node);
    const chain = [node, ...this.#context.live.ancestorsOf(node)];
    const path = livePath(this.#context, node);
    // Addresses of another form are not predicted.
    const before = path !== undefined && node.url === join(this.#site.url ?? '', path) ? node.url : undefined;
    const isGone = chain.some((one) => this.#gone.has(one));
    const own = this.#context.desired.get(address ?? '');
    const above = own === undefined ? chain.slice(1) : this.#context.desired.ancestorsOf(own);
    const chainAfter = [node, ...above].map((one) => {
      const live = 'address' in one ? this.#context.liveOf(one.address) : one;
      return { kind: one.kind, fields: live === undefined ? one.fields : this.#fieldsAfter(live) };
    });
    const after = sitePath(this.#context.registry, chainAfter.toReversed());
    const isLost =
      isGone ||
      chainAfter.some((one) => isDraft(this.#context.registry, one)) ||
      after === undefined ||
      base === undefined;
    return { live: node, address, before, after: isLost ? undefined : join(base, after) };
  }

  /** A new object, or the replacement of another one. */
  #made(address: string, base: string): readonly AddressedObject[] {
    const { desired, registry } = this.#context;
    const node = desired.get(address);
    if (node === undefined || pathField(registry, node) === undefined) return [];
    const path = declaredPath(this.#context, node);
    if (path === undefined) return [];
    return [{ live: undefined, address, before: undefined, after: join(base, path) }];
  }

  #fieldsAfter(live: LiveNode): LiveNode['fields'] {
    const changes = (this.#steps.get(refText(live)) ?? [])
      .filter(isUpdate)
      .flatMap((step) => step.fields)
      .flatMap(({ field, after }) =>
        typeof after === 'string' || typeof after === 'boolean' ? [[field, after]] : [],
      );
    return { ...live.fields, ...Object.fromEntries(changes) };
  }

  /** Undefined if the site is no longer reachable, null if its address is unknown. */
  #baseAfter(): string | undefined | null {
    const { url = '' } = this.#site;
    if (this.#gone.has(this.#site)) return undefined;
    const changes = (this.#steps.get(refText(this.#site)) ?? []).flatMap(({ fields }) => fields);
    const { fields } = this.#context.kindOf(this.#site);
    let base: string | null = url;
    for (const { field, before, after } of changes) {
      const { trait } = fields[field] ?? {};
      if (trait?.is === 'live' && after === false) return undefined;
      if (trait?.is !== 'base') continue;
      const end = `/${encodeURIComponent(String(before))}`;
      const plain = url.replace(/\/$/, '');
      base = plain.endsWith(end)
        ? `${plain.slice(0, -end.length)}/${encodeURIComponent(String(after))}${url.slice(plain.length)}`
        : null;
    }
    return base;
  }

  #shown(one: AddressedObject, below: number, taker: AddressedObject | undefined): WebAddress {
    const { live, address, before = '', after } = one;
    return {
      from: before,
      ...defined({
        to: after,
        address,
        takenBy: taker === one ? undefined : taker?.address,
      }),
      noun: live === undefined ? '' : this.#context.kindOf(live).noun,
      title: live === undefined ? '' : titleOf(this.#context, live),
      ...(below === 0 ? {} : { below }),
    };
  }
}

function goesWith({ before = '', after }: AddressedObject, above: AddressedObject): boolean {
  const rest = before.slice(above.before?.replace(/\/$/, '').length);
  return after === (above.after && join(above.after, rest));
}

function join(base: string, path: string): string {
  return `${base.replace(/\/$/, '')}${path}`;
}
