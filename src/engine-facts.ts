/** What a Docker host's engine has to say `true` to in its `/info`, and what a container could take without it. */
const limits = { MemoryLimit: 'memory', PidsLimit: 'processes', CpuCfsQuota: 'processors' } as const;

/** What the kernel calls a processor, and Node. */
const processors: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'x64'],
  ['aarch64', 'arm64'],
]);

/** For a line to people. */
export const processorNames = [...processors.keys()].join(' and ');

/** An engine leaves out a limit that its kernel does not keep, and says so in a warning that nobody reads. */
export function missingLimits(info: unknown): string[] {
  return Object.entries(limits).flatMap(([key, what]) => (factOf(info, key) === true ? [] : [what]));
}

/** As the engine calls it; empty if it does not say. */
export function architectureOf(info: unknown): string {
  const architecture = factOf(info, 'Architecture');
  return typeof architecture === 'string' ? architecture.slice(0, 64) : '';
}

/** As Node calls it; undefined if our programs are not built for it. */
export function processorOf(info: unknown): string | undefined {
  return processors.get(architectureOf(info));
}

function factOf(info: unknown, key: string): unknown {
  return Object.entries(info ?? {}).find(([name]) => name === key)?.[1];
}
