/** Selects the files that become pages of the documentation, with their addresses and the targets of links between them. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** The address of a page or file, relative to the root of the site. */
export function addressOf(file) {
  if (!file.endsWith('.md')) return file;
  return file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html');
}

/** All parts of the site: pages, folders that need a list of their files, and files to copy. */
export function collectPages(root) {
  const pages = new Set();
  const folders = new Set();
  const files = new Set();
  const waiting = ['README.md', 'docs/README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];
  for (let page = waiting.pop(); page !== undefined; page = waiting.pop()) {
    if (pages.has(page)) continue;
    pages.add(page);
    for (const target of linksIn(readFileSync(path.join(root, page), 'utf8')).map((link) =>
      targetOf(page, link),
    )) {
      const found = path.join(root, target);
      if (!existsSync(found)) throw new Error(`${page} links to ${target}, which does not exist`);
      if (!statSync(found).isDirectory()) {
        if (target.endsWith('.md')) waiting.push(target);
        else files.add(target);
      } else if (existsSync(path.join(found, 'README.md')))
        waiting.push(path.posix.join(target, 'README.md'));
      else folders.add(target);
    }
  }
  for (const folder of folders) for (const file of filesIn(root, folder)) files.add(file);
  return { pages: [...pages].sort(), folders: [...folders].sort(), files: [...files].sort() };
}

/** Files of a folder and its subfolders. */
export function filesIn(root, folder) {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

/** Target of a link in a page, relative to the root, without the heading. */
export function targetOf(page, link) {
  const [file] = link.split('#');
  return file === '' ? page : path.posix.join(path.posix.dirname(page), decodeURI(file)).replace(/\/$/, '');
}

/** A link on the site, relative to the address of the page. */
export function rewriteLink(page, link, isPage) {
  if (/^[a-z]+:|^#/.test(link)) return link;
  const [, heading] = link.split('#');
  const target = targetOf(page, link);
  const file = isPage(path.posix.join(target, 'README.md')) ? path.posix.join(target, 'README.md') : target;
  const from = path.posix.dirname(addressOf(page));
  const relative = path.posix.relative(from, addressOf(file)) || '.';
  return heading === undefined ? relative : `${relative}#${heading}`;
}

/** Links and images that refer to other files. */
function linksIn(text) {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link)
    .filter((link) => !/^[a-z]+:|^#/.test(link));
}

/** The menu: the parts of the overview with the pages that they link to. */
export function menuOf(root) {
  const overview = readFileSync(path.join(root, 'docs/README.md'), 'utf8');
  return overview
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')),
      pages: [...part.matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)].map(([, title, link]) => ({
        title: title[0].toUpperCase() + title.slice(1),
        file: targetOf('docs/README.md', link),
      })),
    }));
}

/** The anchor of a heading, in the style of GitHub. */
export function anchorOf(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}
