/**
 * Addresses on the web that change, are lost or become those of another object: a view of the live tree and the steps. An address is
 * foretold only where the service shows that its addresses are made of the paths on the way.
 *
 *     section guides → docs    https://acme.example/hub/guides → https://acme.example/hub/docs, with all below it
 */
import type { Kind } from '../kinds/kind.ts';
import type { LinkOutcome } from '../kinds/rules.ts';
import type { DesiredNode } from '../tree/desired.ts';
import type { LiveNode } from '../tree/live.ts';
import { pathField, sitePath } from '../tree/site-paths.ts';
import { defined } from '../util/defined.ts';
import { grouped } from '../util/group.ts';
import { compareTexts } from '../util/lists.ts';
import type { PlanContext } from './context.ts';
import { FormerLinks } from './diff/former-links.ts';
import type { Step, WebAddress } from './plan.ts';
import { isSecret } from './secret-fields.ts';
import { titleOf } from './title-of.ts';

export function webAddresses(
  context: PlanContext,
  steps: readonly Step[],
): readonly WebAddress[] | undefined {
  const found = bySite(context, steps).flatMap(([site, nodes]) =>
    site.url === undefined ? [] : new SiteAddresses(context, steps, site).changes(nodes),
  );
  return found.length === 0 ? undefined : found;
}

/** What becomes of addresses that visitors have, by the outermost object that changes them; by paths alone, since URLs may not be foretold. */
export function changedLinks(context: PlanContext, steps: readonly Step[]): readonly ChangedLink[] {
  return bySite(context, steps).flatMap(([site, nodes]) =>
    new SiteAddresses(context, steps, site).links(nodes),
  );
}

export interface ChangedLink {
  readonly live: LiveNode;
  readonly outcome: LinkOutcome;
}

function bySite(context: PlanContext, steps: readonly Step[]): readonly (readonly [LiveNode, LiveNode[]])[] {
  if (steps.length === 0) return [];
  const nodes = context.live.nodes();
  const sites = nodes.filter((live) => context.kindOf(live).display.navigation === true);
  const inside = new Map(sites.map((site) => [site, [] as LiveNode[]]));
  for (const node of nodes) for (const above of context.live.ancestorsOf(node)) inside.get(above)?.push(node);
  return [...inside];
}

/** An object with an address of its own. */
interface AddressedObject {
  readonly live: LiveNode | undefined;
  readonly address: string | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

class SiteAddresses {
  readonly #context: PlanContext;
  readonly #site: LiveNode;
  readonly #links: FormerLinks;
  /** By the id of the live object, or by the address of a new one. */
  readonly #steps: ReadonlyMap<string, readonly Step[]>;
  readonly #gone: ReadonlySet<string>;

  constructor(context: PlanContext, steps: readonly Step[], site: LiveNode) {
    this.#context = context;
    this.#site = site;
    this.#links = new FormerLinks(context);
    this.#steps = grouped(steps, ({ kind, liveId, address }) =>
      liveId === undefined ? address : keyOf(kind, liveId),
    );
    const deletes = steps.filter(({ phase }) => phase === 'delete');
    this.#gone = new Set(
      deletes.flatMap(({ kind, liveId = '', cascade = [] }) => [
        keyOf(kind, liveId),
        ...cascade.map((one) => keyOf(one.kind, one.id)),
      ]),
    );
  }

  /** `nodes`: all that are live inside the site. */
  changes(nodes: readonly LiveNode[]): readonly WebAddress[] {
    const { desired, matching } = this.#context;
    const site = matching.addressOf(this.#site);
    const inside = nodes.filter((node) => this.#isPlaced(node));
    const made =
      site === undefined ? [] : desired.inside(site).filter(({ address }) => this.#steps.has(address));
    const placed: readonly AddressedObject[] = [
      ...inside.map((node) => this.#placed(node)),
      ...made.flatMap(({ address }) => this.#made(address)),
    ];
    const taken = new Map(placed.flatMap((one) => (one.after === undefined ? [] : [[one.after, one]])));
    const changed = placed.filter((one) => one.before !== undefined && one.before !== one.after);
    // What is below an object goes with it.
    const outer = changed.filter((one) => !this.#isBelow(one, changed));
    return outer
      .map((one) => this.#shown(one, changed, taken.get(one.before ?? '')))
      .sort((left, right) => compareTexts(left.from, right.from));
  }

  links(nodes: readonly LiveNode[]): readonly ChangedLink[] {
    const { registry, live } = this.#context;
    const site = this.#site;
    const named = Object.entries(registry.byName(site.kind).fields);
    const set = (is: string) => named.filter(([, { trait }]) => trait?.is === is).map(([name]) => name);
    if (site.deleted === true || set('live').some((name) => site.fields[name] === false)) return [];
    const whole = [...set('base'), ...set('host')];
    const isMoved = this.#updates(site).some(
      ({ field, after }) => whole.includes(field) || (after === false && set('live').includes(field)),
    );
    if (isMoved || this.#isGone(site)) return [{ live: site, outcome: 'broken' }];
    const placed = nodes
      .filter((node) => pathField(registry, node) !== undefined && node.deleted !== true)
      .filter((node) => ![node, ...live.ancestorsOf(node)].some(({ fields }) => fields.draft === true))
      .map((node) => ({
        node,
        from: this.#path([node, ...live.ancestorsOf(node)]),
        to: this.#pathAfter(node),
      }));
    const takers = new Map(placed.flatMap(({ node, to }) => (to === undefined ? [] : [[to, node]])));
    const address = this.#context.matching.addressOf(site);
    const made = address === undefined ? [] : this.#context.desired.inside(address);
    const taken = new Set(
      made
        .filter((one) => this.#steps.has(one.address) && pathField(registry, one) !== undefined)
        .map((one) => this.#desiredPath(one)),
    );
    const isKept = ({ node, from, to }: (typeof placed)[number]) =>
      from === undefined ? !this.#isTouched(node) : from === to && !taken.has(to) && takers.get(to) === node;
    const changed = placed.filter((one) => !isKept(one));
    const byNode = new Map(changed.map((one) => [one.node, one]));
    // A redirect of everything below an object covers what keeps its own part of the address.
    const isCovered = ({ node }: (typeof placed)[number]) => {
      const above = live.ancestorsOf(node).find((one) => byNode.has(one));
      return above !== undefined && (this.#isGone(above) || !this.#isTouched(node, above));
    };
    return changed
      .filter((one) => !isCovered(one))
      .map(({ node, from }) => {
        const isFree = from !== undefined && !taken.has(from) && !takers.has(from);
        return { live: node, outcome: isFree && this.#isRedirected(node, from) ? 'redirected' : 'broken' };
      });
  }

  /** A step changes its address, or that of something around it. */
  #isTouched(node: LiveNode, below?: LiveNode): boolean {
    const above = this.#context.live.ancestorsOf(node);
    const chain = [node, ...above.slice(0, below === undefined ? undefined : above.indexOf(below))];
    return chain.some((one) => {
      const path = pathField(this.#context.registry, one)?.name;
      const isSet = this.#updates(one).some(({ field }) => field === path || field === 'draft');
      return isSet || this.#isGone(one) || this.#isMoved(one);
    });
  }

  #isGone({ kind, id }: LiveNode): boolean {
    return this.#gone.has(keyOf(kind, id));
  }

  #isMoved({ kind, id }: LiveNode): boolean {
    return (this.#steps.get(keyOf(kind, id)) ?? []).some(({ phase }) =>
      /^(?:attach|detach|move)$/.test(phase),
    );
  }

  #updates({ kind, id }: LiveNode): Step['fields'] {
    return (this.#steps.get(keyOf(kind, id)) ?? []).flatMap(({ fields }) => fields);
  }

  /** Undefined if visitors no longer have one. */
  #pathAfter(node: LiveNode): string | undefined {
    const { live, desired, matching } = this.#context;
    const chain = [node, ...live.ancestorsOf(node)];
    if (chain.some((one) => this.#isGone(one))) return undefined;
    if (
      chain.some((one) => this.#updates(one).some(({ field, after }) => field === 'draft' && after === true))
    )
      return undefined;
    const declared = desired.get(matching.addressOf(node) ?? '');
    if (declared !== undefined && this.#isMoved(node)) return this.#desiredPath(declared);
    return this.#path(chain.map((one) => ({ kind: one.kind, fields: this.#fieldsAfter(one) })));
  }

  #desiredPath(node: DesiredNode): string | undefined {
    const chain = [node, ...this.#context.desired.ancestorsOf(node)];
    return this.#path(
      chain.map(({ kind, address, fields }) => ({
        kind,
        fields: { ...this.#context.liveOf(address)?.fields, ...fields },
      })),
    );
  }

  /** Also what is below it; by redirects that are live, or made by a step. */
  #isRedirected(node: LiveNode, path: string): boolean {
    const { registry, live, desired, matching } = this.#context;
    const keeper = registry.byName(pathField(registry, node)?.trait.keptBy ?? '');
    const { key, places } = keeper.manifest;
    if (keeper.reads.list === undefined || key?.is !== 'field') return false;
    const collection = places.find(({ parent }) => parent === this.#site.kind)?.key ?? '';
    const stay = live.inScope(this.#site, keeper.name).filter((one) => !this.#isGone(one));
    const made = desired
      .childrenOf(matching.addressOf(this.#site) ?? '', collection)
      .filter(({ address }) => this.#steps.has(address));
    const known = new Set([...stay.map(({ fields }) => fields[key.field]), ...made.map((one) => one.key)]);
    return known.has(path) && known.has(`${path}/*`);
  }

  #isPlaced(node: LiveNode): boolean {
    const { registry, live } = this.#context;
    const chain = [node, ...live.ancestorsOf(node)];
    const isDraft = chain.some(({ fields }) => fields.draft === true);
    const isPart = (one: LiveNode, name: string) =>
      /^(?:path|base)$/.test(registry.byName(one.kind).fields[name]?.trait?.is ?? '');
    const isHidden = chain.some((one) =>
      Object.keys(one.fields).some((name) => isSecret(this.#context, one, name) && isPart(one, name)),
    );
    return pathField(registry, node) !== undefined && node.deleted !== true && !isDraft && !isHidden;
  }

  #placed(node: LiveNode): AddressedObject {
    const address = this.#context.matching.addressOf(node);
    const chain = [node, ...this.#context.live.ancestorsOf(node)];
    const path = this.#path(chain);
    // Another form of addresses is not foretold.
    const before = path !== undefined && node.url === join(this.#site.url ?? '', path) ? node.url : undefined;
    const isGone = chain.some((one) => this.#isGone(one));
    const after = this.#path(chain.map((one) => ({ kind: one.kind, fields: this.#fieldsAfter(one) })));
    const base = this.#baseAfter();
    return {
      live: node,
      address,
      before,
      after: isGone || after === undefined || base === undefined ? undefined : join(base, after),
    };
  }

  /** A new object, or a new one in the place of another. */
  #made(address: string): readonly AddressedObject[] {
    const { desired, registry } = this.#context;
    const node = desired.get(address);
    const base = this.#baseAfter();
    if (node === undefined || pathField(registry, node) === undefined || base === undefined) return [];
    const path = this.#desiredPath(node);
    return path === undefined
      ? []
      : [{ live: undefined, address, before: undefined, after: join(base, path) }];
  }

  /** `chain`: from the innermost object. */
  #path(
    chain: readonly { readonly kind: string; readonly fields: LiveNode['fields'] }[],
  ): string | undefined {
    return sitePath(this.#context.registry, [...chain].reverse());
  }

  #fieldsAfter({ kind, id, fields }: LiveNode): LiveNode['fields'] {
    const changes = (this.#steps.get(keyOf(kind, id)) ?? [])
      .filter(({ phase }) => phase === 'update')
      .flatMap((step) => step.fields)
      .filter(({ after }) => typeof after === 'string')
      .map(({ field, after }) => [field, String(after)] as const);
    return { ...fields, ...Object.fromEntries(changes) };
  }

  /** Undefined if nobody finds the site any more, or if it is not known under which address. */
  #baseAfter(): string | undefined {
    const { kind, url = '' } = this.#site;
    if (this.#isGone(this.#site)) return undefined;
    const changes = this.#updates(this.#site);
    const { fields } = this.#context.registry.byName(kind);
    let base: string | undefined = url;
    for (const { field, before, after } of changes) {
      const { trait } = fields[field] ?? {};
      if (trait?.is === 'live' && after === false) return undefined;
      if (trait?.is !== 'base') continue;
      const end = `/${encodeURIComponent(String(before))}`;
      const plain = url.replace(/\/$/, '');
      base = plain.endsWith(end)
        ? `${plain.slice(0, -end.length)}/${encodeURIComponent(String(after))}${url.slice(plain.length)}`
        : undefined;
    }
    return base;
  }

  #isBelow({ live }: AddressedObject, changed: readonly AddressedObject[]): boolean {
    if (live === undefined) return false;
    const above = new Set(this.#context.live.ancestorsOf(live));
    return changed.some((one) => one.live !== undefined && above.has(one.live));
  }

  #shown(
    one: AddressedObject,
    changed: readonly AddressedObject[],
    taker: AddressedObject | undefined,
  ): WebAddress {
    const { live, address, before = '', after } = one;
    const below = changed.filter(
      (other) =>
        other.live !== undefined &&
        live !== undefined &&
        this.#context.live.ancestorsOf(other.live).includes(live),
    ).length;
    const redirects = live === undefined ? undefined : this.#links.redirectsFor(live);
    return {
      from: before,
      ...defined({
        to: after,
        address,
        takenBy: taker === one ? undefined : taker?.address,
        redirects,
      }),
      noun: live === undefined ? '' : this.#context.kindOf(live).noun,
      title: live === undefined ? '' : titleOf(this.#context, live),
      ...(below === 0 ? {} : { below }),
    };
  }
}

function keyOf(kind: Kind['name'], id: string): string {
  return `${kind} ${id}`;
}

function join(base: string, path: string): string {
  return `${base.replace(/\/$/, '')}${path}`;
}
