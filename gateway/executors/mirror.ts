import { abortable } from '../../src/abort.ts';
import { type Found, operandsFound } from '../../src/init-client/plan-operands.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Execution, ToolInput } from '../execution/execution.ts';
import { Vanished } from '../ports/channel.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import type { Executor, RecordStart } from './executor.ts';

export interface MirrorParts {
  readonly recordStart: RecordStart;
  /** The relay vanished without an end: the command may run until the relay notices, too. */
  readonly onVanished: (execution: ExecutionRecord) => void;
}

/** The relay runs the plan in the agent's container and sends copies of its output; its end is the outcome. */
export function createMirror({ recordStart, onVanished }: MirrorParts): Executor {
  return (permit, execution) => () => {
    execution.signal.throwIfAborted();
    const ended = Promise.withResolvers<Outcome>();
    const started = (container: string, found: Found) => {
      execution.started(placeOf(execution, container));
      recordStart(execution, operandsFound(permit.sealed.plan, found));
    };
    execution.takeInputs((input) => observe(input, execution, started, ended.resolve));
    void execution.send({
      type: 'run-here',
      planHash: permit.sealed.hash,
      canonicalPlan: permit.sealed.canonical,
    });
    // The relay ends its mirror when its stream ends, whichever side ended it.
    return abortable(ended.promise, execution.signal).catch((error: unknown) => {
      if (error instanceof Vanished) onVanished(execution.record);
      // Its order was sent: it may have run, and nothing is heard of that any more.
      if (execution.record.state !== 'running') started('', new Map());
      throw error;
    });
  };
}

function observe(
  input: ToolInput,
  execution: Execution,
  started: (container: string, found: Found) => void,
  end: (outcome: Outcome) => void,
): void {
  switch (input.type) {
    case 'mirror-started':
      return started(input.container, input.found);
    case 'mirror-output':
      return execution.output.add(input.fd, input.bytes);
    case 'mirror-end':
      execution.usage = input.usage;
      return end(input.outcome);
    default:
      // Stdin and signals of a mirror stay between shim and relay.
      return;
  }
}

/** The name of the place: a mirror runs on its relay's own host. */
export function placeOf({ record }: Execution, container: string): { host: string; container: string } {
  return { host: record.caller.slice(record.caller.indexOf(':') + 1), container };
}
