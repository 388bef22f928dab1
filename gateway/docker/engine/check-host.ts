import type Docker from 'dockerode';
import { architectureOf, missingLimits, processorNames, processorOf } from '../../../src/engine-facts.ts';
import { ClawrdenError } from '../../../src/errors.ts';
import { callTimeoutMs } from './deadline.ts';
import { getJson } from './get-json.ts';

const pingTimeoutMs = 3000;

export async function pingEngine(docker: Docker): Promise<void> {
  await getJson(docker, '/_ping', pingTimeoutMs);
}

/**
 * The host's processor, as Node calls it. Throws `no-host` if we do not build for it, if the engine maps user ids (the
 * files of a ghost would belong to another user), or if it cannot hold a container to its limits.
 */
export async function checkHost(docker: Docker, host: string): Promise<string> {
  const info = await getJson(docker, '/info', callTimeoutMs);
  refuseMappedUsers(info, host);
  refuseWithoutLimits(info, host);
  const processor = processorOf(info);
  if (processor !== undefined) return processor;
  throw new ClawrdenError(
    'no-host',
    `host ${host}: host-processor: its engine runs on ${JSON.stringify(architectureOf(info))}, and Clawrden's programs are for ${processorNames}; use another engine`,
  );
}

function refuseMappedUsers(info: unknown, host: string): void {
  const mapped = securityOptions(info).find((option) => /^name=(userns|rootless)\b/.test(option));
  if (mapped === undefined) return;
  throw new ClawrdenError(
    'no-host',
    `host ${host}: host-userns: its engine maps user ids (${mapped}), which is not yet supported; use another engine`,
  );
}

function refuseWithoutLimits(info: unknown, host: string): void {
  const lacking = missingLimits(info);
  if (lacking.length === 0) return;
  throw new ClawrdenError(
    'no-host',
    `host ${host}: host-limits: its engine does not limit ${lacking.join(' and ')}; give it the cgroup controllers, or use another engine`,
  );
}

function securityOptions(info: unknown): string[] {
  if (typeof info !== 'object' || info === null || !('SecurityOptions' in info)) return [];
  return Array.isArray(info.SecurityOptions) ? info.SecurityOptions.map(String) : [];
}
