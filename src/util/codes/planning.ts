import type { DiagnosticTexts } from './texts.ts';

export const planningCodes = {
  'organization-not-found': [
    'The token can see no organization, or several, that match',
    '`match: { title: Acme }`',
    'Write the id of the organization, and check the token',
  ],
  'ambiguous-identity': [
    'Several live objects, or several declared ones, have the same identity',
    'two live teams titled Platform',
    'Pin the one that is meant: `id: …`',
  ],
  'no-identity': [
    'Nothing identifies the live object',
    '`sections: { guides: {} }`',
    'Add a title or path, or pin the object with `id`',
  ],
  indistinguishable: [
    'Two declared objects would have the same identity',
    'two teams titled Platform',
    'Give one of them another title, or pin them with `id`',
  ],
  'id-not-found': [
    'An object that was live when the plan was made is gone',
    'a team that somebody deletes during an apply',
    'Plan again',
  ],
  'id-elsewhere': [
    'The object with the pinned id has another parent',
    '`id: sec_1`, in another site',
    'Move the entry to the parent that the object has',
  ],
  'id-claimed-twice': ['Two declared objects pin the same id', '`id: sp_1`, twice', 'Remove one of the two'],
  'recorded-otherwise': [
    'Recorded ids say the opposite of what objects are called',
    'two teams whose titles somebody exchanged in the app, or a record in which somebody exchanged their ids',
    'Pin the id of the right one, or revert the exchange by an apply',
  ],
  'former-name': [
    'A `was` that changes nothing',
    '`was: writers`, long after the rename was applied',
    'Remove the line',
  ],
  'unfinished-copy': [
    'A copy exists that an earlier run did not finish; it is taken',
    'a space that still has the title of the one that it duplicates',
    'Nothing, or `was: []` where it is something else',
  ],
  'call-not-accepted': [
    'A request would not be accepted by the API',
    'a new site without a title',
    'Add or fix the field that the message names',
  ],
  'cannot-create': [
    'The API cannot create this object',
    'a member who was never invited',
    'Create it in the app, then declare it, or pin its id',
  ],
  'cannot-change': [
    'The API cannot make this change',
    '`sso: false`, for a member who signs in through SSO',
    'Restore the value, or make the change in the app',
  ],
  'ruled-out': [
    'A parent cannot have both kinds of children',
    'spaces directly in a site that has sections',
    'Put them into a section, or have all sections deleted first',
  ],
  contradiction: [
    'The manifests name an object that they have deleted',
    'a space has a value of a custom field that was removed',
    'Remove the name as well, or list the object again',
  ],
  'value-taken': [
    'A value that must be unique is already used by a live object',
    '`path: guides`, twice in one site',
    'Choose another value, or change that object as well',
  ],
  'value-wanted-twice': [
    'A value that must be unique is declared twice',
    '`path: guides`, twice in one site',
    'Choose another value for one of the two',
  ],
  'probable-rename': [
    'A new object looks like a live one, renamed',
    'teams/platform-team, with the members of teams/platform',
    'Add `was: "platform"` if it is a rename, `was: []` if it is new',
  ],
  'not-undone': [
    'An undo cannot bring something back',
    'a deleted share link comes back with another URL',
    'Read what is lost before you approve the undo',
  ],
  'refused-rules': [
    'A rule of the repository objects; octavo.rules.yaml of the base has it',
    '`no-site-deletes: {}`, and a site that left the manifests',
    'Change the manifests, or what lifts the rule for this pull request: its label, or the approval of its team',
  ],
  'rules-changed': [
    'The rules of the work tree are not those of the base, which judge the plan',
    'a pull request that changes octavo.rules.yaml',
    'Nothing: once applied, the new rules judge',
  ],
  'refused-unseen': [
    'An object would change that the token does not see, so its live state is not known',
    'the title of a collection that is closed to the member whose token it is',
    'Plan and apply with a token of a member who administers the organization',
  ],
  unseen: [
    'The token does not administer the organization: an object to create may exist without being visible to it',
    'a new collection, with a token of a member who creates content',
    'Use a token of a member who administers the organization; or see in the app that there is none',
  ],
  'refused-limits': [
    'The plan deletes or changes more than the limits allow',
    '`settings: { limits: { deletes: 10 } }`, and 12 deletes',
    'Review the deletes, then pass `--allow-deletes 12`',
  ],
  'refused-last-one': [
    'The last object with a role would lose it',
    'the last admin becomes a reader',
    'Keep one, or add another first',
  ],
  'refused-own-member': [
    'The member that the token belongs to would be removed or demoted, or lose access that was given to them or to their team',
    '`settings: { self: deploy@acme.dev }`, and that member removed',
    'Let somebody else apply it',
  ],
  'refused-lockout': [
    'Nobody could sign in any more',
    '`sso: true`, and the last SAML provider removed',
    'Keep a SAML provider, or leave `sso` off',
  ],
  'refused-kept-value': [
    'A value may still be used by an object whose delete is left out, and that the service may move',
    'the path of a new site-space in the first section of a site, whose own site-space with that path stays',
    'Choose another value, or delete that object in the same run',
  ],
  'refused-contents': [
    'An object that still contains others would be deleted',
    'a collection with a space that no manifest lists',
    'Move the others first, or declare them',
  ],
  'refused-default': [
    'The default of an object would be deleted while others could take its place',
    'the default section of a site with two sections',
    'Name another default',
  ],
  'refused-protect': [
    'A protected object would be deleted or replaced, or any object replaced by a value that the service may not know',
    'a site; a custom field that becomes `type: integer`',
    'Set `lifecycle: { protect: false }`, or add `!address` to `settings.protect`',
  ],
  'refused-synced': [
    'A synchronized repository writes the same title or structure as well',
    'a section of a site whose structure is in a repository',
    'Make the change in the repository; `lifecycle: { ignore: synced }` leaves to it what it writes, and access, share links, redirects and the rest are managed here',
  ],
  'refused-made-by-others': [
    'An undo would also delete something that the undone run did not make',
    'a section that somebody added to a site that the run created',
    'Move or delete it in the app first, then undo again',
  ],
  'refused-open-work': [
    'A space with open change requests would be deleted',
    'two open change requests',
    'Merge or close them, or add `!address` to `settings.protect`',
  ],
  'refused-missing': [
    'An object that the API cannot create was not found',
    'a space that was renamed in the app, or a member who left',
    'Pin its id, pass `--base` where it was renamed in git, or remove it from the manifests',
  ],
  'refused-swap-or-swapped': [
    'By the base, objects swap names; that may have been applied already',
    'a team a titled B and the other way round, with nothing else that distinguishes them',
    'Add the ids that the refusal lists for the answer that is right; with recorded ids (`apply --record`) nothing is in doubt',
  ],
  'refused-rename': [
    'A delete and a create look like a rename',
    'teams/platform removed, teams/platform-team added',
    'Add `was: "platform"` to the new one, or `was: []` if it is new',
  ],
} as const satisfies Readonly<Record<string, DiagnosticTexts>>;
