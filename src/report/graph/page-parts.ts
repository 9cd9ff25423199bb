/**
 * The style and the script of a graph's page, with the hashes by which its content security policy lets them in. They are
 * the same for every graph: nothing of a graph is in them.
 */

/** Looks of the page. */
export const pageStyle = `
:root { color-scheme: light dark; --ink: #1f2328; --paper: #ffffff; --line: #d0d7de; --faint: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --line: #30363d; --faint: #9198a1; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.2rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
p { margin: 0 0 .5rem; color: var(--faint); }
button { font: inherit; padding: .2rem .7rem; margin-right: .3rem; border: 1px solid var(--line); border-radius: 6px; background: transparent; color: inherit; cursor: pointer; }
:focus-visible { outline: 3px solid #0969da; outline-offset: 2px; }
#view { height: 72vh; margin: .6rem 0; border: 1px solid var(--line); border-radius: 6px; overflow: auto; background: #ffffff; touch-action: none; }
#view.moves { overflow: hidden; cursor: grab; }
#view.moves svg { width: 100%; height: 100%; display: block; }
li { margin-bottom: .4rem; overflow-wrap: anywhere; }
li span { display: block; color: var(--faint); }
li .mark { color: inherit; font-weight: 600; }
@media print { nav { display: none; } #view { height: auto; border: 0; } }
`;

/** Moves and enlarges the drawing. Without it the drawing can be scrolled. */
export const pageScript = `
(() => {
  const view = document.getElementById('view');
  const svg = view.querySelector('svg');
  const whole = { width: svg.width.baseVal.value, height: svg.height.baseVal.value };
  view.classList.add('moves');
  let x = 0, y = 0, scale = 1;
  const least = () => Math.min(1, view.clientWidth / whole.width, view.clientHeight / whole.height);
  const draw = () => svg.setAttribute('viewBox', [x, y, view.clientWidth / scale, view.clientHeight / scale].join(' '));
  svg.setAttribute('preserveAspectRatio', 'xMinYMin meet');
  const zoom = (factor, left = view.clientWidth / 2, top = view.clientHeight / 2) => {
    const next = Math.min(4, Math.max(least() / 2, scale * factor));
    x += left / scale - left / next;
    y += top / scale - top / next;
    scale = next;
    draw();
  };
  const fit = () => { x = 0; y = 0; scale = least(); draw(); };
  const move = (right, down) => { x += right / scale; y += down / scale; draw(); };
  const keys = {
    ArrowLeft: () => move(-60, 0), ArrowRight: () => move(60, 0), ArrowUp: () => move(0, -60), ArrowDown: () => move(0, 60),
    '+': () => zoom(1.25), '=': () => zoom(1.25), '-': () => zoom(0.8), 0: fit, Home: fit,
  };
  view.addEventListener('keydown', (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
  view.addEventListener('wheel', (event) => {
    event.preventDefault();
    const box = view.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  view.addEventListener('pointerdown', (event) => view.setPointerCapture(event.pointerId));
  view.addEventListener('pointermove', (event) => {
    if (view.hasPointerCapture(event.pointerId)) move(-event.movementX, -event.movementY);
  });
  for (const [id, act] of [['in', () => zoom(1.25)], ['out', () => zoom(0.8)], ['fit', fit]])
    document.getElementById(id).addEventListener('click', act);
  addEventListener('resize', draw);
  document.querySelector('nav').hidden = false;
  scale = Math.max(least(), 0.6);
  draw();
})();
`;

/** SHA-256 of the style and the script, as policies name them. */
export const pageHashes = {
  style: 'sha256-9FF31adIv28+aNHdIXzQQ6CsvRyG8/1pqaDNOacXTsE=',
  script: 'sha256-1quQaYHZRwxvQJ+AUPPVz6I9Vu154B5X7H7O0iNAzmI=',
} as const;
