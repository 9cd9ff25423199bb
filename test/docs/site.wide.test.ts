/** The documentation as a site: links, search, phone layout, and accessibility. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../cli/octavo.ts';
import { chromiumPath, launchChromium } from '../report/page/browser.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'octavo-site-'));
let server: ChildProcess;
let address = '';

beforeAll(async () => {
  const script = path.join(root, 'scripts/site.mjs');
  server = spawn(process.execPath, [script, '--out', folder, '--serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  address = await new Promise((done, fail) => {
    let text = '';
    server.once('exit', () => fail(new Error(`the site was not built: ${text}`)));
    server.stdout?.on('data', (chunk) => {
      text += String(chunk);
      const [, found] = /(http:\S+\/) /.exec(text) ?? [];
      if (found !== undefined) done(found);
    });
  });
});

afterAll(() => {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
});

function pagesOf(): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
}

test('the site has each page of the documentation, and each link points to an existing heading', () => {
  const pages = pagesOf();
  for (const name of readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })) {
    const page = path.join('docs', name.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'));
    if (name.endsWith('.md')) expect(pages).toContain(page);
  }
  const texts = new Map(pages.map((page) => [page, readFileSync(path.join(folder, page), 'utf8')]));
  const broken = [...texts].flatMap(([page, text]) =>
    [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, link = '']) => {
      if (/^[a-z]+:/.test(link)) return [];
      const [file = '', heading] = link.split('#');
      const target = file === '' ? page : path.join(path.dirname(page), decodeURI(file));
      const isThere =
        existsSync(path.join(folder, target)) &&
        (heading === undefined || texts.get(target)?.includes(` id="${decodeURI(heading)}"`) === true);
      return isThere ? [] : [`${page}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
});

test('a long page starts with links to its sections', () => {
  const commands = readFileSync(path.join(folder, 'docs/reference/commands.html'), 'utf8');
  const links = [
    ...(/<details class="contents"[\s\S]*?<\/details>/.exec(commands)?.[0] ?? '').matchAll(
      /href="#([^"]+)"/g,
    ),
  ];
  expect(links.map(([, id]) => id)).toEqual([...commands.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id));
  expect(links.length).toBeGreaterThan(20);
  expect(readFileSync(path.join(folder, 'docs/recovery.html'), 'utf8')).not.toContain('class="contents"');
});

test('no page includes the comments for tests', () => {
  for (const page of pagesOf()) expect(readFileSync(path.join(folder, page), 'utf8')).not.toContain('<!-- ');
});

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  let browser: Browser;
  let page: Page;
  const misdeeds: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage();
    page.on('console', (message) => misdeeds.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => misdeeds.push(`error: ${error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(address)) misdeeds.push(`request: ${request.url()}`);
    });
  });
  afterAll(async () => {
    await browser.close();
  });

  test('links the home page to all parts, without requests to other hosts', async () => {
    await page.goto(address);
    expect(await page.title()).toBe('Octavo');
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Ownership and deletes' })
      .click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Ownership and deletes');
    expect(await page.locator('[aria-current=page]').innerText()).toBe('Ownership and deletes');
    await page.getByRole('main').getByRole('link', { name: 'the kinds' }).first().click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Kinds of objects');
    expect(misdeeds).toEqual([]);
  });

  test('finds a page by its words', { timeout: 90_000 }, async () => {
    await page.goto(`${address}docs/index.html`);
    const box = page.getByRole('search').getByRole('textbox');
    const result = page.locator('.pagefind-ui__result-link').filter({ hasText: 'Guards' }).first();
    // Text typed before the search has started is lost.
    for (let tries = 0; tries < 20 && !(await result.isVisible()); tries += 1) {
      await box.fill('');
      await box.fill('lockout');
      await result.waitFor({ timeout: 4000 }).catch(() => undefined);
    }
    await result.click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Guards');
    expect(misdeeds).toEqual([]);
  });

  test.each([
    ['undo', 'recovery'],
    ['rollback', 'recovery'],
    ['install', 'configuration'],
    ['401', 'troubleshooting'],
    ['how do I delete a site', 'ownership'],
    ['moved', 'identity'],
    ['state', 'concepts'],
  ])('finds first, for "%s", docs/%s.md', async (words, first) => {
    await page.goto(`${address}docs/index.html`);
    const found = await page.evaluate(`import('/pagefind/pagefind.js').then(async (pagefind) => {
      const { results } = await pagefind.search(${JSON.stringify(words)});
      return (await results[0].data()).url;
    })`);
    expect(found).toBe(`/docs/${first}.html`);
    expect(misdeeds).toEqual([]);
  });

  test('finds only pages for users', async () => {
    await page.goto(`${address}docs/index.html`);
    // This word is on most pages.
    const found = (await page.evaluate(`import('/pagefind/pagefind.js').then(async (pagefind) => {
      const { results } = await pagefind.search('octavo');
      return Promise.all(results.map(async (one) => (await one.data()).url));
    })`)) as readonly string[];
    expect(found.filter((url) => !/^\/($|index\.html|docs\/(?!internals)|examples\/)/.test(url))).toEqual([]);
    expect(found.length).toBeGreaterThan(25);
  });

  test('fits a phone without scrolling sideways, and opens the menu', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const name of [
      'index.html',
      'docs/comparison.html',
      'docs/reference/kinds.html',
      'docs/first-workspace.html',
    ]) {
      await page.goto(`${address}${name}`);
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(360);
    }
    const link = page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Drift', exact: true });
    expect(await link.isVisible()).toBe(false);
    await page.getByText('All pages').click();
    await link.click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Drift');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test.each(['light', 'dark'] as const)('is accessible in %s colors', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${address}docs/ownership.html`);
    await page.evaluate(axe.source);
    const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults;
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  });
});
