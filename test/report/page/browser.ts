/** Pages in headless Chromium; records everything that a page must not do. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Plan } from '../../../src/plan/plan.ts';
import { planHtml } from '../../../src/report/page/plan-page.ts';
import type { TextOptions } from '../../../src/report/view.ts';

/** Path of Chromium, or undefined if it is not installed. */
export const chromiumPath = [
  process.env.OCTAVO_TEST_CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => file !== '' && existsSync(file));

/** Starts headless Chromium without its own network requests. */
export function launchChromium(): Promise<Browser> {
  const flags = ['quic', 'gpu', 'background-networking', 'component-update', 'sync'];
  const args = ['--headless', '--no-sandbox', '--no-first-run', ...flags.map((flag) => `--disable-${flag}`)];
  return chromium.launch({ executablePath: chromiumPath ?? '', args });
}

/** Opens pages of plans in turn. */
export class PageLab {
  /** Errors, messages of the console, dialogs and requests of all pages. */
  readonly misdeeds: string[] = [];
  readonly #browser: Browser;
  readonly #page: Page;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'octavo-page-'));
  #files = 0;

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser;
    this.#page = page;
    page.on('console', (message) => this.misdeeds.push(`console: ${message.text()}`));
    page.on('pageerror', (error) => this.misdeeds.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      this.misdeeds.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => undefined);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) this.misdeeds.push(`request: ${request.url()}`);
    });
  }

  static async start(): Promise<PageLab> {
    const browser = await launchChromium();
    return new PageLab(browser, await browser.newPage());
  }

  /** Replaces the shown file. */
  async open(
    file: string,
    {
      width = 1280,
      scheme = 'light',
      hash = '',
    }: { readonly width?: number; readonly scheme?: 'light' | 'dark'; readonly hash?: string } = {},
  ): Promise<Page> {
    const page = this.#page;
    await page.goto('about:blank');
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme, media: 'screen' });
    await page.goto(`file://${file}${hash}`);
    return page;
  }

  /** Opens the file without scripts. */
  async openWithoutScripts(file: string, hash: string): Promise<Page> {
    const page = await this.#browser.newPage({ javaScriptEnabled: false });
    await page.goto(`file://${file}${hash}`);
    return page;
  }

  /** Writes the page of a plan and returns its file. */
  write(plan: Plan, options: Partial<TextOptions> = {}): string {
    this.#files += 1;
    const file = path.join(this.#folder, `${this.#files}.html`);
    writeFileSync(file, htmlOf(plan, options));
    return file;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The page of a plan. */
export function htmlOf(plan: Plan, options: Partial<TextOptions> = {}): string {
  const marks = { digest: 'd1'.repeat(32), approval: '', version: '0.0.0' };
  return [...planHtml({ plan, digests: marks }, { color: false, width: 80, ...options })].join('');
}
