import type { PageOrganization } from '../page-data.ts';
import type { PageStep } from '../page-requests.ts';
import { shortRequests } from './details.ts';
import { addressText, el } from './dom.ts';
import { type JoiningLine, lineLayer } from './lines.ts';
import type { PlanModel } from './model.ts';
import { aboutText, countText, signs } from './words.ts';

/** More steps than this are only listed: no one could follow the lines. */
const mostDrawn = 80;
/** Steps that are listed before the rest is requested. */
const listedAtOnce = 500;

export function orderPart(model: PlanModel): HTMLElement {
  const { organizations } = model.data;
  return el(
    'div',
    { class: 'order' },
    el('h2', { tabindex: -1 }, 'Order of the requests'),
    el(
      'p',
      { class: 'about' },
      'Steps run as soon as those that they wait for have ended. A failed step skips the steps that need it, and nothing else.',
    ),
    organizations
      .filter(({ steps }) => steps.length > 0)
      .map((organization) => organizationPart(model, organization, organizations.length > 1)),
  );
}

function organizationPart(model: PlanModel, organization: PageOrganization, several: boolean): HTMLElement {
  const { steps } = organization;
  const hashOf = (address: string) => model.hashOf(organization, address);
  const drawn = steps.length <= mostDrawn && steps.length > 1 && steps.some(({ wave }) => wave > 0);
  return el(
    'div',
    {},
    several && el('h3', {}, aboutText(organization)),
    drawn && graph(steps, hashOf),
    list(steps, hashOf),
  );
}

/** Each step is right of all steps that it waits for. */
function graph(steps: readonly PageStep[], hashOf: (address: string) => string): HTMLElement {
  const boxes = steps.map((step) =>
    el(
      'a',
      { class: `box ${step.action}`, href: hashOf(step.address) },
      el('span', { class: `sign ${step.action}`, 'aria-hidden': 'true' }, signs[step.action]),
      addressText(step.address),
      el('span', { class: 'operation' }, step.phase),
    ),
  );
  const waves = [...new Set(steps.map(({ wave }) => wave))].sort((left, right) => left - right);
  const columns = waves.map((wave) =>
    el(
      'div',
      { class: 'wave' },
      boxes.filter((_, at) => steps[at]?.wave === wave),
    ),
  );
  const inner = el('div', { class: 'waves' }, columns);
  const drawn = directWaits(steps);
  lineLayer(inner, () =>
    steps.flatMap(({ needs }, at) => {
      const direct = drawn[at] ?? [];
      const isNeeded = (one: number) => needs.includes(one);
      return [
        ...linesTo(boxes, at, direct.filter(isNeeded), 'need-line'),
        ...linesTo(
          boxes,
          at,
          direct.filter((one) => !isNeeded(one)),
          'after-line',
        ),
      ];
    }),
  );
  return el(
    'figure',
    {},
    el('div', { class: 'graph', tabindex: 0, role: 'group', 'aria-label': 'Graph of the steps' }, inner),
    el(
      'figcaption',
      { class: 'about' },
      'Solid lines: the step to the right needs the other to succeed. Dashed: it waits for it. Lines that follow from others are left out.',
    ),
  );
}

/** Only direct dependencies; the others follow from these. */
function directWaits(steps: readonly PageStep[]): readonly (readonly number[])[] {
  const above: ReadonlySet<number>[] = [];
  return steps.map(({ needs, after }, at) => {
    const waits = [...new Set([...needs, ...after])];
    above[at] = new Set(waits.flatMap((one) => [one, ...(above[one] ?? [])]));
    return waits.filter((one) => !waits.some((other) => above[other]?.has(one)));
  });
}

function linesTo(
  boxes: readonly Element[],
  at: number,
  others: readonly number[],
  className: string,
): readonly JoiningLine[] {
  const to = boxes[at];
  return others.flatMap((other): readonly JoiningLine[] => {
    const from = boxes[other];
    return from === undefined || to === undefined ? [] : [{ from, to, className }];
  });
}

function list(steps: readonly PageStep[], hashOf: (address: string) => string): HTMLElement {
  const shown = steps.slice(0, listedAtOnce);
  const rest = steps.length - shown.length;
  return el(
    'div',
    { class: 'steps' },
    el(
      'ol',
      {},
      shown.map((step, at) => stepItem(step, at, hashOf)),
    ),
    rest > 0 && el('p', { class: 'about' }, `and ${countText(rest, 'more step')}: each is with its object.`),
  );
}

function stepItem(step: PageStep, at: number, hashOf: (address: string) => string): HTMLElement {
  const { address, action, phase, needs, after, calls } = step;
  const waits = [...new Set([...needs, ...after])].sort((left, right) => left - right);
  return el(
    'li',
    { id: `step-${at + 1}`, class: 'step' },
    el('span', { class: `sign ${action}`, 'aria-hidden': 'true' }, signs[action]),
    el('a', { href: hashOf(address) }, addressText(address)),
    el('span', { class: 'operation' }, phase),
    waits.length > 0 &&
      el(
        'span',
        { class: 'waits' },
        `after ${waits
          .slice(0, 8)
          .map((one) => `step ${one + 1}`)
          .join(', ')}${waits.length > 8 ? ` and ${waits.length - 8} more` : ''}`,
      ),
    calls.length > 0 && el('ul', { class: 'step-calls' }, shortRequests(step)),
  );
}
