/** `octavo.rules.yaml`: the rules of a repository over its plans. */
import * as z from 'zod';
import { once } from '../../contract/once.ts';
import { roles } from '../../contract/values.ts';
import { kinds } from '../../kinds/index.ts';
import type { Pattern } from '../../kinds/rules/patterns.ts';
import { linkOutcomes, ruleActions } from '../../kinds/rules/rules.ts';
import { byName, oneOrMore, strictObject, typed } from '../../util/data-schema.ts';

const text = z.string().min(1);

/** Keyed by the name of a field of any kind. `parse-rules.ts` checks the values for the kinds that a rule selects. */
function fieldPatterns(...others: readonly string[]) {
  const names = new Set([...kinds.flatMap(({ fields }) => Object.keys(fields)), ...others]);
  const pattern = typed<Pattern>().exactOptional();
  return strictObject(Object.fromEntries([...names].sort().map((name) => [name, pattern])));
}

export const ruleSchema = once(() =>
  strictObject({
    when: strictObject({
      kind: oneOrMore(z.enum(kinds.map(({ name }) => name)))
        .exactOptional()
        .describe('Kinds of objects.'),
      address: oneOrMore(text)
        .exactOptional()
        .meta({
          description: 'Addresses, as globs; prefixed with the organization if there are several.',
          examples: ['sites/developer-hub/**'],
        }),
      action: oneOrMore(z.enum(ruleActions)).exactOptional().describe('What happens to the object.'),
      field: oneOrMore(text)
        .exactOptional()
        .meta({
          description:
            'Fields, at least one of which the change sets. A new object sets all fields of its kind, also those that the manifest leaves out.',
          examples: ['visibility'],
        }),
      gains: z.enum(roles).exactOptional().describe('People gain this level, or a higher one.'),
      links: oneOrMore(z.enum(linkOutcomes))
        .exactOptional()
        .describe(
          'Effect on addresses that visitors have: broken (lost, taken over, changed without a redirect that is live or in the plan, or not predictable) or redirected.',
        ),
      breaksLinks: z
        .literal(true)
        .exactOptional()
        .describe(
          'Links in other spaces lead to the object, which is deleted, moved or gets another path. If links could not be read, the rule only warns.',
        ),
    })
      .exactOptional()
      .meta({
        description: 'Changes that the rule selects: all conditions must match (default: every change).',
        help: 'write for example when: { kind: site, field: visibility }',
      }),
    require: strictObject({
      before: fieldPatterns().exactOptional().describe('Patterns for the fields of the live object.'),
      after: fieldPatterns('until')
        .exactOptional()
        .describe(
          'Patterns for the fields of the object after the plan; they do not apply to deletes. until is the last day of what the change gives.',
        ),
    })
      .exactOptional()
      .meta({
        description: 'Patterns that must match; without them, the rule rejects every change that it selects.',
        examples: [{ after: { visibility: ['unlisted', 'visitor-auth'] } }],
        help: 'write patterns by field, for example require: { after: { visibility: [unlisted, visitor-auth] } }',
      }),
    most: z
      .int()
      .min(1)
      .exactOptional()
      .describe('The rule rejects the plan if it would reject more objects than this.'),
    message: text
      .max(300)
      .exactOptional()
      .describe('Message for reviewers; required unless the rule ships with Octavo.'),
    severity: z
      .enum(['error', 'warning'])
      .exactOptional()
      .describe('An error refuses the changes (default); a warning only reports them.'),
    exempt: strictObject({
      label: text.exactOptional().describe('A label of the pull request.'),
      team: text
        .regex(/^[^/\s]+(\/[^/\s]+)*$/, 'a team')
        .meta({ help: 'write organization/team of GitHub, or the path of a group of GitLab' })
        .exactOptional()
        .describe('A team of GitHub or a group of GitLab of which a member approved the pull request.'),
    })
      .exactOptional()
      .describe('What lifts the rule for one pull request: either is enough.'),
  }),
);

export const rulesSchema = once(() =>
  strictObject({
    rules: byName(ruleSchema()).meta({
      description:
        'By name. The name of a rule that ships with Octavo turns it on; the parts that are written override its own.',
      examples: [{ 'no-site-deletes': { exempt: { label: 'allow-site-deletes' } } }],
    }),
  }).meta({
    title: 'Octavo rules',
    description: 'Rules for plans, read from the base: changes in a pull request apply to later plans.',
  }),
);
