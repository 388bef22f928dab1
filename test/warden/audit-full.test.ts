import { execFileSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { verifyAudit } from '../../src/audit/verify-audit.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { longestReason } from '../../src/principal-limits.ts';
import { type Mirrored, newMirrored, play } from './mirrored.ts';
import { startRealGateway } from './real-gateway.ts';

const kilobyte = 1024;
const diskBytes = 512 * kilobyte;

describe.skipIf(process.getuid?.() !== 0)('an audit on a disk of its own (mounting one needs root)', () => {
  let disk: string;
  beforeEach(() => {
    disk = mkdtempSync(join(tmpdir(), 'clawrden-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', disk]);
  });
  afterEach(() => {
    execFileSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true });
  });

  test('A-71: a full disk refuses new work and starts nothing; freed, it goes on without a restart, nothing torn or glued', {
    timeout: 60_000,
  }, async () => {
    await using gateway = await startRealGateway({ auditDir: disk });
    const [relay, admin] = await Promise.all([gateway.relay(), gateway.admin()]);
    const run = async (): Promise<Mirrored> => {
      const command = newMirrored();
      await play(relay, command, { tool: 'run' }, gateway.audit);
      return command;
    };
    const status = async () => (await admin.call(WardenServiceService.getStatus, {})).problem;
    expect(await run()).toMatchObject({ starts: 1, outcome: { code: 7 } });
    expect(await status()).toBe('');

    const filler = join(disk, 'filler');
    // All but the last part of the disk; commands fill the rest until one does not fit.
    writeFileSync(filler, Buffer.alloc(diskBytes - 32 * kilobyte));
    let last = await run();
    for (let more = 0; more < 200 && last.outcome?.reason === ''; more += 1) last = await run();
    expect(last.outcome).toMatchObject({ code: 125, reason: 'audit-unwritable' });
    const refused = await Promise.all(Array.from({ length: 20 }, run));
    expect(refused.map(({ starts, outcome }) => [starts, outcome?.reason])).toEqual(
      refused.map(() => [0, 'audit-unwritable']),
    );
    expect(await status()).toMatch(/ENOSPC/);

    // The last page of the disk may have room for some.
    const kill = () => gateway.cli('kill', 'other', '--reason', 'x'.repeat(longestReason));
    let killed = await kill();
    for (let more = 0; more < 10 && killed.code === 0; more += 1) killed = await kill();
    expect(killed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^clawrden: kill: it is in force, and outlives a restart, and the audit has no record of it: .*ENOSPC.*; make room on the gateway's disk, /,
      ),
    });

    rmSync(filler);
    // A-490: `/readyz` says the same, and nothing is appended meanwhile.
    await vi.waitFor(async () => expect(await status()).toBe(''), 10_000);
    const states = JSON.parse((await gateway.cli('agents', '--json')).stdout) as object[];
    expect(states).toMatchObject([
      { name: 'coder', killed: false },
      { name: 'other', killed: true },
    ]);
    expect(await run()).toMatchObject({ starts: 1, outcome: { code: 7 }, unaudited: [] });
    expect(await status()).toBe('');
    relay.close();
    admin.close();
    await gateway.end('SIGTERM');
    const key = createPublicKey(readFileSync(join(gateway.state, 'signing-key.pem')));
    expect((await verifyAudit([gateway.audit], { key })).problem).toBeUndefined();
  });
});
