/** The page of a plan in Chromium: it works with mouse, keyboard and screen reader, and nothing in a plan becomes markup. */
import axe from 'axe-core';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { tries } from '../../support/runs.ts';
import { everything, planOf, step } from '../plan-samples.ts';
import { chromiumPath, PageLab } from './browser.ts';
import { longPlan, planWith } from './samples.ts';

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
  const rows = (page: Page) => page.locator('[role=treeitem]').allTextContents();
  const focused = (page: Page) =>
    page.evaluate('(document.activeElement.querySelector(".spoken") ?? document.activeElement).textContent');
  const heading = (page: Page) => expect.poll(() => page.locator('#pane h2').innerText());

  test('opens with what is dangerous and what is refused', async () => {
    const page = await open(lab.write(planWith('Docs')));
    expect(await page.title()).toBe('Plan for Docs');
    const overview = await page.locator('#pane').innerText();
    expect(overview).toMatch(/Dangerous[\s\S]*deletes\s+spaces\/gone/);
    expect(overview).toMatch(/1 change refused[\s\S]*→ Docs/);
    expect(await page.locator('.counts').innerText()).toMatch(/2 delete[\s\S]*1 drift[\s\S]*1 refusal/);
  });

  test('finds addresses, texts and values, and filters by what is dangerous', async () => {
    const page = await open(lab.write(longPlan(60)));
    await page.getByLabel('Search changes').fill('new-path-33');
    await expect.poll(() => rows(page)).toEqual([expect.stringContaining('section-33')]);
    expect(await page.getByRole('status').innerText()).toBe('1 change of 60');
    await page.getByLabel('Search changes').fill('');
    await page.getByRole('button', { name: 'Deletes 6' }).click();
    await expect.poll(async () => (await rows(page)).length).toBe(7);
    expect(await page.getByRole('button', { name: 'Deletes 6' }).getAttribute('aria-pressed')).toBe('true');
    await page.getByLabel('Search changes').fill('section-50');
    await expect.poll(() => rows(page)).toEqual([expect.stringContaining('section-50')]);
  });

  test('can be used with the keyboard alone', async () => {
    const page = await open(lab.write(longPlan(30)));
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.id')).toBe('search');
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await focused(page)).toMatch(/^section-1, updated/);
    await page.keyboard.press('Enter');
    expect(page.url()).toMatch(/#sites\/site-0\/sections\/section-1$/);
    await heading(page).toBe('sites/site-0/sections/section-1');
    expect(await focused(page), 'the focus stays in the tree').toMatch(/^section-1, updated/);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await rows(page), 'the tree is closed').toHaveLength(1);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    expect(await focused(page)).toMatch(/^section-29, updated/);
    await page.getByRole('tab', { name: 'Changes' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).toBe('Order');
    // The tab is opened by its address, which takes a turn.
    await page.locator('.order h2').waitFor({ timeout: 5000 });
  });

  test('has addresses for objects, and goes back', async () => {
    const page = await open(lab.write(planWith('Docs')), { hash: '#spaces/gone' });
    await heading(page).toBe('spaces/gone');
    expect(await page.locator('#pane .danger').innerText()).toMatch(/What is lost[\s\S]*site-space "Docs"/);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('tab', { name: 'Site' }).click();
    await page.locator('.sites h2').waitFor({ timeout: 5000 });
    await page.goBack();
    await heading(page).toBe('Overview');
    await page.goBack();
    await heading(page).toBe('spaces/gone');
    // A tab that this plan does not have, as in a link to the page of a former plan.
    await page.evaluate("location.hash = '#!gone'");
    await heading(page).toBe('Overview');
  });

  test('shows the site before and after, and joins what moves', async () => {
    const page = await open(lab.write(planWith('Docs')), { hash: '#!sites' });
    const entries = (side: string) => page.locator(`.side.${side} .entry`).allInnerTexts();
    const marks = (texts: readonly string[]) =>
      texts.map((text) => text.match(/new|removed|moved/)?.[0] ?? '');
    expect(marks(await entries('before'))).toEqual(['', '', '', 'removed', 'moved']);
    expect(marks(await entries('after'))).toEqual(['', 'moved', '', '', 'new']);
    expect(await page.locator('.move-line').count()).toBe(1);
    await page.locator('.side.after .moved a').click();
    await heading(page).toBe('sites/hub/sections/api');
  });

  test('folds the tree into a drawer on a phone', async () => {
    const page = await open(lab.write(planWith('Docs')), { width: 360 });
    const drawer = page.getByRole('button', { name: /^☰ List and search/ });
    expect(await page.locator('#nav').isVisible()).toBe(false);
    await drawer.click();
    expect(await drawer.getAttribute('aria-expanded')).toBe('true');
    await page.getByRole('button', { name: 'Close the list' }).click();
    expect(await page.locator('#nav').isVisible()).toBe(false);
    await drawer.click();
    await page.keyboard.press('Escape');
    expect(await page.locator('#nav').isVisible()).toBe(false);
    await drawer.click();
    await page.getByRole('treeitem', { name: /^spaces\/gone/ }).click();
    expect(await page.locator('#nav').isVisible()).toBe(false);
    await heading(page).toBe('spaces/gone');
  });

  test('puts everything on paper', async () => {
    const page = await open(lab.write(planWith('Docs')));
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    const paper = await page.locator('#paper').innerText();
    expect(paper).toMatch(/Dangerous[\s\S]*Navigation of the sites[\s\S]*spaces\/gone/);
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await page.locator('#paper *').count()).toBe(0);
  });

  test('marks what is added to a list, also if nothing is removed', async () => {
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
    const page = await open(lab.write(planOf({ steps: [changed] })));
    await page.getByRole('treeitem').first().click();
    await heading(page).toBe('organization');
    const added = await page.locator('.pane td.added ins').allInnerTexts();
    expect(added).toEqual([
      expect.stringMatching(/^\+ .*gmail\.com/),
      expect.stringMatching(/^\+ .*bob@acme/),
    ]);
    expect(await page.locator('.pane td.removed').count()).toBe(0);
  });

  test('shows one side of a site at a time on a phone, and both on paper', async () => {
    const page = await open(lab.write(planWith('Docs')), { width: 360 });
    await page.getByRole('tab', { name: /^Site/ }).click();
    const shown = () =>
      Promise.all(['before', 'after'].map((side) => page.locator(`.side.${side}`).first().isVisible()));
    expect(await shown()).toEqual([false, true]);
    await page.getByRole('button', { name: 'Before' }).click();
    expect(await shown()).toEqual([true, false]);
    await page.emulateMedia({ media: 'print' });
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    const paper = page.locator('#paper');
    for (const side of ['before', 'after'])
      expect(await paper.locator(`.side.${side}`).first().isVisible()).toBe(true);
  });

  test('makes only the rows in sight of a long tree', async () => {
    const page = await open(lab.write(longPlan(1000)));
    await page.getByRole('button', { name: /^Deletes/ }).click();
    await expect.poll(() => page.getByRole('status').innerText()).toBe('100 changes of 1000');
    expect((await rows(page)).length).toBeLessThan(120);
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('End');
    await expect.poll(() => focused(page)).toMatch(/^section-990/);
  });

  describe('is accessible', () => {
    const views = ['', '#Docs/spaces/gone', '#acme/samlProviders/okta', '#!sites', '#!order'] as const;
    test.each([360, 1024, 1920])('at %i pixels', async (width) => {
      const file = lab.write({
        ...planWith('Docs'),
        organizations: [...planWith('Docs').organizations, ...everything.organizations],
      });
      // Widths lay out, schemes paint: one width with both is enough.
      for (const scheme of width === 1024 ? (['light', 'dark'] as const) : (['light'] as const)) {
        const page = await open(file, { width, scheme });
        const rules = scheme === 'dark' ? 'runOnly: ["color-contrast"]' : 'resultTypes: ["violations"]';
        await page.evaluate(axe.source);
        for (const hash of width === 1920 ? [views[0], views[3]] : views) {
          await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
          const { violations } = (await page.evaluate(`axe.run({ ${rules} })`)) as {
            violations: { id: string; impact: string; nodes: { html: string }[] }[];
          };
          const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
          expect(
            serious.map(({ id, nodes }) => [id, nodes[0]?.html]),
            `${scheme} ${hash}`,
          ).toEqual([]);
          expect(
            await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
          ).toBeLessThanOrEqual(0);
        }
      }
    });
  });

  describe('shows what others wrote, and obeys none of it', () => {
    const hostile = [
      '</script><script>document.title="taken"</script>',
      '<img src=x onerror=alert(1)>',
      'javascript:alert(1)',
      '<!--<script>',
      '"><svg onload=alert(1)>',
      '\u2028\u2029\u202e\u001b[31m',
      '&lt;b&gt;&#60;b&#62;',
      '${alert(1)}`',
      ']]><style>*{display:none}</style>',
    ];
    /** The elements of all views with their attributes, but those that hold texts. */
    const structure = `(() => {
      const shape = (element) => [element.tagName, element.className, element.getAttribute('role'), [...element.attributes].map(({ name }) => name).join(), [...element.children].map(shape)];
      const views = [''].concat([...document.querySelectorAll('[role=tab]')].slice(1).map((tab) => '#!' + tab.id.slice(4)));
      const found = [];
      const next = (at) => { if (at < views.length) { location.hash = views[at]; return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)))).then(() => { found.push(shape(document.body)); return next(at + 1); }); } return JSON.stringify(found, undefined, 1); };
      return next(0);
    })()`;

    test('whatever it is', async () => {
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
          .tuple(fc.constantFrom(...hostile), fc.string({ unit: 'binary', maxLength: 20 }))
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
        // All of them at once: a page for each takes long, and one that gets through shows among the others too.
        { ...tries(4), examples: [[`x${hostile.join('x').replace(/[\n/]/g, '')}x`]] },
      );
    });

    test('with its slashes, and terminal escapes as text', async () => {
      const page = await open(lab.write(planWith(`</script><script>alert(1)</script>\u001b[31m`)));
      expect(await page.locator('h1').textContent()).toBe(
        'Plan for </script><script>alert(1)</script>\\u{1b}[31m',
      );
    });
  });
});
