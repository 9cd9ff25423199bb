/** Caches parsed files while a base is also read, because most of its files have the same text. */
import type { Located } from './located.ts';
import { Problems } from './problems.ts';
import { readYaml } from './read-yaml.ts';

export class ParsedTexts {
  readonly #known = new Map<
    string,
    { readonly text: string; readonly documents: readonly Located[]; readonly problems: Problems }
  >();
  readonly #parse: typeof readYaml;

  constructor(parse: typeof readYaml = readYaml) {
    this.#parse = parse;
  }

  async parse(file: string, text: string, problems: Problems): Promise<readonly Located[]> {
    let known = this.#known.get(file);
    if (known?.text !== text) {
      const own = new Problems();
      known = { text, documents: await this.#parse(file, text, own), problems: own };
      this.#known.set(file, known);
    }
    problems.addAll(known.problems);
    return known.documents;
  }

  forget(): void {
    this.#known.clear();
  }
}
