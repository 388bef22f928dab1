import type { ToolDefinition } from '../policy.ts';

/** What holds for a tool whose definition does not say otherwise. */
export const toolDefaults = {
  network: 'none',
  memoryBytes: 1024 ** 3,
  cpus: 1,
  pids: 256,
  outputBytes: 0,
  fileBytes: 0,
  stdin: 'pipe',
  environment: [],
  record: 'none',
  forbidden: '',
  idleTimeoutMs: 0,
} as const satisfies Partial<ToolDefinition>;

/** A tool that runs where the agent is, with nothing else said about it. */
export function mirrorTool(name: string, timeoutMs: number): ToolDefinition {
  return { ...toolDefaults, name, strategy: 'mirror', timeoutMs };
}
