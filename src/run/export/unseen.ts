/** Parts that may be live but are not in the export: the token may not read them, or no list shows them. */
import type { ApiError } from '../../contract/api.ts';
import type { Registry } from '../../kinds/registry.ts';
import type { LiveNode } from '../../tree/live.ts';
import { countOf } from '../../util/count.ts';
import { grouped } from '../../util/group.ts';
import { isAbsent } from '../reads/absent-parts.ts';
import type { ExportInput, RefusedRead } from './export-input.ts';
import type { Outline } from './outline.ts';

/** `reason` is a clause. */
export function unseenParts({ outline, state, selection }: ExportInput) {
  const { refused, registry } = state;
  const nameOf = ({ read }: RefusedRead) => {
    if (read.type === 'list' || read.type === 'single') return `${registry.byName(read.kind).noun}s`;
    return read.type === 'field' ? read.field : read.type;
  };
  const closed = [...grouped(refused, nameOf)].map(([what, all]) => ({
    what: inPlaces(what, all, outline),
    reason: [...new Set(all.map(({ error }) => reasonOf(error)))].join('; '),
  }));
  const unnamed = outline.unnamed
    .map(({ node, reason }) => ({ kind: registry.byName(node.kind), id: node.id, reason }))
    .filter(({ kind }) => selection.mayHave(kind))
    .map(({ kind, id, reason }) => ({ what: `${kind.noun} ${id}`, reason }));
  const unseen = registry.kinds
    .filter((kind) => selection.mayHave(kind) && (kind.needs === undefined || kind.reads.list === undefined))
    .flatMap(({ display, needs }) => {
      const reason =
        needs === undefined
          ? 'the API does not list them'
          : 'this service has others, which Octavo does not manage';
      return display.unseen === undefined ? [] : [{ what: display.unseen, reason }];
    });
  const texts = [...outline.objects]
    .filter(([, { kind }]) => selection.mayHave(registry.byName(kind)))
    .flatMap(([address, node]) => fileFields(registry, node).map((name) => `${name} of ${address}`))
    .map((what) => ({ what, reason: 'texts are not exported; name a file that has it' }));
  const hidden = state.live.seesAll
    ? []
    : [{ what: 'other objects', reason: 'this token sees only what its member sees' }];
  return [...hidden, ...closed, ...unnamed, ...unseen, ...texts];
}

/** Fields without a known value that hold the text of a file. */
function fileFields(registry: Registry, { kind, fields }: LiveNode): readonly string[] {
  const rules = Object.entries(registry.byName(kind).fields);
  return rules.flatMap(([name, { file }]) =>
    file === undefined || fields[name] !== undefined ? [] : [name],
  );
}

function reasonOf(error: ApiError): string {
  const { status, type, operation } = error;
  if (type === 'shape') return `the service shows them in an unknown form (${operation})`;
  if (isAbsent(error)) return `the service does not have them (status ${status})`;
  return `the service does not let this token read them (status ${status})`;
}

function inPlaces(what: string, all: readonly RefusedRead[], outline: Outline): string {
  const places = all.flatMap(({ read }) => ('of' in read ? (outline.addressOf(read.of) ?? read.of.id) : []));
  const [only] = places;
  if (only === undefined || only === outline.addressOf(outline.root)) return what;
  return places.length === 1 ? `${what} of ${only}` : `${what} of ${countOf(places.length, 'object')}`;
}
