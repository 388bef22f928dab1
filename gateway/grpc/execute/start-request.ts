import { status } from '@grpc/grpc-js';
import { areSignals, type Command, noStdin, type Stdio, type StdioKind } from '../../../src/command.ts';
import { ClawrdenError, type ErrorCode, isErrorCode } from '../../../src/errors.ts';
import { isExecutionId } from '../../../src/execution-id.ts';
import type { Start, Command as WireCommand } from '../../../src/gen/clawrden/v1/execution.ts';
import { relayRefusals } from '../../../src/relay-codes.ts';
import { firstBytes } from '../../../src/text/first-bytes.ts';
import type { StartRequest } from '../../ports/channel.ts';
import type { Principal } from '../../ports/principal.ts';
import { CallRefused, invalid } from '../calls/errors.ts';
import { readLabels } from '../calls/read-labels.ts';

const maxText = 1024;
const maxCode = 64;
const stdioKinds: ReadonlySet<string> = new Set<StdioKind>(['tty', 'pipe', 'file', 'null', 'closed']);

/** The wire's `start` in the gateway's words. Throws CallRefused if it does not have the right shape. */
export function toStartRequest(start: Start, caller: Principal): StartRequest {
  if (!isExecutionId(start.executionId)) throw invalid('execution_id must be a UUIDv7 in lower case');
  if (start.command === undefined) throw invalid('start has no command');
  // Only a relay has kernel-attested ids, or refuses a request by itself.
  const relay = caller.kind === 'relay';
  return {
    executionId: start.executionId,
    agent: start.agent,
    command: toCommand(start.command),
    hostLabels: relay ? {} : readLabels('host_labels', start.hostLabels),
    ...(relay && start.identity !== undefined && { identity: start.identity }),
    ...(relay && start.refusal !== undefined && { refusal: toRefusal(start.refusal) }),
  };
}

function toCommand(wire: WireCommand): Command {
  if (wire.umask > 0o777) throw invalid('umask must be at most 0777');
  if (!areSignals(wire.ignored) || !areSignals(wire.blocked)) throw invalid('signals are 1 to 64');
  if (wire.version > 1) throw invalid('version must be 0 or 1');
  const { terminal, ...command } = wire;
  return {
    ...command,
    stdio: toStdio(wire.stdio),
    ...(terminal !== undefined && { terminal: toTerminalSize(terminal) }),
  };
}

/** If the caller gives none: it sends no input and reads both outputs. */
function toStdio(kinds: readonly string[]): Stdio {
  if (kinds.length === 0) return noStdin;
  const known = kinds.every((kind, fd) => stdioKinds.has(kind) || (fd === 2 && kind === '=1'));
  if (kinds.length !== 3 || !known) throw invalid('stdio must be three of tty, pipe, file, null, closed');
  return kinds as unknown as Stdio;
}

export function toTerminalSize({ cols, rows }: { cols: number; rows: number }): {
  cols: number;
  rows: number;
} {
  if (cols > 0xffff || rows > 0xffff) throw invalid('a terminal has at most 65535 columns and rows');
  return { cols, rows };
}

function toRefusal({ reason, text }: { reason: string; text: string }): ClawrdenError {
  return new ClawrdenError(codeOf(reason, relayRefusals), cutText(text));
}

/** A relay reports something that it never has a reason to report. */
export class ImpossibleCode extends CallRefused {
  override name = 'ImpossibleCode';
}

/** A reason code from a relay: only a code that a relay can have a reason for is accepted. */
export function codeOf(reason: string, possible: ReadonlySet<ErrorCode>): ErrorCode {
  if (isErrorCode(reason) && possible.has(reason)) return reason;
  const told = JSON.stringify(firstBytes(reason, maxCode));
  throw new ImpossibleCode(status.INVALID_ARGUMENT, `no relay has a reason to say ${told}`);
}

/** The kept length of a relay's text for people. */
export function cutText(text: string): string {
  return firstBytes(text, maxText);
}
