import type Docker from 'dockerode';
import { callTimeoutMs } from '../engine/deadline.ts';
import { getJson } from '../engine/get-json.ts';

/** What a container's processes have used of processors so far, in milliseconds. Rejects with the engine's error. */
export async function processorTime(docker: Docker, containerId: string): Promise<number> {
  const path = `/containers/${containerId}/stats?stream=false&one-shot=true`;
  const stats = (await getJson(docker, path, callTimeoutMs)) as {
    readonly cpu_stats?: { readonly cpu_usage?: { readonly total_usage?: number } };
  };
  return (stats.cpu_stats?.cpu_usage?.total_usage ?? 0) / 1e6;
}
