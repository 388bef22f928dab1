import type { Rule } from './policy.ts';

/** A tool that an admin gave to one agent, besides the rules of policy.yaml. */
export interface Assignment {
  readonly agent: string;
  readonly tool: string;
  readonly action: 'allow' | 'ask';
  /** `person:NAME`. */
  readonly by: string;
}

/** Judged with the rules of policy.yaml, none of which can have such a name. */
export function assignedRule({ agent, tool, action, by }: Assignment): Rule {
  return {
    name: `assigned:${agent}:${tool}`,
    action,
    reason: `${by} assigned ${tool} to ${agent}`,
    line: 0,
    tools: new Set([tool]),
    agents: new Set([agent]),
  };
}
