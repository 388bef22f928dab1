import type { EventEmitter } from 'node:events';

/** Puts `before` in front of all present listeners: they get the event when `before` passes it on. */
export function intercept(
  emitter: EventEmitter,
  event: string,
  before: (pass: () => void, ...args: never[]) => void,
): void {
  const listeners = emitter.listeners(event);
  emitter.removeAllListeners(event);
  emitter.on(event, (...args) => {
    const pass = () => {
      for (const listener of listeners) Reflect.apply(listener, emitter, args);
    };
    before(pass, ...(args as never[]));
  });
}
