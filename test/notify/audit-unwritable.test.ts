import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newMirrored, play } from '../warden/mirrored.ts';
import { startRealGateway } from '../warden/real-gateway.ts';
import { startReceiver } from './receiver.ts';

const secret = 'a secret of the test';
const waiting = { timeout: 60_000, interval: 50 } as const;

describe.skipIf(process.getuid?.() !== 0)(
  'a state folder on a disk of its own (mounting one needs root)',
  () => {
    let disk: string;
    beforeEach(() => {
      disk = mkdtempSync(join(tmpdir(), 'clawrden-disk-'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
    });
    afterEach(() => {
      execFileSync('umount', ['--lazy', disk]);
      rmSync(disk, { recursive: true });
    });

    test('a webhook is told that the audit cannot be written, also if the database is on the same full disk', {
      timeout: 180_000,
    }, async () => {
      await using receiver = await startReceiver(secret);
      process.env['NOTIFY_TEST_SECRET'] = secret;
      const webhooks = [
        { name: 'pager', url: receiver.url, secret: { env: 'NOTIFY_TEST_SECRET' }, private: true },
      ];
      await using gateway = await startRealGateway({ base: disk, keys: { notify: { webhooks } } });
      const relay = await gateway.relay();
      const run = async () => {
        const command = newMirrored();
        await play(relay, command, { tool: 'run' }, gateway.audit);
        return command.outcome?.reason;
      };
      expect(await run()).toBe('');
      for (const size of [65_536, 4096, 1]) {
        try {
          for (let at = 0; ; at += 1)
            writeFileSync(join(disk, `filler-${size}-${at}`), Buffer.alloc(size, 1));
        } catch {}
      }
      const told = () => receiver.received.filter(({ event }) => event === 'audit-unwritable');
      receiver.answer = { status: 503 };
      for (let more = 0; more < 200 && (await run()) === ''; more += 1);
      expect(await run()).toBe('audit-unwritable');
      // It did not take it: it is told again, as the same.
      await expect.poll(() => told().length, waiting).toBeGreaterThan(1);
      receiver.answer = { status: 204 };
      const tries = told().length;
      await expect.poll(() => told().length, waiting).toBeGreaterThan(tries);
      expect(told().at(-1)).toMatchObject({
        isSigned: true,
        body: { event: 'audit-unwritable', reason: expect.stringContaining('ENOSPC') },
      });
      expect(new Set(told().map(({ delivery }) => delivery)).size).toBe(1);
      relay.close();
    });
  },
);
