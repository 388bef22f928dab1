import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { Skipped, Tally } from './tally.ts';

/** Writes the run's Tally as JSON to the file that CLAWRDEN_TALLY names. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const file = process.env.CLAWRDEN_TALLY;
    if (file !== undefined) writeFileSync(file, JSON.stringify(tallyOf(modules, unhandled)));
  }
}

function tallyOf(modules: readonly TestModule[], unhandled: readonly unknown[]): Tally {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  // A file that does not load, a hook or a stray rejection fails without failing a test.
  const errors = modules.flatMap((module) => [
    ...module.errors(),
    ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
  ]);
  const failures = [
    ...tests.flatMap(failureOf),
    ...errors.map(({ message }) => `a file: ${firstLine(message)}`),
    ...unhandled.map((error) => `unhandled: ${firstLine(String(error))}`),
  ];
  return {
    passed: tests.filter((test) => test.result().state === 'passed').length,
    ...{ failed: failures.length, failures },
    skipped: tests.filter((test) => test.result().state === 'skipped').map(skipped),
    unsteady: tests.filter((test) => test.diagnostic()?.flaky === true).map(withFault),
  };
}

function failureOf(test: TestCase): string[] {
  return test.result().state === 'failed' ? [withFault(test)] : [];
}

/** The first try's fault: one of a later try may come from what the first one left. */
function withFault(test: TestCase): string {
  const [fault] = test.result().errors ?? [];
  return `${test.module.relativeModuleId} > ${test.fullName}: ${firstLine(fault?.message ?? '')}`;
}

function firstLine(text: string): string {
  return text.slice(0, 300).split('\n', 1)[0] ?? '';
}

function skipped(test: TestCase): Skipped {
  const result = test.result();
  return {
    name: test.fullName,
    reason: (result.state === 'skipped' && result.note) || 'skipped by its file',
  };
}
