import type { ApprovalView } from '../../../../../src/http-api/approvals.ts';
import { asciiJson } from '../../../../../src/text/ascii-json.ts';

/** Patterns of one rule. */
const argsAtMost = 30;

export type Proposal = { readonly yaml: string } | { readonly problem: string };

/** A rule about exactly this command of this agent, to be put into the policy by hand. */
export function proposedRule(
  { agent, argv, cut }: Pick<ApprovalView, 'agent' | 'argv' | 'cut'>,
  action: 'allow' | 'deny',
): Proposal {
  const [tool = '', ...args] = argv;
  if (cut !== undefined) return { problem: 'The command is too long for a rule.' };
  if (args.length > argsAtMost)
    return { problem: `A rule has ${argsAtMost} patterns for arguments at most.` };
  if (argv.some((word) => /[*|]/.test(word)))
    return { problem: 'It has a * or a |, which stand for other texts in a rule: write it by hand.' };
  const lines = [
    `  - name: ${action}-${nameOf(argv)}`,
    ...(agent === '' ? [] : [`    agents: [${asciiJson(agent)}]`]),
    `    tools: [${asciiJson(tool)}]`,
    `    args: [${args.map((word) => asciiJson(word)).join(', ')}]`,
    `    action: ${action}`,
    ...(action === 'deny' ? ['    reason: ""'] : []),
  ];
  return { yaml: `rules:\n${lines.join('\n')}\n` };
}

function nameOf(argv: readonly string[]): string {
  const words = argv.slice(0, 2).map((word) => word.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
  return (
    words
      .join('-')
      .replaceAll(/^-+|-+$|-(?=-)/g, '')
      .slice(0, 40) || 'command'
  );
}
