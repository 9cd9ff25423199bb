/** Licenses of the packages in the bundle: most require that their text is included with the code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of all licenses, each with its packages. Throws for a package without a license. */
export function notices(root, folders) {
  const byText = new Map();
  for (const path of folders) {
    const folder = join(root, path);
    const { name, version, license, homepage } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const texts = filesOf(folder).map((file) => readFileSync(join(folder, file), 'utf8').trim());
    if (texts.length === 0 && typeof license !== 'string') throw new Error(`${name} has no license`);
    const text = texts.length > 0 ? texts.join('\n\n') : `License: ${license}`;
    // Some licenses require the location of the source.
    const source = homepage ?? `https://www.npmjs.com/package/${name}`;
    byText.set(text, [
      ...(byText.get(text) ?? []),
      `${name} ${version} (${license ?? 'see below'}), ${source}`,
    ]);
  }
  const line = `\n${'-'.repeat(80)}\n\n`;
  const parts = [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  return `The files of Octavo contain the code of these packages.\n${line}${parts.join(line)}`;
}

/** Licenses and notices of the package itself, without nested packages. */
function filesOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)(-\w+)?(\.(md|txt))?$/i.test(file))
    .sort();
}
