import type { AgentConfig } from '../../src/config/gateway-config.ts';
import type { KeptSet } from '../ports/workspace-view.ts';
import { keptPaths } from './kept-paths.ts';
import { type ResetParts, resetReplica } from './reset-replica.ts';
import type { Slot } from './slot.ts';
import { followed } from './use-now.ts';

export interface EvictParts extends ResetParts {
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly onKept: (set: KeptSet) => void;
}

/**
 * Keeps beside home what only the replica has, and removes it then. Resolves with why it is still there; never rejects.
 */
export async function evictReplica(slot: Slot, parts: EvictParts): Promise<string | undefined> {
  const { host, agent } = slot;
  const is = followed(parts.agents(), agent);
  if ('refused' in is) return is.text;
  if (is.home !== slot.home) return `it is of another workspace than agent ${agent} has now`;
  const reset = await resetReplica(slot, is.sync, parts);
  if ('refused' in reset) return reset.text;
  const { kept, left } = reset.done;
  const files = keptPaths(kept.files);
  if (files.length > 0) parts.onKept({ agent, host, execution: '', why: 'late', count: kept.count, files });
  return left?.text;
}
