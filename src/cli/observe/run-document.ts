/** `--format json` of a run: written when the run ends, however it ends. */
import { runJson } from '../../report/plan/json.ts';
import { digestsOf } from '../../run/approval/digest.ts';
import { RunCollector } from '../../run/results/collect-run.ts';
import { parseShard } from '../../run/shard.ts';
import { defined } from '../../util/defined.ts';
import { hideKnownSecrets } from '../../util/hide-secrets.ts';
import { build } from '../../util/version.ts';
import { formatsIn } from '../show/formats.ts';
import { writeResult } from '../show/view-for.ts';
import type { Observer, WatchedRun } from './observer.ts';

export function openRunDocument(watched: WatchedRun): Observer {
  const { name, command, flags, runId: id, world, output } = watched;
  const { clock, env } = world;
  const collector = new RunCollector({
    id,
    command: name,
    version: build,
    applies: 'autoApprove' in command.flags && flags.out === undefined,
    now: clock.now,
    ...defined({
      shard: 'shard' in command.flags ? parseShard(flags.shard ?? env.OCTAVO_SHARD ?? '') : undefined,
    }),
  });
  return {
    observe: (event) => collector.observe(event),
    end: (end, last) => {
      const plan = last.planned?.plan;
      const rehearsal = last.rehearsed?.rehearsal;
      const planned = plan && { plan, digests: digestsOf(plan), ...defined({ rehearsal }) };
      const diagnostics = end.diagnostics.map((one) => ({
        ...one,
        message: hideKnownSecrets(one.message),
        ...defined({ suggestion: one.suggestion && hideKnownSecrets(one.suggestion) }),
      }));
      const run = collector.statement(end, last);
      const text = () => runJson(planned, { run, ...(diagnostics.length > 0 && { diagnostics }) });
      const { stdout, files } = formatsIn(flags);
      if (stdout === 'json') output.result(text());
      // The run did not begin, as the error explains.
      if (diagnostics.some(({ code }) => code === 'format-file')) return;
      for (const { format, file } of files) if (format === 'json') writeResult(watched, file, text());
    },
  };
}
