/** Writes values as YAML as people write it: for examples and skeletons, which nobody has written before. Pure. */
import { dump } from 'js-yaml';

/** The value as block YAML; long text stays on its line. Ends with a line break. */
export function yamlText(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true });
}
