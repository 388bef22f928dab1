import { stringify } from 'yaml';
import { nodeImage } from '../lab/images/catalogue.ts';
import { type Case, type Mode, strategyOf } from './case.ts';

/** The caller's variables that the suite's policy allows. */
export const allowedNames = [
  'LANG',
  'LC_*',
  'TERM',
  'TZ',
  'NODE_ENV',
  'CI',
  'CASE_*',
  'GIT_AUTHOR_*',
  'GIT_COMMITTER_*',
];

/** Every tool that the cases name, run in one mode. */
export function policyFor(mode: Mode, cases: readonly Case[]): string {
  const strategy = strategyOf(mode);
  const isolation = mode === 'session' ? { isolation: 'session', pids: 1024 } : {};
  const tools = ['sleep', ...cases.flatMap(toolsOf)];
  const definition =
    strategy === 'ghost' ? { strategy, image: nodeImage, memory: '1g', ...isolation } : { strategy };
  const policy = {
    version: 1,
    // A shell runs every program that it is given, so an enforced policy allows no shell.
    mode: 'shadow',
    default: 'deny',
    workspace: '/app',
    timeout: '1m',
    environment: { allow: allowedNames },
    tools: Object.fromEntries(tools.map((tool) => [tool, definition])),
    rules: [{ name: 'all', tools: [...new Set(tools)], action: 'allow' }],
    complete: true,
  };
  return stringify(policy, { aliasDuplicateObjects: false });
}

function toolsOf({ argv: [program], tools = [] }: Case): readonly string[] {
  return program.includes('/') ? tools : [program, ...tools];
}
