/** Markup of pages. Only the literal parts of a template become markup; external texts remain texts. Pure. */
import { safeText } from '../text/safe-text.ts';
import { pageStyle, pageStyleHash } from './page-assets.ts';

export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type HtmlPart = Markup | string | number | false | undefined | readonly HtmlPart[];

/** Values of attributes must be in double quotes. */
export function html(literals: TemplateStringsArray, ...parts: readonly HtmlPart[]): Markup {
  return new Markup(literals.reduce((text, literal, at) => text + rendered(parts[at - 1]) + literal));
}

function rendered(part: HtmlPart): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Markup) return String(part);
  if (typeof part === 'object') return part.map(rendered).join('');
  return safeText(String(part)).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Markup before the content. The page may load no resources and run only the scripts with these hashes. */
export function pageStart(title: string, scriptHashes: readonly string[] = []): Markup {
  const policy = [
    "default-src 'none'",
    ...scriptHashes.map((hash) => `script-src '${hash}'`),
    `style-src '${pageStyleHash}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy.join('; '))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Markup(pageStyle)}</style>
</head>
<body>
`;
}
