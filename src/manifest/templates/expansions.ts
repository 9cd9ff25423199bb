/** State shared by all expansions of a workspace. The expander itself is loaded only when a document uses a template. */
import type { Registry } from '../../kinds/registry.ts';
import type { SourceRange } from '../../util/diagnostic.ts';
import { entryOf, type LocatedMap } from '../../yaml/located.ts';
import type { Problems } from '../../yaml/problems.ts';
import { templatesKey } from '../files/paths.ts';
import type { FileDocument } from '../files/read-documents.ts';
import type { InterpolationOptions } from '../fill/interpolate.ts';
import type { Templates } from './declared.ts';
import type { SharedExpansions } from './expand.ts';
import { holdsUse } from './forms.ts';

const maxValues = 300_000;

interface ExpansionOptions {
  readonly registry: Registry;
  readonly isBase: boolean;
  readonly problems: Problems;
}

export class Expansions implements SharedExpansions {
  readonly registry: Registry;
  readonly isBase: boolean;
  readonly templates: Templates;
  /** Names of files with records. They need not be manifests. */
  readonly recordFiles = new Set<string>();
  #left = maxValues;

  private constructor(templates: Templates, { registry, isBase }: ExpansionOptions) {
    this.templates = templates;
    this.registry = registry;
    this.isBase = isBase;
  }

  static async of(documents: readonly FileDocument[], options: ExpansionOptions): Promise<Expansions> {
    const declaring = documents.filter(({ document }) => entryOf(document, templatesKey) !== undefined);
    if (declaring.length === 0) return new Expansions(new Map(), options);
    const { readTemplates } = await import('./declared.ts');
    return new Expansions(readTemplates(declaring, options.registry, options.problems), options);
  }

  /** The documents created from this one, or the document itself. */
  async expand(document: LocatedMap, filling: InterpolationOptions): Promise<readonly LocatedMap[]> {
    if (!holdsUse(document)) return [document];
    const { Expander } = await import('./expand.ts');
    return new Expander(this, filling).document(document);
  }

  spend(values: number, problems: Problems, at: SourceRange): boolean {
    const isFirst = this.#left >= 0;
    this.#left -= values;
    if (this.#left < 0 && isFirst)
      problems.error('too-many-values', 'templates make too many values', at, {
        suggestion: 'write shorter lists of records, or use fewer templates inside of templates',
      });
    return this.#left >= 0;
  }
}
