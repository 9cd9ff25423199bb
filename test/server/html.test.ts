/** Conversion of any HTML to Markdown is fast. */
import { expect, test } from 'vitest';
import { markdownOf } from '../../src/server/content/html.ts';
import { cpuOf } from '../support/cpu.ts';

test('converts headings, links, images, lists and entities', () => {
  const html = `<html><head><title>T &amp; U</title><style>p{}</style></head><body><!-- no -->
<h2>Two</h2><p>A <a class="x" href='/b'>link</a> and <img src="c.png" alt="">.</p><ul><li>One<li>Two</ul>
<script>var a = "<p>";</script><template><p>no</p></template>1 &lt; 2</body></html>`;
  expect(
    markdownOf(html)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ).toEqual(['# T & U', '## Two', 'A [link](/b) and ![](c.png).', '- One', '- Two', '1 < 2']);
});

test.each(['<a href="x">', '<!--', '<', '<script>', '<head><title', '</a>', '&amp', '<h1 ', '"\n\n\n'])(
  'converts a page of %j in linear time',
  async (part) => {
    const convert = (count: number) => cpuOf(() => markdownOf(part.repeat(count)));
    await convert(2000);
    expect(await convert(200_000)).toBeLessThan(40 * Math.max(0.02, await convert(20_000)));
  },
);
