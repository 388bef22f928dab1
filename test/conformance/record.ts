import { constants } from 'node:os';

/** What the driver saw of one command. */
export interface Record {
  /** `exit 0`, `SIGTERM`, or the fault. */
  readonly ending: string;
  /** A fault of the driver or the case. */
  readonly problems: readonly string[];
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly terminal: Buffer;
  /** What was left in stdin, if the case asks for it. */
  readonly left: Buffer;
  /** Stops and changes of the terminal's modes, a line each. */
  readonly events: string;
  /** Steps that were not done when the command had ended. */
  readonly stepsLeft: number;
  readonly ms: number;
}

const problems = [
  [1, 'still running at the deadline'],
  [4, 'output still open after the end'],
  [8, 'could not be started'],
] as const;

/** Reads what the driver's play.c wrote. */
export function decodeRecord(message: Buffer): Record {
  const status = message.readUInt32BE(0);
  const flags = message.readUInt32BE(4);
  const parts = strings(message.subarray(16));
  const [stdout, stderr, terminal, left, events] = parts as [Buffer, Buffer, Buffer, Buffer, Buffer];
  const wrong = problems.filter(([flag]) => (flags & flag) !== 0).map(([, what]) => what);
  return {
    ending: [...wrong, ...(flags & 9 ? [] : [endingOf(status)])].join(', '),
    problems: wrong,
    ...{ stdout, stderr, terminal, left, events: String(events) },
    stepsLeft: message.readUInt32BE(8),
    ms: message.readUInt32BE(12),
  };
}

function endingOf(status: number): string {
  const signal = status & 0x7f;
  if (signal === 0) return `exit ${status >> 8}`;
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
  return name ?? `signal ${signal}`;
}

function strings(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    found.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}
