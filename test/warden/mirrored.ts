import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { newExecutionId } from '../../src/execution-id.ts';
import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import type { ExecuteResponse, Outcome } from '../../src/gen/clawrden/v1/execution.ts';

/** A command as a relay sees it: an order to run counts as a start. */
export interface Mirrored {
  readonly id: string;
  /** How often the gateway let it start, over all its streams. */
  starts: number;
  /** Set once a person is asked. */
  planHash: string;
  approvalId: string;
  /** Records that the audit lacked when it was allowed to start. */
  unaudited: string[];
  outcome: Outcome | undefined;
  /** Why its last stream broke. */
  broken: string;
}

export function newMirrored(): Mirrored {
  return {
    id: newExecutionId(),
    starts: 0,
    planHash: '',
    approvalId: '',
    unaudited: [],
    outcome: undefined,
    broken: '',
  };
}

/** The usage that each of them reports. */
export const usage = { userMs: 30, systemMs: 4, maxResidentKib: 2048 };

export interface First {
  readonly tool: 'run' | 'ask' | 'touch' | 'kept' | 'here' | 'ls';
  readonly args?: readonly string[];
  readonly agent?: string;
  readonly env?: readonly string[];
  /** What its tool writes to stdout; it always exits with 7. */
  readonly output?: readonly Buffer[];
  /** Its tool does not end. */
  readonly endless?: boolean;
}

/**
 * Starts it, or comes back for it, and cancels it when `leaves` aborts. Resolves when its stream has ended, with or
 * without an outcome.
 */
export function play(
  client: GatewayClient,
  command: Mirrored,
  first: First | 'resume',
  audit: string,
  leaves?: AbortSignal,
): Promise<void> {
  const stream = client.execute();
  leaves?.addEventListener(
    'abort',
    () => stream.write({ message: { $case: 'cancel', value: { requesterGone: true } } }),
    {
      once: true,
    },
  );
  const over = Promise.withResolvers<void>();
  stream.on('data', ({ message }: ExecuteResponse) => {
    switch (message?.$case) {
      case 'pending':
        command.planHash = message.value.planHash;
        command.approvalId = message.value.approvalId;
        break;
      case 'runHere':
        command.starts += 1;
        command.unaudited.push(...unaudited(command, audit));
        stream.write({ message: { $case: 'started', value: { host: '', container: 'c', found: [] } } });
        for (const value of first === 'resume' ? [] : (first.output ?? []))
          stream.write({ message: { $case: 'stdout', value } });
        if (first !== 'resume' && first.endless === true) break;
        stream.write({
          message: { $case: 'mirrorEnd', value: { code: 7, signal: 0, reason: '', text: '', usage } },
        });
        break;
      case 'runOriginal':
        command.starts += 1;
        break;
      case 'outcome':
        command.outcome = message.value;
        stream.end();
        over.resolve();
        break;
      default:
    }
  });
  stream.on('end', () => over.resolve());
  stream.on('error', ({ message }: Error) => {
    command.broken = message;
    over.resolve();
  });
  if (first === 'resume') {
    const value = { executionId: command.id, planHash: command.planHash };
    stream.write({ message: { $case: 'resume', value } });
  } else {
    stream.write({ message: { $case: 'start', value: startOf(command.id, first) } });
  }
  return over.promise;
}

/** Records that must be on the disk at the moment of a start, and are not. */
function unaudited(command: Mirrored, audit: string): string[] {
  // They are among the last ones, unless the question waited long.
  if (missingIn(endOf(audit, 128 * 1024), command).length === 0) return [];
  return missingIn(readFileSync(audit, 'utf8'), command);
}

function missingIn(text: string, { id, planHash }: Mirrored): string[] {
  const lines = text.split('\n').filter((line) => line.includes(id));
  const has = (...parts: string[]) => lines.some((line) => parts.every((part) => line.includes(part)));
  const missing: string[] = [];
  if (!has('"type":"decision"')) missing.push(`${id}: decision`);
  if (planHash !== '' && !has('"type":"verdict"', '"verdict":"approved"')) missing.push(`${id}: verdict`);
  return missing;
}

function endOf(file: string, bytes: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const end = Buffer.alloc(Math.min(size, bytes));
    const length = readSync(descriptor, end, 0, end.length, size - end.length);
    return end.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}

export function startOf(executionId: string, { tool, args = [], agent = 'coder', env = [] }: First) {
  const stdio = ['null', 'pipe', 'pipe'];
  const rest = {
    args: [...args],
    cwd: '/app',
    env: [...env],
    umask: 18,
    ignored: [],
    blocked: [],
    terminal: undefined,
    version: 1,
  };
  const identity = { uid: 1000, gid: 1000 };
  const command = { tool, stdio, ...rest };
  return { executionId, agent, command, identity, refusal: undefined, hostLabels: [] };
}
