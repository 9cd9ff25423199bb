/** The script and the style of pages, as a module of texts, so that a report is one file (decision 037). */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of src/report/page/page-assets.ts. */
export function pageAssets(root) {
  const read = (name) => readFileSync(join(root, 'src', 'report', 'page', name), 'utf8');
  const [script, style] = [read('page.js'), read('page.css')].map((text) => text.replace(/^ +/gm, ''));
  // The element ends at the first closing tag, anywhere.
  if (/<\/?(?:script|style)|<!--/i.test(script + style)) throw new Error('the assets of pages hold a tag');
  return [
    '/** The script and the style of pages, with their hashes. Made by scripts/generate.mjs; not to be edited. */',
    '',
    constant('pageScript', script),
    constant('pageScriptHash', hashOf(script)),
    constant('pageStyle', style),
    constant('pageStyleHash', hashOf(style)),
  ].join('\n');
}

/** Format of a content security policy. */
function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function constant(name, text) {
  return `export const ${name} =\n  '${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}';\n`;
}
