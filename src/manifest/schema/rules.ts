/** `octavo.rules.yaml`: the rules of a repository over its plans. */
import * as z from 'zod';
import { once } from '../../contract/once.ts';
import { kinds } from '../../kinds/index.ts';
import { ruleActions } from '../../kinds/rules.ts';
import { byName, oneOrMore, strictObject } from '../../util/data-schema.ts';

export const rulesFile = 'octavo.rules.yaml';

const text = z.string().min(1);

export const ruleSchema = once(() =>
  strictObject({
    when: strictObject({
      kind: oneOrMore(z.enum(kinds.map(({ name }) => name)))
        .exactOptional()
        .describe('Kinds of objects.'),
      address: oneOrMore(text)
        .exactOptional()
        .meta({
          description: 'Addresses, as globs; with the organization in front where there are several.',
          examples: ['sites/developer-hub/**'],
        }),
      action: oneOrMore(z.enum(ruleActions)).exactOptional().describe('What happens to the object.'),
      field: oneOrMore(text)
        .exactOptional()
        .meta({
          description: 'Fields that the change sets, at least one of them.',
          examples: ['visibility'],
        }),
    })
      .exactOptional()
      .describe('Which changes it speaks of (default: all).'),
    over: z
      .enum(['object', 'plan'])
      .exactOptional()
      .describe('Whether each object is judged (default), or all that it speaks of at once.'),
    require: text.exactOptional().meta({
      description:
        'What must hold, as a JMESPath expression; without it, the rule objects to every change it speaks of.',
      examples: ["after.visibility != 'public'"],
    }),
    message: text
      .max(300)
      .exactOptional()
      .describe('What a reviewer reads; needed for a rule that does not ship.'),
    severity: z
      .enum(['error', 'warning'])
      .exactOptional()
      .describe('An error refuses the changes (default); a warning only tells.'),
    exempt: strictObject({
      label: text.exactOptional().describe('A label of the pull request.'),
      team: text
        .regex(/^[^/\s]+(\/[^/\s]+)*$/, 'a team')
        .meta({ help: 'write organization/team of GitHub, or the path of a group of GitLab' })
        .exactOptional()
        .describe('A team of GitHub or a group of GitLab, one of which approved the pull request.'),
    })
      .exactOptional()
      .describe('What lifts the rule for one pull request: either is enough.'),
  }),
);

export const rulesSchema = once(() =>
  strictObject({
    rules: byName(ruleSchema()).meta({
      description: 'By name. The name of a rule that ships turns that one on, and changes what is written.',
      examples: [{ 'no-site-deletes': { exempt: { label: 'allow-site-deletes' } } }],
    }),
  }).meta({
    title: 'Octavo rules',
    description: 'Rules over plans, read from the base: what a pull request changes here judges later plans.',
  }),
);
