import { basename } from 'node:path';
import { Command } from 'commander';
import { printJson, printLine } from '../print/output.ts';
import { CliError } from '../reach/cli-error.ts';

interface CheckOptions {
  readonly policy?: string;
  readonly json?: boolean;
}

/** Exit status 0: the file defines a tool, and fits the policy if one is given. */
export function toolsCheckCommand(): Command {
  return new Command('check')
    .description('load a tool file and say what is wrong with it')
    .argument('<file>', 'NAME.md')
    .option('--policy <file>', 'whether it fits this policy, too')
    .option('--json', 'print one JSON object')
    .action(check);
}

async function check(file: string, { policy, json }: CheckOptions): Promise<void> {
  const [{ checkToolFile }, { toolFileSuffix }] = await Promise.all([
    import('../../policy/file/load-whole.ts'),
    import('../../policy/file/tool-file.ts'),
  ]);
  const name = basename(file, toolFileSuffix);
  const problems = checkToolFile(file, name, policy);
  if (json === true) {
    printJson({ file, name, ok: problems.length === 0, problems });
    if (problems.length > 0) process.exitCode = 1;
    return;
  }
  for (const problem of problems) printLine(problem);
  if (problems.length > 0)
    throw new CliError('tools check', `${file} is no tool file`, 'mend what is named above');
  printLine(['ok', 'green'], `, ${file} defines ${name}`);
}
