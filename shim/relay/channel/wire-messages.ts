import type { Command } from '../../../src/command.ts';
import type { FromGateway, ToGateway } from '../../../src/gateway-client/execute-call.ts';
import type { Command as WireCommand } from '../../../src/gen/clawrden/v1/execution.ts';
import type { Input, Output } from '../../../src/wire/execution-io.ts';
import type { ToShim } from './shim-channel.ts';

export function toWireCommand({
  args,
  env,
  stdio,
  ignored,
  blocked = [],
  terminal,
  ...rest
}: Command): WireCommand {
  return {
    ...rest,
    args: [...args],
    env: [...env],
    stdio: [...stdio],
    ignored: [...ignored],
    blocked: [...blocked],
    terminal: terminal && { ...terminal },
  };
}

/** A shim's input as a message for the gateway. */
export function toWireInput(input: Input): ToGateway {
  switch (input.type) {
    case 'stdin':
      return { $case: 'stdin', value: input.bytes };
    case 'stdin-end':
      return { $case: 'stdinEnd', value: {} };
    case 'signal':
      return { $case: 'signal', value: input.signal };
    case 'resize':
      return { $case: 'resize', value: { ...input.size } };
    case 'closed':
      return { $case: 'closed', value: input.fd };
  }
}

/** A mirrored command's output as a copy for the gateway; undefined if it is not recorded. */
export function toWireCopy(output: Output): ToGateway | undefined {
  return output.type === 'stdout' || output.type === 'stderr'
    ? { $case: output.type, value: output.bytes }
    : undefined;
}

/** The responses of the gateway that go to the shim unchanged. */
export function toShim(response: FromGateway): ToShim | undefined {
  switch (response.$case) {
    case 'stdout':
    case 'stderr':
      return { type: response.$case, bytes: response.value };
    case 'credit':
    case 'unread':
      return { type: response.$case, bytes: response.value };
    case 'closed':
      return { type: 'closed', fd: 0 };
    case 'stopped':
      return { type: 'stopped', signal: response.value };
    case 'notice':
      return { type: 'notice', text: response.value };
    default:
      return undefined;
  }
}
