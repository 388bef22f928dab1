import type {
  Agent,
  Approval,
  Execution,
  GetOutputResponse,
  Host,
  RecordedStream,
  Halt as WireHalt,
} from '../../src/gen/clawrden/v1/warden.ts';
import type { Excerpt, RecordedOutput } from '../output-excerpt.ts';
import type { AgentView, ExecutionRecord, Halt, HostView, PendingApproval } from '../warden-view.ts';

export function toExecution(record: ExecutionRecord): Execution {
  const { receivedAt, decidedAt, startedAt, endedAt, argv, cut, stdoutBytes, stderrBytes, ...same } = record;
  return {
    ...same,
    argv: [...argv],
    cut: cut && { ...cut },
    receivedAt: toTime(receivedAt),
    decidedAt: toTime(decidedAt),
    startedAt: toTime(startedAt),
    endedAt: toTime(endedAt),
    stdoutBytes: BigInt(stdoutBytes),
    stderrBytes: BigInt(stderrBytes),
  };
}

export function toOutput(id: string, output: RecordedOutput | undefined): GetOutputResponse {
  return { id, stdout: output && toStream(output.stdout), stderr: output && toStream(output.stderr) };
}

function toStream({ head, dropped, tail }: Excerpt): RecordedStream {
  return { head: Buffer.from(head), dropped: BigInt(dropped), tail: Buffer.from(tail) };
}

export function toApproval({ createdAt, expiresAt, ...same }: PendingApproval): Approval {
  return { ...same, createdAt: toTime(createdAt), expiresAt: toTime(expiresAt) };
}

export function toAgent(view: AgentView): Agent {
  const { held, ...same } = view;
  return {
    ...same,
    tools: [...view.tools],
    refused: held?.state === 'refused',
    paused: held?.state === 'paused',
    killed: held?.state === 'killed',
    heldBy: held?.by ?? '',
    heldReason: held?.reason ?? '',
    heldSince: toTime(held?.since),
  };
}

export function toHost(view: HostView): Host {
  return { ...view, labels: { ...view.labels } };
}

/** RFC 3339; empty where not reached. */
export function toTime(epochMs: number | undefined): string {
  return epochMs === undefined ? '' : new Date(epochMs).toISOString();
}

export function toHalt({ stopped, unconfirmed }: Halt): WireHalt {
  return { stopped, unconfirmed: [...unconfirmed] };
}
