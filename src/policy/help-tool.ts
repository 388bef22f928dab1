import type { DecidedTool, Decision } from './policy.ts';
import { toolDefaults } from './tool-defaults.ts';

/** A name in every jail. The gateway itself answers it; no policy defines it. */
export const helpToolName = 'clawrden-help';

const tool: DecidedTool = { ...toolDefaults, name: helpToolName, strategy: 'help', timeoutMs: 0 };

/** It needs no rule, because it tells an agent only of itself. */
export const helpDecision: Decision = {
  action: 'allow',
  rule: helpToolName,
  reason: 'it tells an agent what it may run',
  tool,
};
