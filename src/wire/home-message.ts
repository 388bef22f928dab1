import type { HomeWorkspace } from '../config/gateway-config.ts';
import type { Workspace } from '../gen/clawrden/v1/relay.ts';

/** A workspace as a gateway tells of it. */
export function homeMessage({ kind, source, target, excludes, conflicts, limits }: HomeWorkspace): Workspace {
  const { entries, bytes, file, depth } = limits;
  return {
    home: { $case: kind, value: source },
    ...{ target, conflicts, excludes: [...excludes] },
    limits: { entries: BigInt(entries), bytes: BigInt(bytes), file: BigInt(file), depth },
  };
}

/** The values of the message. Nothing of it is checked: `checkHome` does. */
export function homeOfMessage({ home, target, excludes, conflicts, limits }: Workspace): unknown {
  const { entries = 0n, bytes = 0n, file = 0n, depth = 0 } = limits ?? {};
  return {
    ...{ kind: home?.$case, source: home?.value, target, excludes, conflicts },
    limits: { entries: Number(entries), bytes: Number(bytes), file: Number(file), depth },
  };
}
