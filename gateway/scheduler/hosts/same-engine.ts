import { isDeepStrictEqual } from 'node:util';
import type { HostConfig } from '../../../src/config/gateway-config.ts';

/** Whether it is the same engine, whatever else has changed. */
export function sameEngine(one: HostConfig, other: HostConfig): boolean {
  const reached = ({ engine, tls, ssh }: HostConfig) => ({ engine, tls, ssh });
  return isDeepStrictEqual(reached(one), reached(other));
}
