import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import type { PolicyTestResult, PolicyTests } from '../../policy/review/policy-tests.ts';
import { quoteText, renderArgument, renderArgv } from '../../text/render-text.ts';
import { printJson, printLine } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';
import { readPolicy } from './read-policy.ts';

interface TestOptions {
  readonly policy?: string;
  readonly json?: boolean;
  readonly toolFiles?: string;
}

/** Exit status 0: the policy decides every command as the table says. */
export function policyTestCommand(): Command {
  return new Command('test')
    .description('hold a policy against a table of commands and the decisions that are expected')
    .argument('<file>', 'the table')
    .option('--policy <file>', 'the policy (default: the one that the table names)')
    .option('--tool-files <folder>', 'the tool files beside it, as tool-files of gateway.yaml names them')
    .option('--json', 'print one JSON object')
    .action(runTests);
}

async function runTests(file: string, options: TestOptions): Promise<void> {
  const { policy: named, tests } = await readTests(file);
  const policyFile = options.policy ?? resolve(dirname(file), named);
  const result = await readPolicy(policyFile, options.toolFiles);
  if ('problems' in result) {
    throw new CliError(
      'policy test',
      `${policyFile} is no policy`,
      `see clawrden policy check ${policyFile}`,
    );
  }
  const { runPolicyTest } = await import('../../policy/review/policy-tests.ts');
  const results = tests.map((test) => runPolicyTest(result.policy, test));
  const failed = results.filter(({ passed }) => !passed);
  if (options.json === true)
    printJson({ policy: policyFile, passed: results.length - failed.length, failed });
  else print(file, results);
  if (failed.length > 0) process.exitCode = 1;
}

async function readTests(file: string): Promise<PolicyTests> {
  const [{ readTextFile }, { parsePolicyTests }, { ConfigError }] = await Promise.all([
    import('../../config/read-text-file.ts'),
    import('../../policy/review/policy-tests.ts'),
    import('../../config/config-error.ts'),
  ]);
  try {
    const result = parsePolicyTests(readTextFile(file), file);
    if ('file' in result) return result.file;
    throw new ConfigError(result.problems);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [first = ''] = error.problems;
    throw new CliError('policy test', first, 'give a table of tests: docs/policy.md shows one');
  }
}

function print(file: string, results: readonly PolicyTestResult[]): void {
  const failed = results.filter(({ passed }) => !passed);
  for (const { test, action, rule, reason } of failed) {
    const wanted = test.rule === undefined ? test.expect : `${test.expect} by ${renderArgument(test.rule)}`;
    printLine(['failed', 'red'], `  ${file}:${test.line}: ${renderArgv(test.argv)}`);
    printLine(`  expected ${wanted}, got ${action} by ${renderArgument(rule)}: ${quoteText(reason)}`);
  }
  printLine(`${results.length - failed.length} passed, ${failed.length} failed`);
}
