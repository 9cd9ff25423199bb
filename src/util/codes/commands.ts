import type { DiagnosticTexts } from './texts.ts';

export const commandCodes = {
  usage: [
    'The command line cannot be understood',
    '`octavo plan --bases main`',
    'Run the command with `--help`',
  ],
  file: ['A file that a flag names cannot be read', '`--input body.json`', 'Check the path'],
  base: [
    'The base cannot be read',
    '`--base v1.2`, in a shallow clone',
    'Fetch the ref, or pass another base',
  ],
  'base-ahead': [
    'The base has commits that HEAD lacks: planned against it, an old branch would undo them',
    '`--base main`, on a branch that is behind main',
    'Merge or rebase; or pass `--ahead merge`, `--ahead own` or `--ahead back`',
  ],
  'base-moved': [
    'The base has the manifests in another folder',
    '`--base main`, after `git mv base production`',
    'Name the folder, or all of them: `--base main:base`, `--base main:base,shared`',
  ],
  'no-such-person': [
    'Nobody of that name is a member of the organization',
    '`octavo access --of ada@acme.dev`',
    'Pass the e-mail address of a member',
  ],
  'no-such-address': [
    'A target or an exclusion matches nothing',
    '`--target teams/writer`',
    'Fix the address; `octavo plan` shows the addresses',
  ],
  'merge-conflict': [
    '`--ahead merge` cannot merge the base and HEAD',
    'both changed the same line',
    'Merge by hand, and plan again',
  ],
  'no-record': [
    'What was applied last is not known, or not for certain',
    '`--base applied` on the first run',
    'Record each apply: `octavo apply --record`',
  ],
  locked: [
    'Another run holds the lock of the organization',
    'two pipelines that apply at the same time',
    'Wait for it with `--lock-timeout 10m`; where that run is gone, `octavo unlock` removes its lock',
  ],
  lock: [
    'A lock cannot be read, written, or is not configured as it must be',
    '`--lock git:upstream`, without such a remote',
    'Follow the help of the message; `--no-lock` works without a lock',
  ],
  shard: [
    'A shard is not one that there is',
    '`--shard 17/16`',
    'Write it as `2/16`; `octavo matrix --of 16` lists the shards',
  ],
  'lock-lost': [
    'The lock was lost while it was needed, so nothing new was started',
    'the git remote was out of reach for longer than the lease',
    'See what changed with `octavo plan`, then run the command again',
  ],
  'report-merge': [
    'Run reports cannot be joined: one is no report, or they do not belong together',
    '`octavo report merge a.json a.json`',
    'Pass one report per shard, all of the same pipeline',
  ],
  'report-file': [
    'The run report cannot be written',
    '`--report-file missing/report.json`',
    'Name another file, in a folder that exists',
  ],
  'format-file': [
    'A result cannot be written to the file that `--format` names',
    '`--format json=missing/plan.json`',
    'Name another file, in a folder that exists',
  ],
  'log-file': [
    'The log cannot be written',
    '`--log-file missing/octavo.log`',
    'Name another file, in a folder that exists',
  ],
  'max-rps': ['`--max-rps` is out of range', '`--max-rps 0`', 'Pass a number from 1 to 10000'],
  parallelism: ['`--parallelism` is out of range', '`--parallelism 100`', 'Pass a number from 1 to 64'],
  approved: [
    '`--approved` has neither a digest nor a file',
    '`--approved abc`',
    'Pass the digest that plan shows, or the file of a saved plan',
  ],
  'unexpected-plan': [
    'The plan is not the one that was approved',
    '`--approved 0123456789ab`',
    'Review the plan again',
  ],
  'plan-stale': [
    'The live state changed since the plan was made',
    'a team renamed in the app',
    'Plan and review again',
  ],
  'plan-file': [
    'A saved plan cannot be used',
    'a file that was edited',
    'Save it again with `octavo plan --out`',
  ],
  out: ['A plan cannot be saved', '`--out missing/plan.json`', 'Pass another file'],
  record: [
    'What was applied cannot be recorded',
    '`--record`, with uncommitted manifests',
    'Commit the manifests first',
  ],
  refused: [
    'Nothing was applied, since the plan has refused changes',
    'a protected site removed',
    'Allow each as its message says, or pass `--skip-refused`',
  ],
  forge: [
    'GitHub or GitLab refused a request, or could not be reached',
    'a token without the permission to write comments',
    'Act on the status and the help of the message',
  ],
  'forge-place': [
    'The repository, the pull request, the commit or the token is not known',
    '`octavo comment`, on a machine of your own',
    'Pass the flag that the message names, or set its variable',
  ],
  'forge-url': [
    'The address of the API of GitHub or GitLab is not valid',
    '`--api-url github.acme.dev`',
    'Pass an https URL',
  ],
  'comment-key': ['A key cannot mark a comment', '`--key "a b"`', 'Use letters, digits and single dashes'],
  'comment-body': [
    'The text of a comment or an issue is missing or too large',
    '`--body plan.txt`, with 10,000 changes',
    'Make it with `--format markdown`, which always fits',
  ],
  'no-approval': [
    'No approval was found for what is to be applied',
    'a commit that was pushed without a pull request',
    'Plan and merge a pull request; docs/ci.md of Octavo has the setup',
  ],
  rehearsal: [
    'Nothing was applied, since the rehearsal of the plan failed',
    'a team that was deleted in the app, named by its id',
    'Fix what the rehearsal shows; `octavo plan --rehearse` shows it again',
  ],
  'not-approved': [
    'Nobody approved the plan',
    '`octavo apply`, in CI',
    'Review the plan, then pass `--auto-approve` or `--approved`',
  ],
  changed: ['A manifest was changed while `adopt` ran', 'an editor saved it', 'Run it again'],
  'read-only': [
    'A manifest cannot be written',
    'a file without write permission',
    'Make it writable, or add the ids by hand',
  ],
  write: ['Writing manifests failed', 'a full disk', 'Check the folder, and run the command again'],
  'export-differs': [
    'A plan of exported manifests would not be empty',
    '`octavo export --pin none`, where two teams have one title',
    'Pass `--pin ambiguous`, or leave out what differs with `--only`',
  ],
  'export-exists': [
    'Where an export is to be written, there is something else',
    '`octavo export --out docs`, where `docs/teams.yaml` is another text',
    'Pass another `--out`, or move the file away',
  ],
  'more-than-ids': [
    'Adding ids would change what the manifests mean',
    'a file that another one includes as text',
    'Add the ids by hand',
  ],
  'ids-of-one-organization': [
    'Ids belong to one organization, and the manifests serve several',
    '`organization: { id: "${env:ORG_ID}" }`',
    'Run `octavo adopt --into <overlay file>`, once for each organization',
  ],
  operation: ['No operation has that name or path', '`octavo api site.list`', 'Run `octavo api --list`'],
  'api-input': [
    'An input does not fit the operation',
    '`octavo api sites.get x=1`',
    'Pass the parameters that the message lists',
  ],
  'api-status': [
    'The service responded with a failure',
    '`404 Not Found`',
    'Act on the status and the text of the service',
  ],
  'api-connection': [
    'There was no connection, or it was lost',
    'the service is not running',
    'Check the base URL and the network',
  ],
  'api-timeout': ['The service did not respond in time', 'a service under load', 'Run the command again'],
  'api-shape': [
    'A response does not have the form that the API documents',
    'a service with a newer form of the API',
    'Check the base URL; report it if it is right',
  ],
  'api-response': [
    'A response cannot be read',
    'a proxy that responds with a page',
    'Check the base URL, and that no proxy responds instead',
  ],
  'api-cancelled': ['The request was cancelled', 'Ctrl-C', 'Run the command again'],
  body: [
    'The body of a request is not valid',
    '`--input`, with a file that is not JSON',
    'Pass valid JSON, with `--input` or with `-F`',
  ],
  field: ['A field of `-F` is not valid', '`-F title`', 'Write `-F field=value`'],
  path: [
    'The expression of `--select`, or the name of a field of `-F`, is not valid',
    '`--select "items["`',
    'Write JMESPath, as in items[].title; write keys of a field with dots between them',
  ],
  paginate: ['The operation has no pages', '`octavo api sites.get --paginate`', 'Leave `--paginate` out'],
  demo: [
    'The demo lacks something that it needs',
    'git is not installed, or the folder of `--keep` is not empty',
    'Install git, or name a new folder',
  ],
  'embedded-service': [
    'The embedded service cannot start',
    '`--base-url local:missing/data.db`',
    'Check the path',
  ],
  'test-file': [
    'A file of tests cannot be used',
    '`octavo test`, with `manifests: ../../elsewhere`',
    'Fix what it says; `octavo schema test` describes the file, and docs/testing.md has examples',
  ],
  test: [
    'A plan is not what a test expects',
    '`octavo test`, after a change of a manifest',
    'Fix the manifests, or what the test expects',
  ],
  seed: [
    'The seed is not valid',
    '`--seed seed.json`, without organizations',
    'Write an object with a list: organizations',
  ],
  faults: [
    'The file of faults is not valid',
    '`--faults faults.json`',
    'Fix the entry that the message names',
  ],
  variant: [
    'A variant of the embedded service is unknown',
    '`--variant proxy=split-up`',
    'Pass a name and a value of docs/reference/variants.md of Octavo',
  ],
  port: ['`--port` is out of range', '`--port 70000`', 'Pass a port up to 65535'],
  host: ['The embedded service would be reachable by others', '`--host 0.0.0.0`', 'Leave `--host` out'],
  'allow-fetch': [
    '`--allow-fetch` has no host',
    '`--allow-fetch https://acme.dev`',
    'Pass a host without a scheme',
  ],
  'unknown-run': [
    'There is no journal of the run that is to be undone',
    '`octavo undo r-1`, on another machine than the one that applied',
    'Run it on the machine, and in the folder, that the changes were applied from; `octavo history` lists the runs',
  ],
  'other-service': [
    'The record, the saved plan or the run to undo is of another service',
    '`octavo undo --base-url https://other.acme.dev`',
    'Pass the base URL that the message names; or plan with `--base <ref>`, and save plans again',
  ],
  journal: [
    'The journal of a run cannot be written or read',
    '`octavo apply`, in a folder that nobody may write to',
    'Make `.octavo/journal` writable',
  ],
  'unfinished-run': [
    'A run of this workspace ended without a result, as its journal shows',
    '`octavo plan`, after the machine of an apply went down',
    'Read `octavo history`, and apply again to continue',
  ],
  system: [
    'The operating system refused something',
    'no space left on the device',
    'Act on the reason that the message gives',
  ],
  bug: ['An error that Octavo does not expect', 'a bug', 'Run the command with `--verbose`, and report it'],
} as const satisfies Readonly<Record<string, DiagnosticTexts>>;
