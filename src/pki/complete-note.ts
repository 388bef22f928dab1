import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { stateFiles } from './state-files.ts';

type Noted = Pick<GatewayConfig, 'complete' | 'file' | 'state'>;

/**
 * Why this file is not taken; empty if it may be. Many beginnings of a file are valid: agents behind the cut would lose
 * their tokens, grants and work for good.
 */
export function whyCut({ complete, file, state }: Noted): string {
  const note = noteIn(state);
  if (complete || !existsSync(note)) return '';
  return `${file}: it may be half-written, as the last one had "complete: true" at its end; put back what is missing, or, if you took that line away on purpose, remove ${note}`;
}

/** Remembers of a file that it is whole, beyond the end of this process. Throws if it cannot. */
export function noteComplete({ complete, state }: Noted): void {
  const note = noteIn(state);
  if (!complete || existsSync(note)) return;
  writeFileSync(note, 'gateway.yaml had "complete: true" at its end\n', { mode: 0o600, flush: true });
}

function noteIn(state: string): string {
  return join(state, stateFiles.complete);
}
