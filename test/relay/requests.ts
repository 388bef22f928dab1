import { user } from './start-relay.ts';

/** A request as the Go shim of the first Clawrden sends it. */
export const version0 = {
  command: 'ls',
  args: ['-la'],
  cwd: '/app',
  env: ['PATH=/usr/bin:/bin', 'LANG=C.UTF-8'],
  identity: user,
};

export const version1 = { v: 1, ...version0, umask: 18, stdio: ['pipe', 'pipe', 'pipe'], ignored: [] };
