/** A graph as one page that works from a file: the drawing, which mouse and keyboard move, and the same as a list. Pure. */
import { push } from '../../util/group.ts';
import type { View } from '../view.ts';
import {
  type Graph,
  type GraphEdge,
  type GraphNode,
  graphLegend,
  graphTitle,
  linesOf,
  signOf,
} from './graph.ts';
import { pageHashes, pageScript, pageStyle } from './page-parts.ts';
import { drawing, drawnGraph } from './svg.ts';
import { xmlText } from './xml.ts';

/** An HTML document; ends with a line break. Nothing in it is fetched, and no script runs but its own. */
export const htmlGraph: View<Graph> = (whole, { full = false }) => {
  const graph = drawnGraph(whole, full ? 'full' : 'folded');
  const title = xmlText(graphTitle(graph));
  const policy = `default-src 'none'; style-src '${pageHashes.style}'; script-src '${pageHashes.script}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>${title}</h1>
${[graphLegend(graph), ...graph.notes].map((line) => `<p>${xmlText(line)}</p>`).join('\n')}
</header>
<main>
<nav aria-label="Drawing" hidden><button id="in" type="button">Zoom in</button><button id="out" type="button">Zoom out</button><button id="fit" type="button">Fit</button></nav>
<div id="view" tabindex="0" role="group" aria-label="Drawing: arrow keys move it, + and - zoom, 0 fits it">
${drawing(graph)}
</div>
<details>
<summary>${graph.type === 'plan' ? 'The steps as a list' : 'The objects as a list'}</summary>
${list(graph)}
</details>
</main>
<script>${pageScript}</script>
</body>
</html>
`;
};

/** The list has every node of the drawing, and every edge at the node that it leads to. */
function list({ nodes, edges }: Graph): string {
  const into = new Map<string, GraphEdge[]>();
  for (const edge of edges) push(into, edge.to, edge);
  const names = new Map(nodes.map((node, at) => [node.id, { number: at + 1, address: node.address }]));
  const items = nodes.map((node, at) => {
    const links = (into.get(node.id) ?? []).map((edge) => {
      const { number = 0, address = '' } = names.get(edge.from) ?? {};
      const label = edge.label === undefined ? '' : ` (${xmlText(edge.label)})`;
      return `${edgeWords[edge.type]} <a href="#n${number}">${xmlText(address)}</a>${label}`;
    });
    return `<li id="n${at + 1}">${item(node)}${links.length === 0 ? '' : `<span>${links.join(', ')}</span>`}</li>`;
  });
  return `<ol>\n${items.join('\n')}\n</ol>`;
}

const edgeWords: Readonly<Record<GraphEdge['type'], string>> = {
  needs: 'needs',
  after: 'after',
  parent: 'in',
  reference: 'referred to by',
};

function item(node: GraphNode): string {
  const { address, marks } = node;
  const [, ...lines] = linesOf({ ...node, address: '', marks: [] });
  const sign = signOf(node);
  return [
    `<b>${xmlText(`${sign} ${address}`.trim())}</b>`,
    ...lines.map((line) => `<span>${xmlText(line)}</span>`),
    ...marks.map((mark) => `<span class="mark">${xmlText(`! ${mark}`)}</span>`),
  ].join('');
}
