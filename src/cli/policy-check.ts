import { styleText } from 'node:util';
import { Command } from 'commander';
import type { PolicyFindings } from '../policy/check-policy.ts';
import type { Policy } from '../policy/policy.ts';
import { readPolicy } from './read-policy.ts';

interface CheckOptions {
  readonly json?: boolean;
  readonly force?: boolean;
}

/** Exit status 0: the policy loads and has no errors, or `--force` takes them for warnings. */
export function policyCheckCommand(): Command {
  return new Command('check')
    .description('load a policy and say what is wrong with it')
    .argument('<file>', 'policy.yaml')
    .option('--json', 'print one JSON object')
    .option('--force', 'take errors for warnings (default: allow, for one)')
    .action(check);
}

async function check(file: string, options: CheckOptions): Promise<void> {
  const result = await readPolicy(file);
  if ('problems' in result) {
    report({ file, ok: false, problems: result.problems, errors: [], warnings: [] }, options, () => {
      for (const problem of result.problems) process.stderr.write(`${problem}\n`);
      const count = result.problems.length === 1 ? 'the problem' : `the ${result.problems.length} problems`;
      process.stderr.write(`clawrden: policy check: ${file} is refused; mend ${count} above\n`);
    });
    return;
  }
  const { checkPolicy } = await import('../policy/check-policy.ts');
  const findings = checkPolicy(result.policy);
  const ok = findings.errors.length === 0 || options.force === true;
  const { version, hash } = result.policy;
  report({ file, ok, version, hash, problems: [], ...findings }, options, () => {
    print(file, result.policy, findings, ok);
  });
}

interface CheckResult extends PolicyFindings {
  readonly file: string;
  readonly ok: boolean;
  readonly version?: number;
  readonly hash?: string;
  /** Why the file is no policy at all. */
  readonly problems: readonly string[];
}

function report(result: CheckResult, options: CheckOptions, printIt: () => void): void {
  if (options.json === true) process.stdout.write(`${JSON.stringify(result)}\n`);
  else printIt();
  if (!result.ok) process.exitCode = 1;
}

function print(file: string, policy: Policy, { errors, warnings }: PolicyFindings, ok: boolean): void {
  const { version, tools, rules, hash } = policy;
  const out = (line: string): boolean => process.stdout.write(`${line}\n`);
  out(
    `${file}: version ${version}, ${count(tools.size, 'tool')}, ${count(rules.length, 'rule')}, sha256 ${hash}`,
  );
  for (const error of errors) out(`${styleText('red', 'error')}    ${error}`);
  for (const warning of warnings) out(`${styleText('yellow', 'warning')}  ${warning}`);
  const counts = `${count(errors.length, 'error')}, ${count(warnings.length, 'warning')}`;
  out(ok ? `${styleText('green', 'ok')}, ${counts}` : `${styleText('red', 'not ok')}, ${counts}`);
  if (!ok)
    process.stderr.write(`clawrden: policy check: ${file} has errors; mend them, or insist with --force\n`);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
