/** Build and release of Octavo: actions pinned by commit, no registry secret, all versions of Node.js, and updates of pinned versions. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from './cli/octavo.ts';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const folder = '.github/workflows';
const workflows = readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
const examples = readdirSync(join(root, 'examples/ci/github')).map((name) => `examples/ci/github/${name}`);

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly node: readonly (string | number)[] } };
  readonly steps: readonly {
    readonly run?: string;
    readonly env?: object;
    readonly with?: Readonly<Record<string, unknown>>;
  }[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const jobOf = (file: string, name: string): Job => {
  const job = (parse(read(`${folder}/${file}`)) as Workflow).jobs[name];
  if (job === undefined) throw new Error(`${file} has no job ${name}`);
  return job;
};

const own = JSON.parse(read('package.json')) as {
  readonly engines: { readonly node: string };
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** Each line that uses a third-party action, with its position. */
const uses = [...workflows, ...examples, 'action.yml'].flatMap((file) =>
  read(file)
    .split('\n')
    .flatMap((line, index) =>
      /\buses:/.test(line) && !line.includes('<owner>') ? [{ at: `${file}:${index + 1}`, line }] : [],
    ),
);

describe('third-party actions', () => {
  test('are pinned by commit, with the version in a comment', () => {
    expect(uses.length).toBeGreaterThan(10);
    const loose = uses.filter(
      ({ line }) => !/\buses: [\w.-]+\/[\w./-]+@[0-9a-f]{40}(?:,.*\})? # v\d+\.\d+\.\d+$/.test(line),
    );
    expect(loose).toEqual([]);
  });

  test('have the same version everywhere', () => {
    const versions = new Map<string, Set<string>>();
    for (const { line } of uses) {
      const [, action = '', commit = ''] = /uses: ([^@\s]+)@(\w+)/.exec(line) ?? [];
      const version = `${commit} ${/# (v[\d.]+)$/.exec(line)?.[1]}`;
      versions.set(action, (versions.get(action) ?? new Set()).add(version));
    }
    const several = [...versions].filter(([, all]) => all.size !== 1);
    expect(several).toEqual([]);
  });
});

test.each(workflows)('%s has only read access by default', (file) => {
  expect((parse(read(file)) as Workflow).permissions).toEqual({ contents: 'read' });
});

describe('a release', () => {
  const publish = jobOf('release.yml', 'publish');
  const files = ['./*.tgz', 'octavo.cdx.json', 'octavo.sha256'];

  test('is published without a secret, on Node.js 24 or newer', () => {
    expect(publish.permissions).toEqual({ contents: 'write', 'id-token': 'write' });
    expect(read(`${folder}/release.yml`)).not.toMatch(/secrets\.|NPM_TOKEN|NODE_AUTH_TOKEN|registry-url/);
    const [node] = publish.steps.flatMap((step) => step.with?.['node-version'] ?? []);
    expect(Number(node)).toBeGreaterThanOrEqual(24);
  });

  test('includes the package, its SBOM, and checksums of both', () => {
    const runs = (job: Job) => job.steps.flatMap(({ run }) => run?.trimEnd().split('\n') ?? []);
    const packed = runs(jobOf('release.yml', 'pack'));
    expect(packed).toContain('cp dist/sbom.cdx.json octavo.cdx.json');
    expect(packed).toContain('sha256sum ./*.tgz octavo.cdx.json > octavo.sha256');
    expect(runs(publish)[0]).toBe('sha256sum --check octavo.sha256');
    expect(runs(publish).at(-1)).toMatch(/^gh release create /);
    expect(runs(publish).at(-1)?.split(' ').slice(-3)).toEqual(files);
  });
});

test('the tests run on the oldest supported version of Node.js, and on all current ones', () => {
  const { strategy } = jobOf('test.yml', 'test');
  expect(strategy?.matrix.node.map(String)).toEqual([own.engines.node.replace('>=', ''), '22', '24', '26']);
});

describe('updates', () => {
  const renovate = JSON.parse(read('renovate.json')) as {
    readonly extends: readonly string[];
    readonly packageRules: readonly {
      readonly description: string;
      readonly matchPackageNames: readonly string[];
      readonly allowedVersions: string;
    }[];
  };

  test('pin actions and images', () => {
    expect(renovate.extends).toEqual(
      expect.arrayContaining(['helpers:pinGitHubActionDigests', 'docker:pinDigests']),
    );
  });

  test.each(renovate.packageRules.map((rule) => [rule.matchPackageNames.join(), rule] as const))(
    'of %s are limited to the oldest Node.js version, with the reason',
    (name, { description, allowedVersions }) => {
      expect(description).toMatch(/Node\.js.*package\.json promises/);
      const most = Number(/^<(\d+)$/.exec(allowedVersions)?.[1]);
      const installed = Number(/\d+/.exec(own.devDependencies[name] ?? '')?.[0]);
      expect(installed).toBeLessThan(most);
      expect(installed).toBeGreaterThan(0);
    },
  );
});
