import type Docker from 'dockerode';
import { withDeadline } from './deadline.ts';

/**
 * GET of a path of the Engine API within `ms`, for calls whose dockerode methods cannot be aborted: each one that
 * hangs would keep a socket of the pool. Rejects with the engine's error.
 */
export function getJson(docker: Docker, path: string, ms: number): Promise<unknown> {
  const dial = (abortSignal: AbortSignal): Promise<unknown> =>
    new Promise((resolve, reject) => {
      docker.modem.dial({ path, method: 'GET', statusCodes: { 200: true }, abortSignal }, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
    });
  return withDeadline(ms, dial);
}
