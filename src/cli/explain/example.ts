import { type OperationId, operationOf } from '../../contract/index.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Registry } from '../../kinds/registry.ts';
import { sampleKeyOf } from '../../kinds/sample-key.ts';
import type { ExplainedFact } from '../../report/results/explanation.ts';
import { nested } from '../../util/nested.ts';
import { dataOf, isDataMap } from '../../yaml/data.ts';
import { entriesText } from '../../yaml/print.ts';

export function exampleOf(registry: Registry, kind: Kind, name: string): string {
  const field = kind.fields[name];
  const value = field === undefined ? undefined : field.example;
  const isKey = kind.manifest.key?.is === 'field' && kind.manifest.key.field === name;
  const own = kind.manifest.whole === name ? value : isKey ? {} : nested([[name, value]]);
  return yamlText(placed(registry, kind, own));
}

export function placed(registry: Registry, kind: Kind, value: unknown): unknown {
  const [place] = kind.manifest.places;
  if (place === undefined) return { [kind.name]: value };
  const held = { [place.key]: place.shape === 'map' ? { [sampleKeyOf(kind)]: value } : value };
  return place.parent === registry.root.name ? held : placed(registry, registry.byName(place.parent), held);
}

export function yamlText(value: unknown): string {
  const data = dataOf(value);
  return isDataMap(data) ? entriesText(data, 0) : '';
}

/** Undefined if there is no text. */
export function fact(label: string, ...texts: readonly (string | undefined)[]): ExplainedFact | undefined {
  const said = texts.filter((text) => text !== undefined && text !== '').map((text) => plain(String(text)));
  return said.length === 0 ? undefined : { label, texts: said };
}

export function facts(...all: readonly (ExplainedFact | undefined)[]): readonly ExplainedFact[] {
  return all.filter((one) => one !== undefined);
}

/** Markdown as terminals show it. */
export function plain(markdown: string): string {
  return markdown.replaceAll('`', '');
}

/** For example `sections.update: PATCH /v1/orgs/{organizationId}/…`. */
export function operationLine(id: OperationId): string {
  const { method, path } = operationOf(id);
  return `${id}: ${method} ${path}`;
}

export function anchorOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
