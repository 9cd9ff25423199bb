/**
 * Builds the documentation as a static site from the Markdown in the repository: Eleventy makes the pages, Pagefind the search. All links
 * are relative, so that the site works under any address.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Eleventy from '@11ty/eleventy';
import * as pagefind from 'pagefind';
import { addressOf, anchorOf, collectPages, filesIn, menuOf, rewriteLink } from './pages.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = path.join(here, '..', '..');

/** Writes the site into a folder, which is emptied first. Returns the number of pages. */
export async function buildSite(output) {
  const { pages, folders, files } = collectPages(root);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  // Eleventy's paths are relative to the working folder.
  process.chdir(root);
  const eleventy = new Eleventy('.', path.relative(root, output), {
    configPath: null,
    quietMode: true,
    config: (config) => configure(config, { pages, folders }),
  });
  await eleventy.write();
  cpSync(path.join(here, 'style.css'), path.join(output, 'style.css'));
  for (const file of files) cpSync(path.join(root, file), path.join(output, file));
  const { index } = await pagefind.createIndex({ rootSelector: 'html' });
  await index.addDirectory({ path: output });
  // Written here, because files that Pagefind writes may be cut short when it is closed.
  for (const { path: name, content } of (await index.getFiles()).files) {
    const file = path.join(output, 'pagefind', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  await pagefind.close();
  return pages.length + folders.length;
}

function configure(config, { pages, folders }) {
  const all = new Set([...pages, ...folders.map((folder) => `${folder}/README.md`)]);
  const menu = menuOf(root);
  config.setUseGitIgnore(false);
  config.ignores.add('**/*');
  for (const page of pages)
    config.addTemplate(virtual(page), readFileSync(path.join(root, page), 'utf8'), dataOf(page, menu, all));
  for (const folder of folders) {
    const page = `${folder}/README.md`;
    config.addTemplate(virtual(page), listOf(folder), dataOf(page, menu, all));
  }
  config.setIncludesDirectory('scripts/site');
  config.setTemplateFormats(['md']);
  config.amendLibrary('md', (library) => amendMarkdown(library, (page) => all.has(page)));
}

/** Passes pages as text, so that Eleventy does not search the folders of the repository. */
function virtual(page) {
  return `virtual/${page}`;
}

function dataOf(page, menu, all) {
  const address = addressOf(page);
  const relative = (file) =>
    rewriteLink(page, path.posix.relative(path.posix.dirname(page), file), (one) => all.has(one));
  return {
    layout: 'page.njk',
    // Template syntax in Markdown is part of a pipeline's text.
    templateEngineOverride: 'md',
    permalink: address,
    page_file: page,
    title: /^# (.*)$/m.exec(readText(page))?.[1].replaceAll('`', '') ?? page.replace(/\/README\.md$/, ''),
    up: path.posix.relative(path.posix.dirname(address), '.') || '.',
    home: relative('README.md'),
    // Pages for developers of Octavo are not in the search, and guides come before reference.
    found: /^(?:README|docs\/(?!internals\/)|examples\/)/.test(page),
    weight: page.startsWith('docs/reference/') ? 0.2 : undefined,
    menu: menu.map(({ title, pages }) => ({
      title,
      pages: pages.map(({ title: name, file }) => ({
        title: name,
        link: relative(file),
        current: file === page,
      })),
    })),
  };
}

/** Text of a page; empty for the list of a folder. */
function readText(page) {
  try {
    return readFileSync(path.join(root, page), 'utf8');
  } catch {
    return '';
  }
}

/** A page for a folder without one. */
function listOf(folder) {
  const links = filesIn(root, folder).map(
    (file) => `- [${path.posix.relative(folder, file)}](${path.posix.relative(folder, file)})`,
  );
  return `# ${folder}\n\n${links.join('\n')}\n`;
}

function amendMarkdown(library, isPage) {
  library.set({ html: true });
  library.core.ruler.push('octavo', ({ tokens, env, Token }) => {
    for (const [at, token] of tokens.entries()) {
      if (token.type === 'heading_open') token.attrSet('id', anchorOf(textOf(tokens[at + 1])));
      for (const child of token.children ?? []) {
        for (const name of ['href', 'src']) {
          const link = child.attrGet?.(name);
          if (link) child.attrSet(name, rewriteLink(env.page_file, link, isPage));
        }
      }
    }
    // Comments are only for the tests of the pages.
    const kept = tokens.filter(({ type, content }) => type !== 'html_block' || !content.startsWith('<!--'));
    const title = kept.findIndex(({ type, tag }) => type === 'heading_close' && tag === 'h1');
    const contents = contentsOf(kept, library.utils.escapeHtml);
    if (contents !== undefined)
      kept.splice(title + 1, 0, Object.assign(new Token('html_block', '', 0), { content: contents }));
    tokens.splice(0, tokens.length, ...kept);
  });
  const { rules } = library.renderer;
  // Wide content scrolls separately, even with the keyboard.
  rules.table_open = () => '<div class="wide" role="region" aria-label="Table" tabindex="0"><table>';
  rules.table_close = () => '</table></div>';
  const fence = rules.fence;
  rules.fence = (...args) => fence(...args).replace('<pre', '<pre tabindex="0"');
}

/** Links to the sections of a long page; undefined for a short one. */
function contentsOf(tokens, escaped) {
  const titles = tokens.flatMap(({ type, tag }, at) =>
    type === 'heading_open' && tag === 'h2' ? [textOf(tokens[at + 1])] : [],
  );
  if (titles.length < 4) return undefined;
  const links = titles.map((title) => `<li><a href="#${anchorOf(title)}">${escaped(title)}</a></li>`);
  return `<details class="contents" data-pagefind-ignore><summary>On this page</summary>\n<ul>\n${links.join('\n')}\n</ul></details>\n`;
}

function textOf({ children = [] }) {
  return children
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : ''))
    .join('');
}
