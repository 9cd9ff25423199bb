/** A plan in a run of GitHub Actions: the text in the log, refusals and dangers beside the lines of the manifests. Pure. */
import { cascadeTexts } from './dangers.ts';
import { type Annotation, annotationLines, folded } from './github-annotations.ts';
import { isLosing } from './object-changes.ts';
import { planText, type TextOptions } from './plan-text.ts';
import { type MarkedPlan, type OrganizationView, viewPlan } from './plan-view.ts';
import type { LongView } from './view.ts';

/** A marked plan with annotations. */
export const planGithub: LongView<MarkedPlan> = function* (marked, options) {
  const { github = noGithub } = options;
  const view = viewPlan(marked.plan);
  yield* folded(view.isDrift ? 'octavo drift' : 'octavo plan', planText(marked, options), github);
  yield annotationLines(view.organizations.flatMap(annotationsOf), github);
  yield `${view.closing[0] ?? ''}\n`;
};

/** Where nothing is known of the run: paths as they are. */
export const noGithub: NonNullable<TextOptions['github']> = {
  stop: 'octavo-plan-text',
  pathOf: (file) => file,
};

function annotationsOf({ plan, groups }: OrganizationView): readonly Annotation[] {
  const places = new Map(plan.steps.map(({ address, at }) => [address, at]));
  const refused = plan.refusals.map(
    ({ address, message, suggestion, skipped, guard }): Annotation => ({
      level: skipped === true ? 'warning' : 'error',
      title: `octavo: refused (${guard})`,
      message: `${address}: ${message}\n${suggestion}`,
      at: places.get(address),
    }),
  );
  const dangerous = groups
    .flatMap(({ changes }) => changes)
    .flatMap((change): readonly Annotation[] => {
      const { action, address, noun, risks } = change;
      const isLost = isLosing(change);
      const texts = [...cascadeTexts(change), ...risks];
      if (!isLost && texts.length === 0) return [];
      const what = isLost ? `${action}s the ${noun}` : texts.shift();
      const message = [`${address}: ${what ?? ''}`, ...texts].join('\n');
      return [{ level: 'warning', title: `octavo: ${action}`, message, at: places.get(address) }];
    });
  return [...refused, ...dangerous];
}
