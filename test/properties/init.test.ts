/** For any live state, with duplicates and odd titles, the output of `octavo init` is valid, passes its test, plans no change and rehearses. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Seed, startService } from '../../src/server/index.ts';
import { sampleSeed } from '../../src/server/seed/sample.ts';
import { folder, octavo } from '../cli/octavo.ts';
import { liveStates } from '../support/live-states.ts';
import { patience, tries } from '../support/runs.ts';

/** No request could have created some of the schemas, or a provider whose label is empty or longer than 30 characters. */
function settable(seed: Seed): Seed {
  const organizations = seed.organizations.map((one) => ({
    ...one,
    samlProviders:
      one.samlProviders?.map((own, at) => {
        const label = [...(own.label ?? '')].slice(0, 30).join('').trim();
        return { ...own, label: label || `Provider ${at}` };
      }) ?? [],
    sites: one.sites?.map(({ adaptiveSchema: _schema, ...site }) => site) ?? [],
  }));
  return { ...seed, organizations };
}

const states = fc.oneof(fc.constant(sampleSeed), liveStates.map(settable));

test('writes manifests that are valid, pass their test, plan no change and rehearse', {
  timeout: patience(120_000),
}, async () => {
  await fc.assert(
    fc.asyncProperty(states, async (seed) => {
      const token = 'token-of-this-service';
      const service = await startService({ data: ':memory:', token, seed });
      try {
        const cwd = folder({});
        const env = { OCTAVO_TOKEN: token };
        const run = async (...args: readonly string[]) => {
          const { code, stdout, stderr } = await octavo(args, { cwd, env });
          expect(code, `${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
          return stdout;
        };
        const organization = seed.organizations[0]?.id ?? '';
        await run(
          'init',
          '--from-live',
          '--ci',
          'github',
          '--base-url',
          service.url,
          '--organization',
          organization,
        );
        await run('validate');
        await run('test');
        expect(await run('plan', '--rehearse', '--detailed-exitcode')).toContain('No changes');
      } finally {
        await service.close();
      }
    }),
    { ...tries(6), endOnFailure: true },
  );
});
