/** Places in ordered lists: random moves agree with a plain list, also when gaps between numbers run out. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byOrder, freeSlug, placeFor, slugOf } from '../../src/server/store/places.ts';
import { tries } from '../support/runs.ts';

interface Thing {
  readonly id: string;
  order: number;
}

function moved(things: Thing[], id: string, anchors: { before?: string; after?: string }): Thing[] {
  const others = things.filter((one) => one.id !== id).sort(byOrder);
  const order = placeFor(others, anchors, () => undefined);
  return [...others, { id, order }].sort(byOrder);
}

test('orders like a plain list after random moves', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const move = fc.record({
    id: fc.constantFrom(...names),
    to: fc.constantFrom(...names),
    side: fc.constantFrom('before', 'after', 'end'),
  });
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
      let things: Thing[] = names.map((id, at) => ({ id, order: at + 1 }));
      let model = [...names];
      for (const { id, to, side } of moves) {
        if (id === to) continue;
        things = moved(things, id, side === 'end' ? {} : { [side]: to });
        model = model.filter((one) => one !== id);
        const at = side === 'end' ? model.length : model.indexOf(to) + (side === 'after' ? 1 : 0);
        model.splice(at, 0, id);
        expect(things.map((one) => one.id)).toEqual(model);
      }
    }),
    tries(100),
  );
});

test('never runs out of numbers if a gap is halved repeatedly', () => {
  let things: Thing[] = ['a', 'b', 'c'].map((id, at) => ({ id, order: at + 1 }));
  for (let at = 0; at < 400; at += 1) {
    const [first, second, third] = things.map((one) => one.id);
    things = moved(things, third ?? '', { after: first ?? '' });
    expect(things.map((one) => one.id)).toEqual([first, third, second]);
  }
  expect(new Set(things.map((one) => one.order)).size).toBe(3);
});

test('makes slugs from titles and finds unused ones', () => {
  expect(
    ['API Guide', 'Über uns!', '  --  ', '日本語 ガイド', 'a'.repeat(200)].map((title) =>
      slugOf(title).slice(0, 20),
    ),
  ).toEqual(['api-guide', 'uber-uns', 'page', '日本語-ガイド', 'a'.repeat(20)]);
  const taken = new Set(['a', 'a-1']);
  expect(freeSlug('a', (path) => taken.has(path))).toBe('a-2');
  const long = 'x'.repeat(100);
  expect(freeSlug(long, (path) => path === long)).toHaveLength(100);
});
