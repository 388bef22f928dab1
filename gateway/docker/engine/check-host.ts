import type Docker from 'dockerode';
import { ClawrdenError } from '../../../src/errors.ts';
import { callTimeoutMs } from './deadline.ts';
import { getJson } from './get-json.ts';

const pingTimeoutMs = 3000;

export async function pingEngine(docker: Docker): Promise<void> {
  await getJson(docker, '/_ping', pingTimeoutMs);
}

/** What the kernel calls a processor, and Node. */
const processors: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'x64'],
  ['aarch64', 'arm64'],
]);

/**
 * The host's processor, as Node calls it. Throws `no-host` if we do not build for it, if the engine maps user ids (the
 * files of a ghost would belong to another user), or if it cannot hold a container to its limits.
 */
export async function checkHost(docker: Docker, host: string): Promise<string> {
  const info = await getJson(docker, '/info', callTimeoutMs);
  refuseMappedUsers(info, host);
  refuseWithoutLimits(info, host);
  const architecture = textIn(info, 'Architecture');
  const processor = processors.get(architecture);
  if (processor !== undefined) return processor;
  throw new ClawrdenError(
    'no-host',
    `host ${host}: host-processor: its engine runs on ${JSON.stringify(architecture)}, and Clawrden's programs are for ${[...processors.keys()].join(' and ')}; use another engine`,
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

/** What the engine's `/info` has to say `true` to, and what it is about. */
const limits = { MemoryLimit: 'memory', PidsLimit: 'processes', CpuCfsQuota: 'processors' } as const;

/** An engine leaves out a limit that its kernel does not keep, and says so in a warning that nobody reads. */
function refuseWithoutLimits(info: unknown, host: string): void {
  const told = new Map<string, unknown>(Object.entries(info ?? {}));
  const lacking = Object.entries(limits).flatMap(([key, what]) => (told.get(key) === true ? [] : [what]));
  if (lacking.length === 0) return;
  throw new ClawrdenError(
    'no-host',
    `host ${host}: host-limits: its engine does not limit ${lacking.join(' and ')}; give it the cgroup controllers, or use another engine`,
  );
}

function textIn(info: unknown, key: string): string {
  const entry = Object.entries(info ?? {}).find(([name]) => name === key);
  return typeof entry?.[1] === 'string' ? entry[1].slice(0, 64) : '';
}

function securityOptions(info: unknown): string[] {
  if (typeof info !== 'object' || info === null || !('SecurityOptions' in info)) return [];
  return Array.isArray(info.SecurityOptions) ? info.SecurityOptions.map(String) : [];
}
