import type { Plan } from '../../../src/plan.ts';

export const plan: Plan = {
  ...{ agent: 'coder', argv: ['x'], env: [], cwd: '/app', workspace: '', uid: 1, gid: 1, umask: 18 },
  ...{ strategy: 'mirror', mounts: [], network: 'none', stdin: 'none', timeoutMs: 0, idleTimeoutMs: 0 },
  limits: { memoryBytes: 0, cpus: 0, pids: 0, outputBytes: 0, fileBytes: 0 },
  policyHash: 'p',
};
