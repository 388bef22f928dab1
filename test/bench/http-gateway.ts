import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createDetached } from '../../gateway/detached/run-detached.ts';
import { createEventFeed } from '../../gateway/events/event-feed.ts';
import { createExecute, createResume } from '../../gateway/execute.ts';
import type { ExecutionRecord } from '../../gateway/ports/execution-record.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { createDetachedRows } from '../../gateway/store/detached-rows.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import { createFaults } from '../../src/faults.ts';
import { smallLimits, startCore } from '../core/start-core.ts';
import { emptyWarden, startTestGateway } from '../grpc/gateway.ts';
import { startHttpGateway } from '../http/http-gateway.ts';

// The whole gateway behind both doors, its audit and history on the disk, with an executor that ends at once; `http.ts`
// runs this as a program. Says where it listens on its first line, and ends when its stdin does. Its argument is how
// many changes of executions a second it tells to those who read events.
const dir = await mkdtemp(join(tmpdir(), 'clawrden-bench-'));
const requestsPerSecond = 1e6;
const budgets = { requestsPerSecond, bytesPerSecond: 1e9 };
const limits = { ...smallLimits, ...budgets, running: 1000, queued: 1000, executionsPerAgent: 1000 };
const core = await startCore(
  dir,
  async () => ({ kind: 'exited', code: 7, signal: 0 }),
  limits,
  '  - { name: may-be-done, tools: [done], action: allow }\n',
  '  done: { strategy: ghost, image: "bench:1" }\n',
);
const image = { id: `sha256:${'0'.repeat(64)}`, env: [], envHash: 'none', volumes: [] };
const execute = createExecute({ ...core, obtainImage: async () => image });
const name = 'bench';
const gateway = await startTestGateway({ execute, people: { [name]: 'operator' } });
const feed = createEventFeed();
const log = pino({ level: 'silent' });
const faults = createFaults(log);
const database = await openDatabase(join(dir, 'detached.db'), 'power-loss');
const detached = createDetached({
  ...core,
  ...{ execute, resume: createResume(core.ledger), rows: createDetachedRows(database), faults, log },
  inForce: () => new Set(['agent:coder']),
});
const door = await startHttpGateway({
  ...{ execute, detached },
  events: feed.feed({ ...emptyWarden, faults }),
  limits: { connections: 1024, perAddress: 1024, requestsPerSecond },
});
const told = {
  ...{ address: gateway.address, identity: await gateway.identity({ kind: 'person', name }) },
  ...{ url: door.url, token: door.token('operator', { name }) },
  agentToken: door.token('agent', { name: 'coder' }),
};
process.stdout.write(`${JSON.stringify(told)}\n`);
const telling = tellChanges(Number(process.argv[2] ?? 0));
process.stdin.resume();
await once(process.stdin, 'end');
clearInterval(telling);
process.stdout.write('\n');
await Promise.all([gateway.close(0), door[Symbol.asyncDispose]()]);
await detached.close();
await database.destroy();
await core[Symbol.asyncDispose]();
await rm(dir, { recursive: true, force: true });
await rm(gateway.dir, { recursive: true, force: true });

function tellChanges(perSecond: number): NodeJS.Timeout {
  const began = performance.now();
  let count = 0;
  return setInterval(() => {
    const due = ((performance.now() - began) * perSecond) / 1000;
    for (; count < due; count += 1) feed.execution(recordOf(newExecutionId()));
  }, 10);
}

/** As long as a usual one. */
function recordOf(id: string): ExecutionRecord {
  return {
    ...{ id, caller: 'relay:host-1', agent: 'coder', argv: ['npm', 'install', 'is-number'], cwd: '/app' },
    ...{
      uid: 1000,
      gid: 1000,
      state: 'running',
      decision: 'allow',
      rule: 'install',
      decisionReason: 'is in use',
    },
    ...{ strategy: 'ghost', host: 'build-1', container: 'c'.repeat(64), planHash: 'p'.repeat(64), plan: '' },
    ...{ approvalId: '', approver: '', outcome: '', exitCode: 0, exitSignal: 0, reason: '', text: '' },
    ...{ receivedAt: Date.now(), decidedAt: Date.now(), startedAt: Date.now(), endedAt: undefined },
    ...{ stdoutBytes: 0, stderrBytes: 0, operands: '' },
  };
}
