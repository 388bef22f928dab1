import { createPrivateKey } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createRotateSigningKey } from '../../gateway/keys/rotate-signing-key.ts';
import { openRecords } from '../../gateway/start/open-records.ts';
import type { GatewayConfig } from '../../src/config/gateway-config.ts';
import { stateFiles } from '../../src/pki/state-files.ts';

/**
 * Starts on the records of a state folder as a gateway does, rotates the signing key so often, and stops. Prints
 * `rotated KEY` for each that was answered.
 */
const [dir = '', rotations = '0'] = process.argv.slice(2);

const say = (what: string, text: string) => writeSync(1, `${what} ${text.replaceAll('\n', ' ')}\n`);

try {
  const config = { state: dir, audit: join(dir, 'audit.jsonl'), limits: {} } as unknown as GatewayConfig;
  const key = createPrivateKey(readFileSync(join(dir, stateFiles.signingKey)));
  const records = await openRecords(config, key, 'test');
  const rotate = createRotateSigningKey({ ...records, folder: dir });
  const by = { kind: 'person', name: 'ann', role: 'admin', scope: {} } as const;
  say('started', records.audit.warnings().join(' '));
  for (let i = 0; i < Number(rotations); i += 1) {
    await records.audit.append({ type: 'lifecycle', event: 'test', text: `before ${i}` });
    try {
      const rotated = await rotate({ overlapMs: 60_000, reason: '' }, by);
      if ('value' in rotated) say('rotated', rotated.value.publicKey);
      else say('refused', rotated.refused);
    } catch (error) {
      say('refused', (error as Error).message);
    }
  }
  await records.close();
} catch (error) {
  say('failed', (error as Error).message);
  process.exitCode = 1;
}
process.exit();
