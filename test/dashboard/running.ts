import { expect } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { ExecuteResponse } from '../../src/gen/clawrden/v1/execution.ts';
import { startOf, usage } from '../warden/mirrored.ts';

/** A command that runs until the test ends it, or somebody cancels it. */
export interface Running {
  readonly id: string;
  readonly write: (text: string | Uint8Array, stream?: 'stdout' | 'stderr') => void;
  readonly end: () => void;
  /** It was told to end. */
  readonly wasStopped: () => boolean;
}

/** Starts `run` with these arguments, as the relay of its agent sees it. */
export async function startRunning(relay: GatewayClient, ...args: readonly string[]): Promise<Running> {
  const id = newExecutionId();
  const stream = relay.execute();
  let [hasStarted, wasStopped] = [false, false];
  const end = (signal: number) =>
    stream.write({
      message: {
        $case: 'mirrorEnd',
        value: { code: signal === 0 ? 3 : 0, signal, reason: '', text: '', usage },
      },
    });
  stream.on('error', () => {});
  stream.on('data', ({ message }: ExecuteResponse) => {
    if (message?.$case === 'runHere') {
      stream.write({ message: { $case: 'started', value: { host: '', container: 'c', found: [] } } });
      hasStarted = true;
    }
    if (message?.$case === 'outcome') {
      wasStopped = true;
      stream.end();
    }
  });
  stream.write({ message: { $case: 'start', value: startOf(id, { tool: 'run', args }) } });
  await expect.poll(() => hasStarted, { interval: 5 }).toBe(true);
  return {
    id,
    write: (text, $case = 'stdout') =>
      stream.write({ message: { $case, value: typeof text === 'string' ? Buffer.from(text) : text } }),
    end: () => end(0),
    wasStopped: () => wasStopped,
  };
}
