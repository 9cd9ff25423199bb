/** The page of a plan in Chromium: it works with mouse, keyboard and screen reader, and no text of a plan becomes markup. */
import axe from 'axe-core';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { anyCodePoint } from '../../support/code-points.ts';
import { tries } from '../../support/runs.ts';
import { everything, planOf, step } from '../plan-samples.ts';
import { chromiumPath, PageLab } from './browser.ts';
import { hostile, longPlan, planWith } from './samples.ts';

if (chromiumPath === undefined)
  process.stderr.write('No Chromium is installed: the tests of the page in a browser are skipped.\n');

let lab: PageLab;

describe.skipIf(chromiumPath === undefined)('the page of a plan', () => {
  beforeAll(async () => {
    lab = await PageLab.start();
  });
  afterEach(() => {
    expect(lab.misdeeds.splice(0)).toEqual([]);
  });
  afterAll(() => lab.close());

  const open = (...args: Parameters<PageLab['open']>): Promise<Page> => lab.open(...args);
  const objects = (page: Page) => page.locator('.tree > li:not([hidden], .context)[data-address]');
  const search = (page: Page) => page.getByLabel('Search addresses');
  const status = (page: Page) => page.getByRole('status').innerText();

  test('shows the objects whose address matches below their parents', async () => {
    const page = await open(lab.write(longPlan(60)));
    expect(await status(page)).toBe('60 objects');
    await page.keyboard.press('/');
    await page.keyboard.type('SITE-0 section-33');
    expect(await status(page)).toBe('1 of 60 objects');
    expect(await objects(page).count()).toBe(1);
    expect(await objects(page).isVisible()).toBe(true);
    expect(await page.getByRole('heading', { name: 'Dangerous' }).isVisible()).toBe(false);
    await search(page).fill('');
    expect(await status(page)).toBe('60 objects');
    expect(await objects(page).count()).toBe(60);
  });

  test('shows only dangerous objects, with the count of the header', async () => {
    const page = await open(lab.write(longPlan(60)));
    await page.getByRole('checkbox', { name: 'dangerous' }).check();
    const [, count] = /! (\d+) dangerous/.exec(await page.locator('.counts').innerText()) ?? [];
    expect(await status(page)).toBe(`${count} of 60 objects`);
    expect(await objects(page).count()).toBe(Number(count));
    await search(page).fill('section-7');
    expect(await status(page)).toBe('1 of 60 objects');
  });

  test('filters by each count at its top, and by several together', async () => {
    const page = await open(lab.write(planWith('Docs')));
    const boxes = page.locator('.counts label');
    const total = Number(/^\d+/.exec(await status(page))?.[0]);
    const shown = async () => Number(/^(\d+) of/.exec(await status(page))?.[1] ?? total);
    let sum = 0;
    for (const box of await boxes.all()) {
      const [, count = 0, what = ''] = /(\d+) (\w+)/.exec(await box.innerText()) ?? [];
      await box.getByRole('checkbox').check();
      expect(await shown(), what).toBe(Number(count));
      await box.getByRole('checkbox').uncheck();
      if (/create|update|move|replace|delete|restore/.test(what)) sum += Number(count);
    }
    expect(sum).toBe(total);
    for (const box of await boxes.all()) await box.getByRole('checkbox').check();
    expect(await shown()).toBe(total);
    for (const box of await boxes.all()) await box.getByRole('checkbox').uncheck();
    await page.getByRole('checkbox', { name: 'create' }).check();
    await page.evaluate("location.hash = '#spaces/gone'");
    await page.locator('[id="spaces/gone"]').waitFor();
    expect(await boxes.getByRole('checkbox', { checked: true }).count()).toBe(0);
  });

  test('opens the object in the URL, even in a filtered list', async () => {
    const page = await open(lab.write(planWith('Docs')), { hash: '#spaces/gone' });
    const entry = page.locator('[id="spaces/gone"]');
    expect(await entry.isVisible()).toBe(true);
    expect(await entry.innerText()).toMatch(/also deletes 1 object\s+site-space "Docs"/);
    await search(page).fill('nothing');
    expect(await entry.isVisible()).toBe(false);
    await page.evaluate("location.hash = '#teams/Docs'");
    await page.locator('[id="teams/Docs"]').waitFor();
    expect(await status(page)).toBe('5 objects');
    await page.goBack();
    await entry.waitFor();
  });

  test('is complete without scripts and usable by keyboard', async () => {
    const page = await lab.openWithoutScripts(lab.write(planWith('Docs')), '#spaces/gone');
    expect(await page.locator('[id="spaces/gone"]').isVisible(), 'the browser opens it').toBe(true);
    expect(await page.locator('search').isVisible()).toBe(false);
    await page.locator('summary', { hasText: 'teams/Docs' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('[id="teams/Docs"]').isVisible()).toBe(true);
    await page.locator('[id="teams/Docs"] summary', { hasText: '1 request' }).press('Enter');
    expect(await page.getByText('/v1/orgs/org_acme/teams/Docs').isVisible()).toBe(true);
  });

  test('shows the site before and after side by side, or stacked on a phone', async () => {
    const file = lab.write(planWith('Docs'));
    const page = await open(file);
    const marks = async (at: number) =>
      (await page.locator('.side').nth(at).locator('.entry').allInnerTexts()).map(
        (text) => text.match(/new|removed|moved/)?.[0] ?? '',
      );
    expect(await marks(0)).toEqual(['', '', '', 'removed', 'moved']);
    expect(await marks(1)).toEqual(['', 'moved', '', '', 'new']);
    const places = async () =>
      Promise.all([0, 1].map(async (at) => (await page.locator('.side').nth(at).boundingBox())?.x));
    expect(new Set(await places()).size).toBe(2);
    await page.locator('.side').nth(1).locator('.moved a').click();
    await page.locator('[id="sites/hub/sections/api"]').waitFor();
    await open(file, { width: 360 });
    expect(new Set(await places()).size).toBe(1);
  });

  test('prints everything', async () => {
    const page = await open(lab.write(planWith('Docs')));
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await page.locator('details:not([open])').count()).toBe(0);
    expect(await page.locator('body').innerText()).toMatch(
      /Dangerous[\s\S]*spaces\/gone[\s\S]*DELETE[\s\S]*After/,
    );
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await page.locator('details:not([open])').count()).toBeGreaterThan(0);
  });

  test('marks additions to a list, even without removals', async () => {
    const changed = step({
      address: 'organization',
      kind: 'organization',
      action: 'update',
      phase: 'update',
      fields: [
        { field: 'emailDomains', before: ['acme.example'], after: ['acme.example', 'gmail.com'] },
        { field: 'members', reads: 'people', before: {}, after: { 'bob@acme.example': 'owner' } },
      ],
    });
    const page = await open(lab.write(planOf({ steps: [changed] })), { hash: '#organization' });
    expect(await page.locator('.fields ins').allInnerTexts()).toEqual([
      expect.stringMatching(/^\+ .*gmail\.com/),
      expect.stringMatching(/^\+ .*bob@acme/),
    ]);
    expect(await page.locator('.fields del').count()).toBe(0);
  });

  test('opens ten thousand changes', async () => {
    const page = await open(lab.write(longPlan(10_000)));
    await page.getByRole('checkbox', { name: 'dangerous' }).check();
    expect(await status(page)).toBe('2286 of 10000 objects');
    await page.evaluate("location.hash = '#sites/site-99/sections/section-9999'");
    await page.locator('[id="sites/site-99/sections/section-9999"]').waitFor();
  });

  describe('is accessible', () => {
    test.each([360, 1024, 1920])('at %i pixels', async (width) => {
      const file = lab.write({
        ...planWith('Docs'),
        organizations: [...planWith('Docs').organizations, ...everything.organizations],
      });
      // Layout depends on the width, colors on the scheme: one width with both schemes is enough.
      for (const scheme of width === 1024 ? (['light', 'dark'] as const) : (['light'] as const)) {
        const page = await open(file, { width, scheme });
        const rules = scheme === 'dark' ? 'runOnly: ["color-contrast"]' : 'resultTypes: ["violations"]';
        await page.evaluate(axe.source);
        await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
        const { violations } = (await page.evaluate(`axe.run({ ${rules} })`)) as {
          violations: { id: string; impact: string; nodes: { html: string }[] }[];
        };
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        expect(
          serious.map(({ id, nodes }) => [id, nodes[0]?.html]),
          scheme,
        ).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        );
      }
    });
  });

  describe('shows texts from outside without interpreting them:', () => {
    /** Elements with the names of their attributes, without texts. */
    const structure = `(() => {
      const shape = (element) => [element.tagName, element.className, element.getAttribute('role'), [...element.attributes].map(({ name }) => name).join(), [...element.children].map(shape)];
      return JSON.stringify(shape(document.body), undefined, 1);
    })()`;

    test('any text', async () => {
      const structureOf = async (text: string) => {
        const page = await lab.open(lab.write(planWith(text)));
        const found = await page.evaluate(structure);
        const links = await page.evaluate(
          '[...document.querySelectorAll("a")].map((a) => a.getAttribute("href"))',
        );
        const title = await page.evaluate('document.querySelector("h1").textContent');
        return { found, links: links as readonly string[], title };
      };
      const benign = (await structureOf('benign')).found;
      const texts = fc.oneof(
        fc.constantFrom(...hostile),
        fc
          .tuple(fc.constantFrom(...hostile), fc.string({ unit: anyCodePoint, maxLength: 20 }))
          .map(([one, two]) => two + one),
      );
      const clean = texts.map((text) => `x${text.replace(/[\n/]/g, '')}x`);
      await fc.assert(
        fc.asyncProperty(clean, async (text) => {
          const { found, links } = await structureOf(text);
          expect(String(found).split('\n')).toEqual(String(benign).split('\n'));
          expect(links.every((link) => link.startsWith('#'))).toBe(true);
          expect(lab.misdeeds).toEqual([]);
        }),
        // All together: a page for each takes long, and a single failure also shows among the others.
        { ...tries(4), examples: [[`x${hostile.join('x').replace(/[\n/]/g, '')}x`]] },
      );
    });

    test('slashes and terminal escapes', async () => {
      const page = await open(lab.write(planWith(`</script><script>alert(1)</script>\u001b[31m`)));
      expect(await page.locator('h1').textContent()).toBe(
        'Plan for </script><script>alert(1)</script>\\u{1b}[31m (org_acme)',
      );
    });
  });
});
