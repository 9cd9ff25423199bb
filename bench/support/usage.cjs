// Preloaded into measured processes: writes their resource usage to the file in OCTAVO_BENCH_USAGE.
const { writeFileSync } = require('node:fs');
const { env, resourceUsage } = process;
const { virtualTime } = env.OCTAVO_BENCH_LATENCY === undefined ? {} : require('./virtual-time.cjs');
process.on('exit', () => {
  const virtual = virtualTime?.();
  const { userCPUTime, systemCPUTime, maxRSS } = resourceUsage();
  writeFileSync(
    env.OCTAVO_BENCH_USAGE,
    JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1000, peak: maxRSS * 1024, virtual }),
  );
});
