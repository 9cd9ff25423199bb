/** The pages of a space that a site is created with as a sample. */

import type { StoredPage } from './content-rows.ts';
import type { Context } from './context.ts';

/** A welcome page and one below it. */
export function samplePages(context: Context): StoredPage[] {
  const start = page(context, 'Getting started', 'welcome/getting-started', 'Write your first page.', []);
  return [
    page(context, 'Welcome', 'welcome', 'Hello. Go on with [the first steps](welcome/getting-started).', [
      start,
    ]),
  ];
}

function page(
  context: Context,
  title: string,
  path: string,
  markdown: string,
  pages: readonly StoredPage[],
): StoredPage {
  return {
    id: context.id('page'),
    title,
    slug: path.split('/').at(-1) ?? path,
    path,
    type: 'document',
    markdown: `# ${title}\n\n${markdown}\n`,
    createdAt: context.at,
    updatedAt: context.at,
    pages,
  };
}
