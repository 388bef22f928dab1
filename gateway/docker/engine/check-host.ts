import type Docker from 'dockerode';
import { ClawrdenError } from '../../../src/errors.ts';
import { callTimeoutMs } from './deadline.ts';
import { getJson } from './get-json.ts';

const pingTimeoutMs = 3000;

export async function pingEngine(docker: Docker): Promise<void> {
  await getJson(docker, '/_ping', pingTimeoutMs);
}

/** Throws `no-host` if the engine maps user ids: the files of a ghost would belong to another user. */
export async function refuseMappedUsers(docker: Docker, host: string): Promise<void> {
  const info = await getJson(docker, '/info', callTimeoutMs);
  const mapped = securityOptions(info).find((option) => /^name=(userns|rootless)\b/.test(option));
  if (mapped === undefined) return;
  throw new ClawrdenError(
    'no-host',
    `host ${host}: host-userns: its engine maps user ids (${mapped}), which is not yet supported; use another engine`,
  );
}

function securityOptions(info: unknown): string[] {
  if (typeof info !== 'object' || info === null || !('SecurityOptions' in info)) return [];
  return Array.isArray(info.SecurityOptions) ? info.SecurityOptions.map(String) : [];
}
