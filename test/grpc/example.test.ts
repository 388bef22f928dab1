import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { AgentView } from '../../gateway/ports/warden-api.ts';
import { startTestGateway } from './gateway.ts';

const coder: AgentView = {
  ...{ name: 'coder', relay: 'host-1', online: true, containerRunning: true, tools: [] },
  ...{ running: 0, pending: 0, grants: 0, problem: '' },
};

test('the example of an orchestrator over gRPC lists agents, prints what a command prints, and ends as it did', async () => {
  await using gateway = await startTestGateway({
    programs: { ci: 'orchestrator' },
    warden: { agents: () => [coder] },
    execute: async (_caller, { agent, command }, channel) => {
      if (command.tool !== 'echo') return { kind: 'denied', reason: 'denied-by-default', text: 'no rule' };
      void channel.send({ type: 'accepted', planHash: 'h' });
      void channel.send({ type: 'stdout', bytes: Buffer.from(`${agent}: ${command.args.join(' ')}\n`) });
      return { kind: 'exited', code: 7, signal: 0 };
    },
  });
  const identity = await gateway.identity({ kind: 'program', name: 'ci' });
  const example = join(import.meta.dirname, '../../examples/orchestrator/orchestrator-grpc.ts');
  const env = { ...process.env, CLAWRDEN_GATEWAY: gateway.address, CLAWRDEN_IDENTITY: identity };
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [example, ...args], { env, timeout: 30_000 }).catch(
      (error: unknown) => error,
    );
  expect(await run('coder', 'echo', 'hello', 'ü')).toMatchObject({
    code: 7,
    stdout: 'coder: active\ncoder: hello ü\n',
  });
  expect(await run('coder', 'rm')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('denied-by-default: no rule'),
  });
});
