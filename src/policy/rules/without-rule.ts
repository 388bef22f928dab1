import type { Decision, Policy, ToolDefinition } from '../policy.ts';

/** The decision on a command that no rule matches. */
export function withoutRule({ defaultAction }: Policy, tool: ToolDefinition): Decision {
  const action = tool.otherwise ?? defaultAction;
  return {
    action,
    rule: tool.otherwise === undefined ? 'default' : 'otherwise',
    reason: `no rule of the policy is about this ${tool.name} command`,
    ...(action === 'deny' ? { code: 'denied-by-default' as const } : { tool }),
  };
}
