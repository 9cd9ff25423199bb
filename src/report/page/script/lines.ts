/** Lines between elements, drawn behind or over them. They only repeat information of the text. */
import { fill, svg } from './dom.ts';

export interface JoiningLine {
  readonly from: Element;
  readonly to: Element;
  readonly className: string;
}

/** Covers its container; `draw` is called whenever the layout changes. */
export function lineLayer(container: HTMLElement, linesOf: () => readonly JoiningLine[]): void {
  const layer = svg('svg', { class: 'lines-layer', 'aria-hidden': 'true', focusable: 'false' });
  container.prepend(layer);
  const draw = () => {
    const origin = container.getBoundingClientRect();
    layer.setAttribute('width', String(container.scrollWidth));
    layer.setAttribute('height', String(container.scrollHeight));
    fill(
      layer,
      linesOf().map((line) =>
        path(line, { x: origin.left - container.scrollLeft, y: origin.top - container.scrollTop }),
      ),
    );
  };
  new ResizeObserver(draw).observe(container);
}

function path(
  { from, to, className }: JoiningLine,
  origin: { readonly x: number; readonly y: number },
): SVGElement {
  const [left, right] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  const [x1, y1] = [left.right - origin.x, left.top + left.height / 2 - origin.y];
  const [x2, y2] = [right.left - origin.x, right.top + right.height / 2 - origin.y];
  const bend = Math.max(20, Math.abs(x2 - x1) / 2);
  return svg('path', {
    class: className,
    d: `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
  });
}
