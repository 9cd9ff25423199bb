/**
 * Three policies over a plan as JSON (`octavo plan --format json`), as plain functions: each returns a sentence for
 * everything that it denies. The Rego files next to this one state the same for OPA and conftest.
 */

/** The label of a pull request that may delete sites. */
const allowed = 'allow-site-deletes';

/** No site is deleted, or replaced by a new one, unless the pull request has the label. */
export function siteDeletes(plan, { labels = [] } = {}) {
  if (labels.includes(allowed)) return [];
  return stepsOf(plan).flatMap(({ step, organization }) => {
    const gone = (step.cascade ?? []).filter(({ kind }) => kind === 'site').map(({ title }) => title);
    const goes =
      step.kind === 'site' && ['delete', 'replace'].includes(step.action) && step.phase === 'delete';
    return [...(goes ? [step.address] : []), ...gone].map(
      (site) => `${organization}: ${site} would be deleted; add the label ${allowed} if that is meant`,
    );
  });
}

/** Nothing becomes public that was not. */
export function becomesPublic(plan) {
  return stepsOf(plan).flatMap(({ step, organization }) =>
    step.fields
      .filter(
        ({ field, before, after }) => field === 'visibility' && after === 'public' && before !== 'public',
      )
      .map(() => `${organization}: ${step.address} would become public`),
  );
}

/** At most so many objects change at once. */
export function tooMuch(plan, { maxChanges = 50 } = {}) {
  const changes = Object.values(plan.counts).reduce((sum, count) => sum + count, 0);
  return changes > maxChanges ? [`${changes} changes at once; at most ${maxChanges} are allowed`] : [];
}

/** What all of them deny. */
export function denied(plan, data = {}) {
  return [...siteDeletes(plan, data), ...becomesPublic(plan), ...tooMuch(plan, data)];
}

function stepsOf({ organizations }) {
  return organizations.flatMap(({ label, steps }) => steps.map((step) => ({ step, organization: label })));
}
