/** Reports `title: Status # 1`: YAML ends an unquoted text before ` #`. A comment that is only a number is hardly intended. */
import { rememberedIn } from '../../util/remembered.ts';
import { textIn, type Warning, type WarningInput } from './warning.ts';

export function* swallowedText({ trees, registry, textOf }: WarningInput): Generator<Warning> {
  const lines = new Map<string, readonly string[]>();
  for (const tree of trees) {
    for (const node of tree.nodes.values()) {
      for (const name of Object.keys(registry.byName(node.kind).fields)) {
        const at = node.fieldAt[name];
        const text = textIn(node, name);
        if (at === undefined || text === undefined || at.line !== at.endLine) continue;
        const inFile = rememberedIn(lines, at.file, () => (textOf(at.file) ?? '').split(/\r?\n/));
        const line = inFile[at.line - 1] ?? '';
        // On a long run of spaces, the regular expression would overflow the stack.
        const after = line.length - at.endColumn > 200 ? '' : line.slice(at.endColumn - 1);
        const rest = /^\s+#\s?\d[\d.]*\s*$/.exec(after)?.[0];
        if (rest === undefined || /^["']/.test(line.slice(at.column - 1))) continue;
        yield {
          code: 'swallowed-text',
          message: `${name} is ${JSON.stringify(text)}: ${JSON.stringify(rest.trim())} after it is a comment`,
          at,
          address: node.address,
          suggestion: `quote it if it belongs to the text: ${name}: ${JSON.stringify(`${text}${rest.trimEnd()}`)}`,
        };
      }
    }
  }
}
