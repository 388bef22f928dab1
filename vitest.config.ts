import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/run/longest-first.ts';

// Three kinds of test, by what they need. `*.programs.test.ts` is a file beside the code that starts a process.
const startProcesses = ['**/*.programs.test.ts', 'shim/native/**/*.test.ts', 'test/**/*.test.ts'];
const needEngines = ['test/{lab,e2e,scenarios,skew,conformance}/**/*.test.ts'];

/** The last release's sources, with tests of their own (`test/skew`). */
const cached = ['.lab/**'];

/** Slow files that are left to another run (`test/run/turns.ts`). */
const leftOut = (process.env['CLAWRDEN_LEFT_OUT'] ?? '').split(' ').filter((file) => file !== '');

/** What must come may take this long if a hundred other processes run; full counts take longer than a sample. */
const testTimeout = process.env['CLAWRDEN_LONG'] === '1' ? 300_000 : 120_000;

export default defineConfig({
  test: {
    // Processes, engines and deadlines on a machine shared with others: what passes only at the second try is named
    // at the end of the run.
    retry: 1,
    // A start of our programs costs a third to a half of the processor time if their sources are compiled already.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    // A test that waits for less measures the machine.
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // Most of their time is waiting: one worker for each core would leave the cores idle.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{src,gateway,shim}/**/*.test.ts'],
          exclude: [...startProcesses, ...leftOut],
          setupFiles: ['test/run/no-processes.ts'],
          // Half of their time was loading the same modules for each file, and no module of ours has state.
          isolate: false,
          testTimeout,
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          setupFiles: ['test/run/full-counts.ts'],
          globalSetup: ['test/run/bundled-programs.ts'],
          include: startProcesses,
          exclude: [...configDefaults.exclude, ...cached, ...needEngines, ...leftOut],
          testTimeout,
        },
      },
      {
        extends: true,
        test: {
          name: 'lab',
          setupFiles: ['test/run/full-counts.ts'],
          include: needEngines,
          exclude: [...configDefaults.exclude, ...leftOut],
          // Each worker has a lab of its own, and waits for engines most of the time.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          globalSetup: ['test/run/bundled-programs.ts', 'test/lab/global-setup.ts'],
          testTimeout,
        },
      },
    ],
  },
});
