/** The script and the style of the page of a plan, as a module of texts, so that a report is one file (decision 051). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { build } from 'esbuild';

/** The text of src/report/page/page-assets.ts. */
export async function pageAssets(root) {
  const folder = join(root, 'src', 'report', 'page', 'script');
  const script = inScript(await bundled(join(folder, 'main.ts')));
  const style = await bundled(join(folder, 'page.css'));
  return [
    '/** The script and the style of pages, with their hashes. Made from page/ by scripts/generate.mjs; not to be edited. */',
    '',
    ...constant('pageScript', 'The script of a page, which holds no closing tag.', script),
    ...constant('pageScriptHash', 'The script as a content security policy names it.', hashOf(script)),
    ...constant('pageStyle', 'The style of a page.', style),
    ...constant('pageStyleHash', 'The style as a content security policy names it.', hashOf(style)),
  ].join('\n');
}

async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
  });
  return outputFiles[0].text.trim();
}

/** A script element ends at the first closing tag, wherever it is. */
function inScript(script) {
  if (/<\/script|<!--/i.test(script)) throw new Error('the script of pages holds a tag');
  return script;
}

function hashOf(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function constant(name, meaning, text) {
  const quoted = `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
  return [`/** ${meaning} */`, `export const ${name} =`, `  ${quoted};`, ''];
}
