// Preloaded into processes that are measured: writes what they used to the file that OCTAVO_BENCH_USAGE names.
const { writeFileSync } = require('node:fs');
const { env, resourceUsage } = process;
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = resourceUsage();
  writeFileSync(
    env.OCTAVO_BENCH_USAGE,
    JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1000, peak: maxRSS * 1024 }),
  );
});
