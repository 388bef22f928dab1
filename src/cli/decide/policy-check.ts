import { Command } from 'commander';
import type { Policy } from '../../policy/policy.ts';
import type { PolicyReport } from '../../policy/review/policy-report.ts';
import { printJson, printLine } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';
import { readPolicy } from './read-policy.ts';

interface CheckOptions {
  readonly json?: boolean;
  readonly force?: boolean;
  readonly toolFiles?: string;
}

/** Exit status 0: the policy loads and has no errors, or `--force` turns its errors into warnings. */
export function policyCheckCommand(): Command {
  return new Command('check')
    .description('load a policy and say what is wrong with it')
    .argument('<file>', 'policy.yaml')
    .option('--tool-files <folder>', 'the tool files beside it, as tool-files of gateway.yaml names them')
    .option('--json', 'print one JSON object')
    .option('--force', 'take errors for warnings (default: allow, for one)')
    .action(check);
}

async function check(file: string, options: CheckOptions): Promise<void> {
  const result = await readPolicy(file, options.toolFiles);
  const { reportOn } = await import('../../policy/review/policy-report.ts');
  const report = reportOn(result, options.force === true);
  if (options.json === true) {
    printJson({ file, ...report });
    if (!report.ok) process.exitCode = 1;
    return;
  }
  if ('problems' in result) {
    for (const problem of result.problems) printLine(problem);
    throw new CliError('policy check', `${file} is no policy`, 'mend what is named above');
  }
  print(file, result.policy, report);
  if (!report.ok)
    throw new CliError('policy check', `${file} has errors`, 'mend them, or insist with --force');
}

function print(file: string, policy: Policy, { ok, errors, warnings }: PolicyReport): void {
  const { version, tools, rules, hash } = policy;
  printLine(`${file}: version ${version}, ${count(tools.size, 'tool')}, ${count(rules.length, 'rule')}`);
  printLine(`sha256 ${hash}`);
  for (const error of errors) printLine(['error', 'red'], `    ${error}`);
  for (const warning of warnings) printLine(['warning', 'yellow'], `  ${warning}`);
  const counts = `${count(errors.length, 'error')}, ${count(warnings.length, 'warning')}`;
  printLine(ok ? ['ok', 'green'] : ['not ok', 'red'], `, ${counts}`);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
