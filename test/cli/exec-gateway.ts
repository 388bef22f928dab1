import { once } from 'node:events';
import type { Execute } from '../../gateway/execute.ts';
import type { Channel, FromCaller, StartRequest } from '../../gateway/ports/channel.ts';
import type { Outcome } from '../../src/outcome.ts';
import { startTestGateway } from '../grpc/gateway.ts';
import { contextOf } from './clawrden.ts';

export const exit = (code: number): Outcome => ({ kind: 'exited', code, signal: 0 });

/** A gateway that runs every command by `run`. */
export async function gatewayWith(run: (request: StartRequest, channel: Channel) => Promise<Outcome>) {
  const execute: Execute = (_caller, request, channel) => run(request, channel);
  const gateway = await startTestGateway({ execute });
  return { gateway, args: ['--context', await contextOf(gateway), 'exec'] };
}

/** The inputs in order, and a way to wait for one. */
export function inputsOf(channel: Channel) {
  const seen: FromCaller[] = [];
  const waiting = new EventTarget();
  channel.listen((input) => {
    seen.push(input);
    waiting.dispatchEvent(new Event('input'));
  });
  const until = async (type: FromCaller['type']) => {
    while (!seen.some((input) => input.type === type)) await once(waiting, 'input');
  };
  return { seen, until };
}

export const stdinOf = (inputs: FromCaller[]) =>
  Buffer.concat(inputs.flatMap((input) => (input.type === 'stdin' ? [input.bytes] : []))).toString();
