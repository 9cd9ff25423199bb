/** Reads `--variant` of `octavo serve`. */
import { randomVariants, type Variants, variantNames, variantSwitch } from '../server/variants.ts';
import { nearest } from '../util/nearest.ts';
import { userError } from '../util/user-error.ts';

/** The switches that the words set; the last word wins. `chance` is where `random` starts without a seed, between 0 and 1. */
export function readVariants(words: readonly string[], chance: number): Partial<Variants> {
  let chosen: Partial<Variants> = {};
  for (const word of words) {
    const seed = /^random(?::(\d{1,9}))?$/.exec(word);
    const more =
      seed === null ? readVariant(word) : randomVariants(numbersFrom(Number(seed[1] ?? chance * 1e9)));
    chosen = { ...chosen, ...more };
  }
  return chosen;
}

function readVariant(word: string): Partial<Variants> {
  const [, name = word, value] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
  const known = variantNames.find((one) => one === name);
  if (known === undefined) {
    const names = [...variantNames, 'random'];
    throw userError('variant', `unknown variant ${JSON.stringify(name)}`, suggestion(name, names));
  }
  const { values } = variantSwitch(known);
  if (value === undefined) {
    throw userError('variant', `the variant ${known} needs a value`, `pass ${known}=${values.join('|')}`);
  }
  if (!values.includes(value)) {
    throw userError(
      'variant',
      `the variant ${known} has no value ${JSON.stringify(value)}`,
      suggestion(value, values),
    );
  }
  return { [known]: value };
}

function suggestion(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return `${near === undefined ? '' : `did you mean ${near}? `}one of: ${candidates.join(', ')}`;
}

/** Numbers between 0 and 1 that follow from a seed. */
function numbersFrom(seed: number): () => number {
  let state = Math.floor(seed) % 2147483646;
  const next = () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
  state += 1;
  // The first numbers of seeds that are close are close.
  for (let at = 0; at < 8; at += 1) next();
  return next;
}
