import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Execution } from '../../gateway/execution/execution.ts';
import type { Outcome } from '../../src/outcome.ts';
import { type AgentSite, startAgentSite } from '../mcp/agent-site.ts';
import { runExampleAgent } from './run-agent.ts';
import { type Says, startScriptedModel } from './scripted-model.ts';

let site: AgentSite;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawrden-agent-'));
});
afterEach(async () => {
  await site[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Says what it wrote, takes longer than the server waits, and ends with the code that its argument names. */
const program = async (execution: Execution): Promise<Outcome> => {
  const [, code = ''] = execution.record.argv;
  await execution.send({ type: 'stdout', bytes: Buffer.from(`said by ${code}`) });
  await sleep(500);
  return { kind: 'exited', code: Number(code), signal: 0 };
};

async function runAgent(calls: readonly (readonly [string, object])[], token = site.token) {
  await using model = await startScriptedModel((turn): Says => {
    const [name = '', args] = calls[turn - 1] ?? [];
    return name === '' ? { content: 'It is done.' } : { calls: [{ name, arguments: JSON.stringify(args) }] };
  });
  const env = { MODEL_URL: model.url, MCP_URL: `${site.door.url}/mcp`, MCP_TOKEN: token };
  const ran = await runExampleAgent(folder, env, 'do it');
  const told = model.asked.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
  return { ...ran, told: told.map(({ content }) => content), first: model.asked[0] };
}
const execute = (name: string, ...args: string[]) => ['execute', { program: name, args }] as const;

test('its tools are those of the gateway, and each call comes back with its end, also behind the wait of one request', async () => {
  site = await startAgentSite(program, { waitMs: 100 });
  const calls = [
    ['list_programs', {}],
    execute('job', '0'),
    execute('pick', 'two'),
    execute('job', '4'),
  ] as const;
  const { code, stdout, stderr, told, first } = await runAgent(calls);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'It is done.\n', stderr: '' });
  expect(first?.tools?.map((tool) => tool.function.name).toSorted()).toEqual([
    ...['await_execution', 'cancel_execution', 'execute', 'help', 'list_programs', 'read_output'],
  ]);
  expect(told[0]).toContain('pick: runs, some are refused');
  expect(told[1]).toMatch(/^state: ended\n[\s\S]*exit code: 0\n[\s\S]*said by 0$/);
  expect(told[2]).toMatch(/two is too many[\s\S]*pick one/);
  expect(told[3]).toContain('exit code: 4');
  expect(site.core.ran).toEqual(['job 0', 'job 4']);
});

test('what a person is asked about is waited for, and three calls that fail stop it', async () => {
  site = await startAgentSite(program, { waitMs: 100 });
  const running = runAgent([execute('del', '0'), execute('job', '1'), execute('pick', 'two'), execute('rm')]);
  await expect.poll(() => site.core.approvals.pending().length).toBe(1);
  await sleep(300);
  await site.answer('approved');
  const { code, stderr, steps } = await running;
  expect(code).toBe(3);
  expect(stderr).toBe('agent: stopped: 3 calls in a row failed, the last one: state: refused\n');
  expect(steps.filter(({ type }) => type === 'result')).toMatchObject(
    [false, true, true, true].map((failed) => ({ failed })),
  );
  expect(site.core.ran).toEqual(['del 0', 'job 1']);
});

test('a token that does not count is an end with what the server says', async () => {
  site = await startAgentSite(program);
  const { code, stderr } = await runAgent([], 'clw_none');
  expect(code).toBe(1);
  expect(stderr).toContain('the API token is not valid');
});
