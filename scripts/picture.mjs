/**
 * The picture at the top of the README: the demo's output for the plan of its pull request, as a drawing of a terminal. Runs the demo, so
 * that the picture shows the output of the current version. Ids, dates and commits of the demo are fixed, so the picture is reproducible.
 */
import { spawnSync } from 'node:child_process';

const command = '$ octavo plan --base main\n';

const [characterWidth, lineHeight, fontSize, margin, bar] = [7.8, 18, 13, 20, 34];

const colors = {
  plain: '#e6edf3',
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
};

/** The picture as SVG. Needs dist/ and git. */
export function demoPicture(root) {
  // A demo that no one reads any more ends.
  const { stdout, stderr } = spawnSync('bash', ['-c', 'bash examples/demo/demo.sh | sed "/Digest: /q"'], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, FORCE_COLOR: '1' },
  });
  const plan = planIn(stdout);
  if (plan === undefined) throw new Error(`the demo shows no plan: ${stderr}${stdout.slice(-400)}`);
  return terminal(plan);
}

/** The lines of the first plan, with the command above them; undefined without one. */
function planIn(stdout) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of a terminal are what is looked for.
  const plain = stdout.replace(/(\u001b\[[\d;]*m)+(\$ [^\n\u001b]*)(\u001b\[[\d;]*m)+\n/g, '$2\n');
  const start = plain.indexOf(command);
  return start < 0 || !plain.includes('Digest: ', start)
    ? undefined
    : plain.slice(start).trimEnd().split('\n');
}

function terminal(lines) {
  const runs = lines.map(runsOf);
  const columns = Math.max(...runs.map((line) => line.reduce((sum, { text }) => sum + [...text].length, 0)));
  const width = Math.ceil(columns * characterWidth + 2 * margin);
  const height = bar + lines.length * lineHeight + margin;
  const texts = runs.flatMap((line, at) => {
    let column = 0;
    return line.map(({ text, style }) => {
      const x = margin + column * characterWidth;
      column += [...text].length;
      return text.trim() === ''
        ? ''
        : `<text x="${x.toFixed(1)}" y="${bar + (at + 1) * lineHeight}"${style}>${escaped(text)}</text>\n`;
    });
  });
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, at) => `<circle cx="${margin + at * 18}" cy="17" r="5.5" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${fontSize}" fill="${colors.plain}">`,
    '<title id="title">octavo plan on a pull request: one move, one update, two deletes, and a rename that is refused until the manifest says what is meant</title>',
    `<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>`,
    `${dots.join('')}`,
    `${texts.join('')}</svg>\n`,
  ].join('\n');
}

/** Pieces of a line with their styles. */
function runsOf(line) {
  const state = { bold: false, faint: false, color: 'plain' };
  const runs = [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of a terminal are what is looked for.
  for (const [, code, text] of line.matchAll(/\u001b\[(\d+)m|([^\u001b]+)/g)) {
    if (text !== undefined) runs.push({ text, style: styleOf(state) });
    else apply(state, Number(code));
  }
  return runs;
}

function apply(state, code) {
  if (code === 1) state.bold = true;
  else if (code === 2) state.faint = true;
  else if (code === 22) Object.assign(state, { bold: false, faint: false });
  else if (code === 39) state.color = 'plain';
  else if (code in colors) state.color = code;
}

function styleOf({ bold, faint, color }) {
  return [
    bold ? ' font-weight="bold"' : '',
    faint ? ' opacity="0.65"' : '',
    color === 'plain' ? '' : ` fill="${colors[color]}"`,
  ].join('');
}

function escaped(text) {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  // SVG would collapse several spaces into one.
  return safe.replaceAll(' ', '\u00a0');
}
