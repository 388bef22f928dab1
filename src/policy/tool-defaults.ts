import { noReach } from '../egress/reach.ts';
import type { ToolDefinition } from './policy.ts';

/** Values for a tool whose definition does not set them. */
export const toolDefaults = {
  network: 'none',
  reach: noReach,
  egressUpBytes: 0,
  egressDownBytes: 0,
  secrets: new Map<string, string>(),
  unmasked: false,
  memoryBytes: 1024 ** 3,
  cpus: 1,
  pids: 256,
  outputBytes: 0,
  fileBytes: 0,
  stdin: 'pipe',
  environment: [],
  record: 'none',
  workspace: 'write',
  isolation: 'ghost',
  liveMs: 0,
  forbidden: '',
  idleTimeoutMs: 0,
} as const satisfies Partial<ToolDefinition>;

/** A tool that runs where the agent is, with no other settings. */
export function mirrorTool(name: string, timeoutMs: number): ToolDefinition {
  return { ...toolDefaults, name, strategy: 'mirror', timeoutMs };
}
