import { ConfigError } from '../../src/config/config-error.ts';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { lockFolder } from '../../src/lock.ts';
import { noteComplete, whyCut } from '../../src/pki/complete-note.ts';
import { takeDueAuthority } from '../keys/authority-files.ts';

/** The state is this process's until it is disposed. Throws if it is another's, or if gateway.yaml may be cut. */
export function holdState(config: GatewayConfig): Disposable {
  const why = whyCut(config);
  if (why !== '') throw new ConfigError([why]);
  // Before anything is written or removed: another gateway may work on this state.
  using held = new DisposableStack();
  held.use(lockFolder(config.state, 'gateway'));
  noteComplete(config);
  takeDueAuthority(config.state);
  return held.move();
}
