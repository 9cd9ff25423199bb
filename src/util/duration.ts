/** Durations such as `30s`, `5m`, `1h`; a plain number is seconds. */

const units: Readonly<Record<string, number>> = { '': 1000, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Result in milliseconds: `1m30s` is 90 000. Undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|[smh]))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)(ms|[smh])/g)];
  return Math.round(parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0));
}

/** Uses up to two units: `45 s`, `2 min`, `2 min 5 s`, `3 h`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3600),
    Math.floor((seconds % 3600) / 60),
    seconds % 60,
  ];
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  if (minutes > 0) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
  return `${rest} s`;
}
