import { ExecutionServiceService } from '../../../src/gen/clawrden/v1/execution.ts';
import { RelayServiceService } from '../../../src/gen/clawrden/v1/relay.ts';
import { WardenServiceService } from '../../../src/gen/clawrden/v1/warden.ts';
import { commandLimits } from '../../../src/policy/request/check-command.ts';
import { laneMessageBytes } from '../../../src/wire/byte-lane.ts';
import { reflectionPaths } from './reads.ts';

/** What a message of a call may have. */
export interface MessageBound {
  /** Those of every depth, and those that nobody knows. */
  readonly values: number;
  readonly bytes: number;
  /** First bytes of messages that are nothing but some bytes. */
  readonly plain?: ReadonlySet<number>;
}

const kibibyte = 1024;
const leastValueBytes = 2;
export const mostMessageBytes = 2 * kibibyte * kibibyte;

/** Names, texts and 16 labels: decoded in a tenth of a millisecond. */
const ordinary: MessageBound = { values: 256, bytes: 64 * kibibyte };
/** Everything that goes with a command, its labels and ignored signals too. */
const ofCommand = { values: commandLimits.args + commandLimits.envEntries + 256, bytes: mostMessageBytes };
/** Room for the message that names the agent, and for one that is too long for a lane and ends it. */
const ofLane: MessageBound = { values: 4, bytes: 2 * laneMessageBytes };

/** Tags of `stdin`, `stdout` and `stderr`. */
const bytesOfExecute: ReadonlySet<number> = new Set([3, 10, 11].map((field) => (field << 3) | 2));

const { carry, synchronize, wayOut } = RelayServiceService;
const { createEnrolmentToken, explainCommand } = WardenServiceService;

const bounds: ReadonlyMap<string, MessageBound> = new Map<string, MessageBound>([
  [ExecutionServiceService.execute.path, { ...ofCommand, plain: bytesOfExecute }],
  [explainCommand.path, ofCommand],
  [carry.path, ofLane],
  [wayOut.path, ofLane],
  // A thousand agents with a hundred tools each.
  [synchronize.path, { values: 100_000, bytes: mostMessageBytes }],
  // All agents of a relay.
  [createEnrolmentToken.path, { values: 10_000, bytes: mostMessageBytes }],
]);

/** Of every method there is. */
export function boundOf(path = ''): MessageBound {
  return bounds.get(path) ?? ordinary;
}

/** How many values a message may have that begins with this byte. */
export function mostValues({ values, plain }: MessageBound, first: number | undefined): number {
  return first !== undefined && plain?.has(first) === true ? 1 : values;
}

/** Whether a message of so many bytes that begins so may have more values than an ordinary one. */
export function isHeavy(bound: MessageBound, first: number, bytes: number): boolean {
  return bytes > leastValueBytes * ordinary.values && mostValues(bound, first) > ordinary.values;
}

const streamed: readonly string[] = [ExecutionServiceService.execute, synchronize, carry, wayOut].map(
  ({ path }) => path,
);

/** Whether more than one message may come in such a call. */
export function bringsMany(path = ''): boolean {
  return streamed.includes(path) || reflectionPaths.includes(path);
}
