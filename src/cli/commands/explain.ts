/** `octavo explain`: says what a field, a kind, a setting, a diagnostic or an operation is. Asks no service, reads no file. */
import { registry } from '../../kinds/index.ts';
import { findTopic, overview } from '../explain/find-topic.ts';
import type { Invocation } from '../invocation.ts';
import { chosenViews } from '../view-for.ts';
import { explainViews } from '../views.ts';

/** Exit code 0; 1 where nothing has the name. */
export async function run(invocation: Invocation): Promise<number> {
  const { argument, flags } = invocation;
  const source = { registry, isRecursive: flags.recursive === true };
  const explanation = argument === undefined ? overview(source) : findTopic(source, argument);
  (await chosenViews(invocation, explainViews)).all((view, options) => view(explanation, options));
  return 0;
}
