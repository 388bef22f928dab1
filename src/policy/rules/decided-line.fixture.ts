import { parsePolicy } from '../file/parse-policy.ts';
import { decide } from './decide.ts';

/** What is done with a line, by rules as in a policy file. */
export function decidedLine(line: string | readonly string[], ...rules: readonly string[]): string {
  const [tool = '', ...args] = typeof line === 'string' ? line.split(' ') : line;
  const parsed = parsePolicy(
    `version: 1\ntools: { ${tool}: { strategy: mirror } }\nrules:\n${rules.map((rule) => `  - { ${rule} }\n`).join('')}complete: true\n`,
    'p.yaml',
  );
  if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
  return decide(parsed.policy, { agent: 'coder', uid: 1000, gid: 1000, cwd: '/app', tool, args }).action;
}
