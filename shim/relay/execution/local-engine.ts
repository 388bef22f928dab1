import Docker from 'dockerode';
import { onAbort } from '../../../src/abort.ts';

type Answer = NonNullable<Parameters<Docker['modem']['dial']>[1]>;

/**
 * A client of the engine at `unix:///path`. If the engine goes away within an answer, dockerode's call never ends, not
 * even when its signal aborts: here it rejects with the signal's reason then.
 */
export function localEngine(url: string): Docker {
  const docker = new Docker({ socketPath: new URL(url).pathname });
  const { modem } = docker;
  const dial = modem.dial.bind(modem);
  modem.dial = (call, answer) => dial(call, answer && onceAnswered(call.abortSignal, answer));
  return docker;
}

function onceAnswered(signal: AbortSignal | undefined, answer: Answer): Answer {
  // dockerode itself asks for a signal that has aborted already.
  if (signal === undefined || signal.aborted) return answer;
  let isOver = false;
  const once: Answer = (error, result) => {
    if (isOver) return;
    isOver = true;
    listening[Symbol.dispose]();
    answer(error, result);
  };
  const listening = onAbort(signal, () => once(signal.reason, null));
  return once;
}
