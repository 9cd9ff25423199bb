/**
 * Addresses on a site that stop working, and the redirects that would keep them working.
 *
 *     section guides → docs    /guides: { to: docs } and /guides/*: { to: docs, wildcard: true }
 */
import { once } from '../contract/once.ts';
import type { Kind } from '../kinds/kind.ts';
import type { PlanContext } from '../plan/context.ts';
import type { Step } from '../plan/plan.ts';
import { Removals } from '../plan/removals.ts';
import type { DesiredNode } from '../tree/desired.ts';
import type { LiveNode } from '../tree/live.ts';
import type { Read } from '../tree/reads.ts';
import { resolveField } from '../tree/references.ts';
import { isDraft, pathField, sitePath } from '../tree/site-paths.ts';
import { countOf } from '../util/count.ts';
import { grouped } from '../util/group.ts';
import { compareTexts } from '../util/lists.ts';
import { remembered } from '../util/remembered.ts';
import type { MissingRedirects, StepRisk } from './reviewed-plan.ts';

interface LostPath {
  readonly path: string;
  readonly site: LiveNode;
  readonly keeper: Kind;
}

/** Reads the live redirects of a site only if one may be needed. */
export function formerLinkReads(context: PlanContext, removals: Removals): readonly Read[] {
  const links = new FormerLinks(context, removals);
  return context.live.nodes().flatMap((live): readonly Read[] => {
    const lost = links.lostBy(live);
    if (lost === undefined) return [];
    const { keeper, site } = lost;
    return [{ type: 'list', kind: keeper.name, of: { kind: site.kind, id: site.id } }];
  });
}

export class FormerLinks {
  readonly #context: PlanContext;
  readonly #removals: Removals;

  constructor(context: PlanContext, removals: Removals = new Removals(context)) {
    this.#context = context;
    this.#removals = removals;
  }

  /** Omits the risk of a former address that visitors never had, or that redirects keep. */
  ofUpdate(live: LiveNode, risks: readonly StepRisk[]): readonly StepRisk[] {
    const name = this.#pathField(live)?.name;
    if (this.#isDraft([live, ...this.#context.live.ancestorsOf(live)]))
      return risks.filter(({ field }) => field !== name);
    if (!this.isRedirected(live)) return risks;
    return risks.filter(({ field, outside }) => field !== name || outside === true);
  }

  ofDelete(live: LiveNode): readonly StepRisk[] {
    const lost = this.lostBy(live);
    if (lost === undefined) return [];
    const left = this.#leadingTo(lost, live);
    const lead = `${countOf(left.length, lost.keeper.noun)} ${left.length === 1 ? 'leads' : 'lead'} to it`;
    return [
      ...(this.isRedirected(live) ? [] : [{ text: `links to ${lost.path} stop working` }]),
      ...(left.length === 0 ? [] : [{ text: `${lead}: ${left.join(', ')}` }]),
    ];
  }

  /** Redirects to add, by site, to keep the former addresses that steps remove. Empty for an undo, which has no manifests. */
  missingRedirects(steps: readonly Step[]): readonly MissingRedirects[] {
    if (this.#context.base?.undoes !== undefined) return [];
    const found = steps.flatMap((step): readonly MissingRedirects[] => {
      const { kind, liveId: id = '', phase, fields } = step;
      const live = this.#context.live.get({ kind, id });
      const name = this.#pathField(step)?.name;
      const isMoved = phase === 'attach' || fields.some(({ field }) => field === name);
      const lost = live && (phase === 'delete' || isMoved) ? this.lostBy(live) : undefined;
      return live === undefined || lost === undefined ? [] : this.#redirectsFor(live, lost);
    });
    const groups = grouped(found, ({ in: site, key }) => `${site} ${key}`);
    return [...groups.values()].flatMap((own) =>
      own.slice(0, 1).map((first) => ({ ...first, lines: [...new Set(own.flatMap(({ lines }) => lines))] })),
    );
  }

  #redirectsFor(live: LiveNode, lost: LostPath): readonly MissingRedirects[] {
    const own = this.#context.desired.get(this.#context.matching.addressOf(live) ?? '');
    const target = own ?? this.#substitute(lost, live);
    const missing = target && this.#missingLines(lost, target, own === undefined ? '' : ', wildcard: true');
    return missing === undefined || missing.lines.length === 0 ? [] : [missing];
  }

  /** True if live or, by default, declared redirects cover the former address and all addresses below it. */
  isRedirected(live: LiveNode, isMade: (address: string) => boolean = () => true): boolean {
    const lost = this.lostBy(live);
    if (lost === undefined) return false;
    const known = this.#sources(lost, isMade);
    return known.has(lost.path) && known.has(`${lost.path}/*`);
  }

  /** Undefined if the address keeps working, even for another object, if visitors never had it, or if the service has no redirects. */
  lostBy(live: LiveNode): LostPath | undefined {
    const field = this.#pathField(live);
    if (field === undefined || live.deleted === true) return undefined;
    const keeper = this.#context.registry.byName(field.trait.keptBy);
    const per = keeper.reads.list?.per;
    const above = this.#context.live.ancestorsOf(live);
    const site = above.find(({ kind }) => kind === per);
    if (site === undefined || this.#isDraft([live, ...above]) || this.#removals.deletes(site))
      return undefined;
    const path = livePath(this.#context, live);
    if (path === undefined) return undefined;
    const container = this.#context.live.parentOf(live);
    if (container !== undefined && container !== site && this.#removals.deletes(container)) return undefined;
    return this.#after(site).has(path) ? undefined : { path, site, keeper };
  }

  #pathField(node: { readonly kind: string }) {
    return pathField(this.#context.registry, node);
  }

  readonly #after = remembered((site: LiveNode): ReadonlySet<string> => {
    const unlisted = this.#unlisted().filter((live) => this.#context.live.ancestorsOf(live).includes(site));
    const address = this.#context.matching.addressOf(site);
    const declared = address === undefined ? [] : this.#context.desired.inside(address);
    const paths = [
      ...unlisted.map((live) => livePath(this.#context, live)),
      ...declared
        .filter((node) => this.#pathField(node) !== undefined)
        .map((node) => declaredPath(this.#context, node)),
    ];
    return new Set(paths.flatMap((path) => path ?? []));
  });

  /** Unlisted objects of all sites that are kept. */
  readonly #unlisted = once((): readonly LiveNode[] => {
    const { live, matching } = this.#context;
    const isUnlisted = (one: LiveNode) =>
      matching.addressOf(one) === undefined && this.#pathField(one) !== undefined;
    return live.nodes().filter((one) => isUnlisted(one) && !this.#removals.deletes(one));
  });

  #redirectsOf({ site, keeper }: LostPath): readonly LiveNode[] {
    return this.#context.live.inScope(site, keeper.name).filter((one) => !this.#removals.deletes(one));
  }

  #missingLines(lost: LostPath, target: DesiredNode, more: string): MissingRedirects {
    const { keeper, path, site } = lost;
    const address = this.#context.matching.addressOf(site) ?? '';
    const { keySchema } = keyOfKind(keeper);
    const known = this.#sources(lost);
    const name = this.#nameOf(target, address, keeper);
    const lines = [
      [path, `{ to: ${name} }`],
      [`${path}/*`, `{ to: ${name}${more} }`],
    ] as const;
    const wanted = lines.filter(([source]) => !known.has(source) && keySchema?.safeParse(source).success);
    return {
      key: collectionOf(lost),
      in: address,
      lines: wanted.map(([source, data]) => `${source}: ${data}`),
    };
  }

  #sources(lost: LostPath, isMade: (address: string) => boolean = () => true): ReadonlySet<string> {
    const { desired, matching } = this.#context;
    const { key } = keyOfKind(lost.keeper);
    const live = this.#redirectsOf(lost).map(({ fields }) => String(fields[key]));
    const declared = desired.childrenOf(matching.addressOf(lost.site) ?? '', collectionOf(lost));
    const made = declared.filter(({ address }) => isMade(address)).map((node) => node.key);
    return new Set([...live, ...made]);
  }

  /** Uses the key if a redirect of the site can refer to the object by it, unambiguously. */
  #nameOf(target: DesiredNode, site: string, keeper: Kind): string {
    const from: DesiredNode = { ...target, kind: keeper.name, address: `${site}/x/x`, parent: site };
    const [field] = Object.values(keeper.fields).filter(({ type }) => type === 'reference');
    const found = resolveField(this.#context.desired, from, { field, value: target.key });
    return found?.type === 'node' && found.address === target.address ? target.key : target.address;
  }

  /** Target for a redirect: the container, else the default of the site, else the first kept object. */
  #substitute({ site }: LostPath, live: LiveNode): DesiredNode | undefined {
    const { desired, matching } = this.#context;
    const container = this.#context.live.parentOf(live);
    const parent = container === undefined ? undefined : desired.get(matching.addressOf(container) ?? '');
    if (parent !== undefined && this.#pathField(parent) !== undefined) return parent;
    const holder = desired.get(matching.addressOf(site) ?? '');
    if (holder === undefined) return undefined;
    const named = Object.keys(holder.fields).flatMap((name) => this.#context.targetOf(holder, name) ?? []);
    const inside = desired.inside(holder.address).filter((node) => this.#pathField(node) !== undefined);
    return inside.find(({ address }) => named.includes(address)) ?? inside[0];
  }

  /** Undeclared redirects that lose their target. */
  #leadingTo(lost: LostPath, live: LiveNode): readonly string[] {
    const { key: keyField } = keyOfKind(lost.keeper);
    const gone = [live, ...this.#context.live.childrenOf(live)];
    return this.#redirectsOf(lost)
      .filter((one) => this.#context.matching.addressOf(one) === undefined)
      .filter((one) => gone.some(({ id }) => Object.values(one.fields).includes(id)))
      .map(({ fields }) => String(fields[keyField]))
      .sort(compareTexts);
  }

  #isDraft(chain: readonly LiveNode[]): boolean {
    return chain.some((one) => isDraft(this.#context.registry, one));
  }
}

/** Path of a live object on its site, with those of its containers. */
export function livePath({ registry, live }: PlanContext, node: LiveNode): string | undefined {
  return sitePath(registry, [node, ...live.ancestorsOf(node)].reverse());
}

/** The same for a declared object. Undeclared values are those of the live object. */
export function declaredPath(context: PlanContext, node: DesiredNode): string | undefined {
  const chain = [node, ...context.desired.ancestorsOf(node)].reverse();
  const fieldsOf = ({ address, fields }: DesiredNode) => ({ ...context.liveOf(address)?.fields, ...fields });
  return sitePath(
    context.registry,
    chain.map((one) => ({ kind: one.kind, fields: fieldsOf(one) })),
  );
}

function collectionOf({ keeper, site }: LostPath): string {
  return keeper.manifest.places.find(({ parent }) => parent === site.kind)?.key ?? '';
}

function keyOfKind({ manifest: { key, keySchema } }: Kind) {
  return { key: key?.is === 'field' ? key.field : '', keySchema: keySchema?.() };
}
