import { defineConfig } from 'vitest/config';

// Tests that need Docker engines: one file at a time, all against the lab that the global setup starts.
export default defineConfig({
  test: {
    include: ['test/{lab,e2e,scenarios,conformance}/**/*.test.ts'],
    globalSetup: ['test/lab/global-setup.ts'],
    fileParallelism: false,
    // Processes, engines and deadlines on a machine shared with others: what passes only at the second try is named
    // at the end of the run.
    retry: 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
