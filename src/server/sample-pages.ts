/** The pages of a space that a site is created with as a sample. */

import type { StoredPage } from './content-rows.ts';
import type { Context } from './context.ts';

/** A welcome page and one below it. */
export function samplePages(context: Context): StoredPage[] {
  const start = page(context, {
    title: 'Getting started',
    path: 'welcome/getting-started',
    text: 'Write your first page.',
    pages: [],
  });
  const text = 'Hello. Go on with [the first steps](welcome/getting-started).';
  return [page(context, { title: 'Welcome', path: 'welcome', text, pages: [start] })];
}

function page(
  context: Context,
  {
    title,
    path,
    text,
    pages,
  }: {
    readonly title: string;
    readonly path: string;
    readonly text: string;
    readonly pages: readonly StoredPage[];
  },
): StoredPage {
  return {
    id: context.id('page'),
    title,
    slug: path.split('/').at(-1) ?? path,
    path,
    type: 'document',
    markdown: `# ${title}\n\n${text}\n`,
    createdAt: context.at,
    updatedAt: context.at,
    pages,
  };
}
