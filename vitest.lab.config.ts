import { defineConfig } from 'vitest/config';

// Tests that need Docker engines: one file at a time, all against the lab that the global setup starts.
export default defineConfig({
  test: {
    include: ['test/{lab,e2e,scenarios,conformance}/**/*.test.ts'],
    globalSetup: ['test/lab/global-setup.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
