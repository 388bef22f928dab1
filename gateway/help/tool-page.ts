import type { Policy } from '../../src/policy/policy.ts';

/** What a person wrote for the users of a tool. */
export interface ToolPage {
  /** One line; empty if there is none. */
  readonly description: string;
  /** Markdown; empty if there is none. */
  readonly documentation: string;
}

/** The one place where help gets it. Of tools of policy.yaml nothing is written besides what the policy says. */
export function toolPage(_policy: Policy, _tool: string): ToolPage {
  return { description: '', documentation: '' };
}
