import { constants } from 'node:os';

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/** Calls `onSignal` with the number of every signal that a tool would get. */
export function watchSignals(onSignal: (signal: number) => void): void {
  for (const name of forwarded) process.on(name, () => onSignal(constants.signals[name]));
}

/** Ends this process by the signal that ended its tool, or by `128 + signal` if the process survives the signal. */
export function dieBy(signal: number): void {
  raise(signal);
  setTimeout(() => process.exit(128 + signal), 100);
}

/** Does to this process what the signal did to its tool. Returns if the process continues, at once or later. */
export function raise(signal: number): void {
  for (const [name, number] of Object.entries(constants.signals)) {
    if (number !== signal || name === 'SIGKILL' || name === 'SIGSTOP') continue;
    // One listener that is removed again restores the default action, also if Node had a listener of its own.
    process.once(name, () => {});
    process.removeAllListeners(name);
  }
  process.kill(process.pid, signal);
}
