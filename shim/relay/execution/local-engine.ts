import Docker from 'dockerode';

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
  if (signal === undefined) return answer;
  const ended = new AbortController();
  const once: Answer = (error, result) => {
    if (ended.signal.aborted) return;
    ended.abort();
    answer(error, result);
  };
  const late = () => once(signal.reason, null);
  // dockerode itself asks for a signal that has aborted already.
  signal.addEventListener('abort', late, { once: true, signal: ended.signal });
  return once;
}
