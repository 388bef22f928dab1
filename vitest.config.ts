import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,gateway,shim,test}/**/*.test.ts'],
    exclude: ['test/{e2e,lab,conformance,scenarios}/**'],
    // Processes, engines and deadlines on a machine shared with others: what passes only at the second try is named
    // at the end of the run.
    retry: 1,
    testTimeout: 20_000,
    // Most of their time is waiting: one worker for each core would leave the cores idle.
    maxWorkers: 3,
  },
});
