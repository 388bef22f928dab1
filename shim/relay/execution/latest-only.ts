/** Applies values one after the other. If several come meanwhile, only the newest is applied. */
export function latestOnly<T extends object>(apply: (value: T) => Promise<void>): (value: T) => void {
  let next: T | undefined;
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (next !== undefined) {
      const value = next;
      next = undefined;
      await apply(value);
    }
    running = false;
  }

  return (value) => {
    next = value;
    if (!running) void run();
  };
}
