import { registry } from '../../kinds/index.ts';
import { findTopic, overview } from '../explain/find-topic.ts';
import { defineCommand, type InvocationWith } from '../line/command.ts';
import { flagTable } from '../line/flags.ts';
import { chosenViews } from '../show/view-for.ts';
import { explainViews } from '../show/views.ts';

const flags = flagTable('Other flags', {
  recursive: { type: 'boolean', description: 'Also show the fields of what is inside, at every level' },
});

type ExplainInvocation = InvocationWith<typeof flags>;

export const command = defineCommand({
  words: {
    name: 'what',
    description: 'Path such as sites.sections.condition, a code of a diagnostic, a guard, or another topic',
    completes: 'topics',
  },
  flags,
  views: explainViews,
  examples: [
    'octavo explain sites.sections.condition',
    'octavo explain sites --recursive',
    'octavo explain unknown-key',
    'octavo explain settings.limits.deletes --format json',
  ],
  guide: 'editors',
  run,
});

async function run(invocation: ExplainInvocation): Promise<number> {
  const { words, flags } = invocation;
  const [topic] = words;
  const source = { registry, isRecursive: flags.recursive === true };
  const explanation = topic === undefined ? overview(source) : findTopic(source, topic);
  (await chosenViews(invocation, explainViews)).all((view, options) => view(explanation, options));
  return 0;
}
