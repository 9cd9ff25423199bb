/** Reports redirects of addresses in use, and redirect loops. */

import { fieldWith, valueWith } from '../../kinds/parts/field.ts';
import type { Value } from '../../kinds/parts/payload.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { DesiredNode } from '../../tree/desired.ts';
import type { DesiredTree } from '../../tree/desired-tree.ts';
import { resolveField } from '../../tree/references.ts';
import { pathField, sitePath } from '../../tree/site-paths.ts';
import { placeOfField, type Warning, type WarningInput } from './warning.ts';

interface Hop {
  readonly node: DesiredNode;
  readonly field: string;
  readonly source: string;
  /** Path of the target, if it may be on the same site. */
  readonly target: string | undefined;
  /** Host of a URL that may not be on the same site. */
  readonly host: string | undefined;
}

export function* redirectProblems({ trees, registry }: WarningInput): Generator<Warning> {
  for (const tree of trees) {
    const sites = new Map<string, Hop[]>();
    for (const node of tree.nodes.values()) {
      const one = redirectOf(tree, registry, node);
      if (one !== undefined && node.parent !== undefined)
        sites.set(node.parent, [...(sites.get(node.parent) ?? []), one]);
    }
    for (const [site, all] of sites) {
      yield* usedAddresses(tree, registry, { site, all });
      yield* loops(all);
    }
  }
}

function redirectOf(tree: DesiredTree, registry: Registry, node: DesiredNode): Hop | undefined {
  const to = fieldWith(registry.byName(node.kind), 'target');
  const value = to && node.fields[to.name];
  if (to === undefined || value === undefined || value === null) return undefined;
  const found = resolveField(tree, node, { field: to.field, value });
  const target = found?.type === 'node' ? tree.get(found.address) : undefined;
  const url = found === undefined && URL.canParse(String(value)) ? new URL(String(value)) : undefined;
  const site = tree.get(node.parent ?? '');
  const proxy = site && valueWith(registry.byName(site.kind), site.fields, 'host');
  const own = url && ownPath(proxy, url);
  return {
    node,
    field: to.name,
    source: node.key.replace(/(?<=.)\/$/, ''),
    target:
      target !== undefined
        ? pathOf(tree, registry, target)
        : url && (own ?? url.pathname.replace(/(?<=.)\/$/, '')),
    host: own === undefined ? url?.host : undefined,
  };
}

/** Undefined if the URL may not be one of the site; the site's proxy gives its host and path. */
function ownPath(proxy: Value | undefined, url: URL): string | undefined {
  const [host, ...base] = (typeof proxy === 'string' ? proxy : '').split('/');
  const prefix = base.map((part) => `/${part}`).join('');
  if (host !== url.host || !`${url.pathname}/`.startsWith(`${prefix}/`)) return undefined;
  return url.pathname.slice(prefix.length).replace(/\/$/, '');
}

function pathOf(tree: DesiredTree, registry: Registry, node: DesiredNode): string | undefined {
  return sitePath(registry, [...tree.ancestorsOf(node)].reverse().concat(node));
}

function* usedAddresses(
  tree: DesiredTree,
  registry: Registry,
  { site, all }: { readonly site: string; readonly all: readonly Hop[] },
): Generator<Warning> {
  const used = tree.inside(site).filter((node) => pathField(registry, node) !== undefined);
  const byPath = new Map(used.map((node) => [pathOf(tree, registry, node), node]));
  for (const { node, source } of all) {
    const other = byPath.get(source.replace(/\/?\*$/, ''));
    if (other === undefined) continue;
    yield {
      code: 'redirected-path',
      message: `${other.address} has the address that is redirected`,
      at: node.at,
      address: node.address,
      suggestion: 'remove the redirect, or redirect a path that is not in use',
      related: [{ message: 'used here', at: placeOfField(other, pathField(registry, other)?.name ?? '') }],
    };
  }
}

function* loops(all: readonly Hop[]): Generator<Warning> {
  const reported = new Set<Hop>();
  for (const first of all) {
    const way: Hop[] = [];
    for (let at = next(all, first.source); at !== undefined && !way.includes(at); ) {
      way.push(at);
      at = at.target === undefined ? undefined : next(all, at.target);
    }
    const end = way.at(-1);
    const again = end?.target === undefined ? undefined : next(all, end.target);
    const loop = again === undefined ? [] : way.slice(way.indexOf(again));
    const hosts = new Set(loop.flatMap(({ host }) => host ?? []));
    // One redirect to the same path of another host is common; several that form a loop there are not.
    const isLoop = hosts.size === 0 || (hosts.size === 1 && loop.length > 1);
    if (loop.length === 0 || !isLoop || loop.some((one) => reported.has(one))) continue;
    for (const one of loop) reported.add(one);
    const [start] = loop;
    if (start === undefined) continue;
    const [host] = hosts;
    const sources = [...loop, start].map(({ source }) => source).join(' → ');
    yield {
      code: 'redirect-loop',
      message: `redirect loop: ${sources}${host === undefined ? '' : `, if ${host} is the host of the site`}`,
      at: placeOfField(start.node, start.field),
      address: start.node.address,
      suggestion: 'change the target of one of them',
    };
  }
}

/** The exact match, else the longest source with a trailing star. */
function next(all: readonly Hop[], path: string): Hop | undefined {
  const exact = all.find(({ source }) => source === path);
  if (exact !== undefined) return exact;
  return all
    .filter(({ source }) => source.endsWith('*') && path.startsWith(source.slice(0, -1)))
    .sort((one, other) => other.source.length - one.source.length)[0];
}
