import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createExecute } from '../../gateway/execute.ts';
import { openTellTraces } from '../../gateway/execution/tell-traces.ts';
import { smallLimits, startCore } from '../core/start-core.ts';
import { startTestGateway } from '../grpc/gateway.ts';

// The whole gateway, its audit and history on the disk, with an executor that ends at once; `control-plane.ts` runs
// this as a program; its arguments are a number of idle relays, and the port of a collector of traces or 0. Says where it listens on its first line, and ends when its stdin does; its last line says how many
// milliseconds each command took from its arrival until its decision was on the disk.
const dir = await mkdtemp(join(tmpdir(), 'clawrden-bench-'));
// This measures what a gateway can do, not what an agent may do.
const budgets = { requestsPerSecond: 1e6, bytesPerSecond: 1e9 };
const limits = { ...smallLimits, ...budgets, running: 1000, queued: 1000, executionsPerAgent: 1000 };
const decidedMs: number[] = [];
const core = await startCore(
  dir,
  (_permit, { trace }) => {
    decidedMs.push(trace.times().decided ?? Number.NaN);
    return Promise.resolve({ kind: 'exited', code: 7, signal: 0 });
  },
  limits,
);
const port = Number(process.argv[3] ?? 0);
const config = port === 0 ? undefined : { otlp: `http://127.0.0.1:${port}/v1/traces` };
const traces = openTellTraces(config, {
  debug: () => {},
  warn: (...told: unknown[]) => console.error(...told),
});
const gateway = await startTestGateway({ execute: createExecute({ ...core, traced: traces.tell }) });
const relay = await gateway.identity({ kind: 'relay', name: 'host-1' });
// As many as are connected at once, because one identity has one stream.
const idle: string[] = [];
for (let index = 0; index < Number(process.argv[2] ?? 0); index += 1)
  idle.push(await gateway.identity({ kind: 'relay', name: `idle-${index}` }));
process.stdout.write(`${JSON.stringify({ address: gateway.address, relay, idle })}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
process.stdout.write(`${JSON.stringify(decidedMs)}\n`);
await gateway.close(0);
await traces.close();
await core[Symbol.asyncDispose]();
await rm(dir, { recursive: true, force: true });
await rm(gateway.dir, { recursive: true, force: true });
