/**
 * Applies values one after the other. If several come meanwhile, only the newest is applied. One that cannot be applied
 * is told to `onFailure`, and keeps no later one from being applied.
 */
export function latestOnly<T extends object>(
  apply: (value: T) => Promise<void>,
  onFailure: (error: unknown) => void,
): (value: T) => void {
  let next: T | undefined;
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (next !== undefined) {
      const value = next;
      next = undefined;
      await apply(value).catch(onFailure);
    }
    running = false;
  }

  return (value) => {
    next = value;
    if (!running) void run();
  };
}
