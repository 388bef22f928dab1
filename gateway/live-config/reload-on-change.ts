import { onAbort } from '../../src/abort.ts';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import type { Faults } from '../../src/faults.ts';
import { createReload, type ReloadParts } from './reload-config.ts';
import { type Found, readFound, watchFile } from './watch-file.ts';

export interface ReloadOnChange extends ReloadParts {
  readonly faults: Faults;
}

/** Applies gateway.yaml when the file changes, and on SIGHUP, until `signal` aborts. */
export function reloadOnChange(
  config: GatewayConfig,
  { faults, ...parts }: ReloadOnChange,
  signal: AbortSignal,
): void {
  const reload = createReload(config, parts);
  const take = (found: Found) => {
    reload(found);
    return true;
  };
  void watchFile(config.file, take, faults, signal);
  const onHangUp = faults.guard('SIGHUP', () => reload(readFound(config.file)));
  process.on('SIGHUP', onHangUp);
  onAbort(signal, () => process.off('SIGHUP', onHangUp));
}
