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
 * The host's processor, as Node calls it. Throws `no-host` if we do not build for it, or if the engine maps user ids:
 * the files of a ghost would belong to another user.
 */
export async function checkHost(docker: Docker, host: string): Promise<string> {
  const info = await getJson(docker, '/info', callTimeoutMs);
  refuseMappedUsers(info, host);
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

function textIn(info: unknown, key: string): string {
  const entry = Object.entries(info ?? {}).find(([name]) => name === key);
  return typeof entry?.[1] === 'string' ? entry[1].slice(0, 64) : '';
}

function securityOptions(info: unknown): string[] {
  if (typeof info !== 'object' || info === null || !('SecurityOptions' in info)) return [];
  return Array.isArray(info.SecurityOptions) ? info.SecurityOptions.map(String) : [];
}
