import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { createReload, type ReloadParts } from './reload-config.ts';
import { watchFile } from './watch-file.ts';

export interface ReloadOnChange extends Omit<ReloadParts, 'load'> {
  readonly load: (file: string) => GatewayConfig;
}

/** Reads gateway.yaml again when the file changes, and on SIGHUP, until the returned function is called. */
export function reloadOnChange(config: GatewayConfig, parts: ReloadOnChange): () => void {
  const reload = createReload(config, { ...parts, load: () => parts.load(config.file) });
  const watching = new AbortController();
  watchFile(config.file, reload, watching.signal);
  process.on('SIGHUP', reload);
  return () => {
    watching.abort();
    process.off('SIGHUP', reload);
  };
}
