/** Calls that may be canceled by another request of their session. */
export interface OpenCalls {
  /** Until it is disposed of. */
  readonly add: (session: string | undefined, request: string | number, cancel: () => void) => Disposable;
  readonly cancel: (session: string, request: unknown) => void;
}

export function createOpenCalls(): OpenCalls {
  const open = new Map<string, () => void>();
  const keyOf = (session: string, request: unknown) => JSON.stringify([session, request]);
  return {
    add: (session, request, cancel) => {
      if (session === undefined) return { [Symbol.dispose]: () => {} };
      const key = keyOf(session, request);
      open.set(key, cancel);
      return {
        [Symbol.dispose]: () => {
          if (open.get(key) === cancel) open.delete(key);
        },
      };
    },
    cancel: (session, request) => open.get(keyOf(session, request))?.(),
  };
}
