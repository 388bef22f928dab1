import { onAbort } from '../../src/abort.ts';
import type { Faults } from '../../src/faults.ts';
import type { LiveConfig, ReloadParts } from './reload-config.ts';
import { type Found, readFound, watchFile } from './watch-file.ts';

export interface ReloadOnChange extends ReloadParts {
  /** gateway.yaml. */
  readonly file: string;
  readonly faults: Faults;
}

/** Applies gateway.yaml when the file changes, and on SIGHUP, until `signal` aborts. */
export function reloadOnChange(
  live: LiveConfig,
  { file, faults, ...parts }: ReloadOnChange,
  signal: AbortSignal,
): void {
  const take = (found: Found) => live.take(found, parts);
  void watchFile(file, take, faults, signal);
  const onHangUp = faults.guard('SIGHUP', () => {
    const told = live.problem();
    // Who asks is answered, although the same was told before.
    if (!take(readFound(file)) && live.problem() === told)
      parts.log.error({ file }, `gateway.yaml is still refused, the last good one stays: ${told}`);
  });
  process.on('SIGHUP', onHangUp);
  onAbort(signal, () => process.off('SIGHUP', onHangUp));
}
