import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable, reading, text, texts } from '../line/flags.ts';
import { readSettings } from '../service/settings.ts';
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
  const { openCommandSession } = await import('../service/session.ts');
  const settings = await readSettings(invocation);
  const { session } = await openCommandSession(invocation, settings, { shard: settings.shard, base: 'none' });
  try {
    const { of, to } = invocation.flags;
    const review = await session.reviewAccess({ of, to });
    (await chosenViews(invocation, accessViews)).all((view, options) => view(review, options));
    return 0;
  } finally {
    await session.close();
  }
}
