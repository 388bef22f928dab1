import { abortable, deadline } from '../../src/abort.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { AnswerHelp } from '../help/answer-help.ts';
import type { Executor, Inspector, RecordStart } from './executor.ts';
import { writeOut } from './write-out.ts';

/** For a reader that stalls: whatever is said fits into the buffers between. */
const longestMs = 30_000;

export interface HelpExecutorParts {
  readonly answerHelp: AnswerHelp;
  readonly recordStart: RecordStart;
}

/** The gateway answers by itself, of the plan's agent: nothing is started anywhere. */
export function createHelp({ answerHelp, recordStart }: HelpExecutorParts): Executor {
  return ({ sealed: { plan, hash } }, execution) =>
    async () => {
      const late = () => new ClawrdenError('run-timeout', `help took longer than ${longestMs / 1000} s`);
      using time = deadline(longestMs, late, execution.signal);
      time.signal.throwIfAborted();
      const [, ...args] = plan.argv;
      const { stdout, stderr, code } = await abortable(answerHelp(plan.agent, args), time.signal);
      void execution.send({ type: 'accepted', planHash: hash });
      execution.started();
      recordStart(execution, []);
      void execution.send({ type: 'started', host: '', container: '' });
      await writeOut(execution, 'stdout', Buffer.from(stdout), time.signal);
      await writeOut(execution, 'stderr', Buffer.from(stderr), time.signal);
      return { kind: 'exited', code, signal: 0 };
    };
}

/** Help runs no script. */
export const inspectHelp: Inspector = () => Promise.resolve({ found: new Map(), host: '' });
