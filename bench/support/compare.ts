/** Runs contestants alternately, and calculates ratios that are valid on any machine. */

/** Samples of each contestant, one per round. */
export type Samples<Name extends string, Sample> = Readonly<Record<Name, readonly Sample[]>>;

/** A ratio of pairs that ran next to each other. */
export interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Runs each contestant once to warm up, then all of them alternately, each round in another order. */
export async function byTurns<Name extends string, Sample>(
  rounds: number,
  contestants: Readonly<Record<Name, () => Promise<Sample>>>,
): Promise<Samples<Name, Sample>> {
  const names = Object.keys(contestants) as Name[];
  for (const name of names) await contestants[name]();
  const samples = Object.fromEntries(names.map((name) => [name, [] as Sample[]])) as Record<Name, Sample[]>;
  for (let round = 0; round < rounds; round += 1) {
    const turn = round % names.length;
    for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
      samples[name].push(await contestants[name]());
    }
  }
  return samples;
}

/** Divides each number of the first by the number of the second in the same round. */
export function ratioOf(over: readonly number[], under: readonly number[]): Ratio {
  const ratios = over.map((value, at) => value / (under[at] ?? Number.NaN));
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

/** The median: the middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const low = sorted[Math.floor(middle)] ?? Number.NaN;
  const high = sorted[Math.ceil(middle)] ?? Number.NaN;
  return (low + high) / 2;
}

/** The exponent of growth between sizes: the slope of a line through the logarithms. 1 is linear, 2 quadratic. */
export function exponentOf(points: readonly (readonly [size: number, cost: number])[]): number {
  const logs = points.map(([size, cost]) => [Math.log(size), Math.log(cost)] as const);
  const mean = (at: 0 | 1) => logs.reduce((sum, point) => sum + point[at], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const over = logs.reduce((sum, [size, cost]) => sum + (size - x) * (cost - y), 0);
  return over / logs.reduce((sum, [size]) => sum + (size - x) ** 2, 0);
}
