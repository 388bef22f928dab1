import { once } from 'node:events';
import { type ServiceError, status } from '@grpc/grpc-js';
import type { Channel } from '../../gateway/ports/channel.ts';
import type { ClawrdenError } from '../../src/errors.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { ExecuteRequest, ExecuteResponse, Start } from '../../src/gen/clawrden/v1/execution.ts';

export type Message = NonNullable<ExecuteRequest['message']>;
export type Answer = NonNullable<ExecuteResponse['message']>;

export function start(more: Partial<Start> = {}): Message {
  const command = {
    tool: 'ls',
    args: ['-la'],
    cwd: '/app',
    env: ['LANG=C'],
    umask: 0o22,
    stdio: ['pipe', 'pipe', '=1'],
    ignored: [],
    blocked: [],
    terminal: undefined,
    version: 1,
  };
  const value = { executionId: newExecutionId(), agent: 'coder', command, hostLabels: [] };
  return { $case: 'start', value: { identity: undefined, refusal: undefined, ...value, ...more } };
}

/** One stream, read to its end. */
export function open(client: GatewayClient, ...messages: Message[]) {
  const stream = client.execute();
  const answers: Answer[] = [];
  stream.on('data', ({ message }: ExecuteResponse) => answers.push(message!));
  const ended = new Promise<number>((resolve) => {
    stream.on('error', ({ code }: ServiceError) => resolve(code));
    stream.on('end', () => resolve(status.OK));
  });
  for (const message of messages) stream.write({ message });
  const waitFor = async ($case: Answer['$case']) => {
    while (!answers.some((answer) => answer.$case === $case)) await once(stream, 'data');
  };
  return { stream, answers, ended, waitFor, send: (message: Message) => stream.write({ message }) };
}

export const gone = (channel: Channel) =>
  new Promise<ClawrdenError>((resolve) =>
    channel.gone.addEventListener('abort', () => resolve(channel.gone.reason)),
  );
