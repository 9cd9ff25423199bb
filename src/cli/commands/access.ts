import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, reading, text, texts } from '../line/flags.ts';
import { chosenViews } from '../show/view-for.ts';
import { accessViews } from '../show/views.ts';

const flags = {
  ...reading,
  ...flagTable('Other flags', {
    of: text('email', 'Only this person'),
    to: texts(
      'address',
      'Only this object and what it contains: an address (globs), a title or an id; repeatable',
    ),
  }),
};

export const command = defineCommand({
  flags,
  views: accessViews,
  run,
});

async function run(invocation: InvocationWith<typeof flags>): Promise<number> {
  const { withSession } = await import('../service/session.ts');
  const { reviewAccess } = await import('../../run/facts/access-review.ts');
  return withSession(invocation, { base: 'none' }, async ({ session }) => {
    const { of, to } = invocation.flags;
    const review = await reviewAccess(session, { of, to });
    (await chosenViews(invocation, accessViews)).all((view, options) => view(review, options));
    return 0;
  });
}
