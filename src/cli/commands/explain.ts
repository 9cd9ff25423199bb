import { registry } from '../../kinds/index.ts';
import { explanationOf, overview } from '../explain/topics.ts';
import { defineCommand, type Invocation } from '../line/command.ts';
import { chosenViews } from '../show/view-for.ts';
import { explainViews } from '../show/views.ts';

export const command = defineCommand({
  words: { name: 'topic', completes: 'topics' },
  flags: {},
  views: explainViews,
  run,
});

async function run(invocation: Invocation): Promise<number> {
  const [topic] = invocation.words;
  const explanation = topic === undefined ? overview(registry) : explanationOf(registry, topic);
  (await chosenViews(invocation, explainViews)).all((view, options) => view(explanation, options));
  return 0;
}
