import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentStatus, WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { longestReason } from '../../src/principal-limits.ts';
import { type RealGateway, startRealGateway } from './real-gateway.ts';

const oneLine = /^clawrden: [^:\n]+: [^\n]+; make room on the gateway's disk, and do it again\n$/;

interface Agent {
  readonly name: string;
  readonly paused: boolean;
  readonly killed: boolean;
}

async function stateOf(gateway: RealGateway, name: string): Promise<'active' | 'paused' | 'killed'> {
  const { stdout } = await gateway.cli('agents', '--json');
  const agent = (JSON.parse(stdout) as Agent[]).find((each) => each.name === name);
  if (agent?.killed === true) return 'killed';
  return agent?.paused === true ? 'paused' : 'active';
}

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

    /** No byte fits any more, and the database's reserve is used up. */
    async function fill(gateway: RealGateway): Promise<void> {
      for (const size of [65_536, 4096, 1]) {
        try {
          for (let i = 0; ; i += 1) writeFileSync(join(disk, `filler-${size}-${i}`), Buffer.alloc(size, 1));
        } catch {}
      }
      const admin = await gateway.admin();
      const reason = 'x'.repeat(longestReason);
      const request = { agent: 'other', status: AgentStatus.KILLED, reason };
      for (let i = 0; i < 800; i += 1) {
        const said = await admin.call(WardenServiceService.setAgentState, request).then(
          () => '',
          (error: Error) => error.message,
        );
        if (said.includes('a restart ')) return admin.close();
      }
      throw new Error('the disk did not fill up');
    }

    test('P6 P19 P25: on a full disk every control verb says in one line what is in force, what outlives a restart, and what to do', {
      timeout: 180_000,
    }, async () => {
      await using gateway = await startRealGateway({ base: disk });
      const relay = await gateway.relay();
      relay.close();
      await gateway.cli('pause', 'coder');
      expect(await stateOf(gateway, 'coder')).toBe('paused');
      await fill(gateway);
      const said = async (...verb: string[]) => {
        const { code, stdout, stderr } = await gateway.cli(...verb);
        expect([verb[0], code, stdout]).toEqual([verb[0], 1, '']);
        expect(stderr).toMatch(oneLine);
        expect(stderr).not.toMatch(/SQLITE|rollback|nothing was done/);
        return stderr;
      };

      // Not less strict, because that would have to be kept.
      expect(await said('resume', 'coder')).toContain(': nothing has changed');
      expect(await stateOf(gateway, 'coder')).toBe('paused');
      // Stricter, at once.
      expect(await said('kill', 'coder', '--reason', 'x'.repeat(longestReason))).toContain(
        ': it is in force, ',
      );
      expect(await stateOf(gateway, 'coder')).toBe('killed');
      expect(await said('lockdown', 'on')).toContain(': it is in force, ');
      expect(await said('lockdown', 'off')).toContain(': nothing has changed');
      const revoked = await said('revoke', 'host-1', '--reason', 'x'.repeat(longestReason));
      expect(revoked).toContain(': it is in force, ');
      expect(await said('token', 'create', '--relay', 'host-1', '--agent', 'coder')).toContain(
        'nothing has changed',
      );

      execFileSync('sh', ['-c', `rm ${disk}/filler-*`]);
      for (const verb of [
        ['lockdown', 'off'],
        ['revoke', 'host-1'],
        ['resume', 'other'],
      ])
        expect([verb, (await gateway.cli(...verb)).code]).toEqual([verb, 0]);
      await gateway.cli('kill', 'coder');
      await gateway.end('SIGTERM');
      await gateway.start();
      expect([await stateOf(gateway, 'coder'), await stateOf(gateway, 'other')]).toEqual([
        'killed',
        'active',
      ]);
    });
  },
);
