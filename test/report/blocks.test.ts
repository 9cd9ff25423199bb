/** Documents of blocks as text, Markdown and JSON, also with hostile texts. */
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { expect, test } from 'vitest';
import {
  asJson,
  asText,
  heading,
  line,
  list,
  note,
  paragraph,
  type Report,
  table,
  textLines,
  textOf,
} from '../../src/report/blocks.ts';
import { asMarkdown } from '../../src/report/text/markdown-blocks.ts';

const report = (text: string): Report<string> => ({
  document: () => [
    [
      heading(text),
      table([
        [{ text: '+', as: 'added' }, text],
        ['longer', text],
      ]),
    ],
    [],
    [table([['a', `${text}\nhelp: ${'word '.repeat(20)}`]], { wraps: true }), { type: 'paragraph', text }],
    [{ type: 'list', items: [{ line: text, below: [text] }] }, list([text, text, text], 1)],
    [{ type: 'code', language: 'yaml', lines: [text] }, line(text)],
    [note(text, 4, 'risk'), paragraph(text, { indent: 2, bullet: 'help: ' })],
  ],
  data: (result) => ({ format: 1, result }),
});

test('prints text in columns, with wrapped cells and an empty line between sections', () => {
  expect(asText(report('x'))('', { color: false, width: 80 })).toMatchInlineSnapshot(`
    "x
      +       x
      longer  x

      a  x
         help: word word word word word word word word word word word word word
               word word word word word word word 
    x

      x
          x
      x
      and 2 more

    x
    x

        x
      help: x
    "
  `);
});

test('indents the further lines of a paragraph and keeps them within the width', () => {
  const text = 'aaaa bbbb cccc dddd eeee ffff';
  const blocks = [note(text, 4, 'risk'), paragraph(text, { indent: 2, bullet: '+ ' }), paragraph(text)];
  expect(textOf([blocks], { color: false, room: 20 })).toMatchInlineSnapshot(`
    "    aaaa bbbb
          cccc dddd
          eeee ffff
      + aaaa bbbb cccc
        dddd eeee ffff
    aaaa bbbb cccc dddd
    eeee ffff
    "
  `);
  const painted = [...textLines([blocks], { color: true, room: 20 })];
  expect(painted[1]).toBe('    \u001b[33m  cccc dddd\u001b[39m');
});

test('reads a document only as far as its lines are read', () => {
  let read = 0;
  const sections = (function* () {
    for (;;) {
      read += 1;
      yield [line(`section ${read}`)];
    }
  })();
  const lines = textLines(sections, { color: false, room: 80 });
  expect([lines.next().value, lines.next().value, lines.next().value]).toEqual([
    'section 1',
    '',
    'section 2',
  ]);
  expect(read).toBe(2);
});

test('writes Markdown', () => {
  expect(asMarkdown(report('x'))('', { color: false, width: 80 })).toMatchInlineSnapshot(`
    "#### x

    | | |
    |---|---|
    | \`+\` | \`x\` |
    | \`longer\` | \`x\` |

    | | |
    |---|---|
    | \`a\` | x<br>help: word word word word word word word word word word word word word word word word word word word word  |

    x

    - x<br>
      x

    - x
    - and 2 more

    \`\`\`yaml
    x
    \`\`\`

    x

    x

    x
    "
  `);
});

interface TreeNode {
  readonly type: string;
  readonly children?: readonly TreeNode[];
}

const shape = ({ type, children = [] }: TreeNode): unknown => {
  const shown = children.filter((child) => child.type !== 'text' && child.type !== 'html');
  return [type, shown.map(shape)];
};

test.each([
  '</td><script>alert(1)</script>',
  '| a | b \\|',
  '```\n# title\n- list @team #12 https://evil.example',
  '\u001b[31m\u202e\u2028![x](y)',
])('escapes %j', (text) => {
  const parsed = (of: string) =>
    shape(
      fromMarkdown(asMarkdown(report(of))('', { color: false, width: 80 }), {
        extensions: [gfm()],
        mdastExtensions: [gfmFromMarkdown()],
      }) as TreeNode,
    );
  expect(parsed(text.replaceAll('\n', ' '))).toEqual(parsed('x'));
  const shown = asText(report(text))('', { color: false, width: 80 });
  expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e\u2028]/u);
  expect(JSON.parse(asJson(report(text))(text, { color: false, width: 80 }))).toEqual({
    format: 1,
    result: text,
  });
});
