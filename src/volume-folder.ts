import { z } from 'zod';

const facts = z.object({
  Driver: z.string(),
  Mountpoint: z.string().startsWith('/'),
  Options: z.record(z.string(), z.string()).nullish(),
});

/**
 * The folder of a volume, from what an engine says of it. Throws a line for people if the engine mounts the volume only
 * while a container runs: between two containers such a folder looks empty.
 */
export function volumeFolder(name: string, inspected: unknown): string {
  const { Driver, Mountpoint, Options } = facts.parse(inspected);
  const isMounted = ['device', 'type'].some((key) => Options?.[key] !== undefined);
  if (Driver === 'local' && !isMounted) return Mountpoint;
  throw new Error(`volume ${name} is not a plain one of the engine's: name its folder with bind instead`);
}
