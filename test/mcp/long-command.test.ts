import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { mcpPace } from '../../gateway/mcp/create-mcp-door.ts';
import { abortable } from '../../src/abort.ts';
import { type AgentSite, startAgentSite } from './agent-site.ts';
import { type Called, type Connect, clients, idOf } from './clients.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
/** Of LONG: the gateway's own pace, the time after which both libraries give up, and a command of five minutes. */
const real = { pace: mcpPace, call: {}, giveUpMs: 60_000, commandMs: 300_000 };
const short = {
  pace: { progressMs: 5, heartbeatMs: 200, waitMs: 1000 },
  call: { timeout: 5000 },
  ...{ giveUpMs: 5000, commandMs: 6000 },
};
const { pace, call, giveUpMs, commandMs } = isLong ? real : short;

let site: AgentSite;
afterEach(() => site[Symbol.asyncDispose]());

/** The states that a client hears until there is an end, and its longest call. */
async function runToEnd(connect: Connect) {
  await using client = await connect(site.door.url, site.token);
  const states: string[] = [];
  const alive: string[] = [];
  const onprogress = (message: string) => void alive.push(message);
  let longestMs = 0;
  const timed = async (name: string, args: object): Promise<Called> => {
    const from = Date.now();
    const called = await client.call(name, args, { ...call, onprogress });
    longestMs = Math.max(longestMs, Date.now() - from);
    states.push(/^state: (.+)$/m.exec(called.texts[0] ?? '')?.[1] ?? called.texts.join());
    return called;
  };
  let told = await timed('execute', { program: 'job', args: [] });
  const id = idOf(told);
  while (states.at(-1) === 'running') told = await timed('await_execution', { id });
  return { states, told, longestMs, alive };
}

test(`a client that gives up after ${giveUpMs / 1000} s runs a silent command of ${commandMs / 1000} s to its end`, async () => {
  site = await startAgentSite(async (execution) => {
    await abortable(sleep(commandMs), execution.signal);
    return { kind: 'exited', code: 7, signal: 0 };
  }, pace);
  for (const { states, told, longestMs, alive } of await Promise.all(
    clients.map(([, connect]) => runToEnd(connect)),
  )) {
    expect(states.slice(0, -1).every((state) => state === 'running')).toBe(true);
    expect(states.length).toBeGreaterThan(commandMs / giveUpMs);
    expect(told.texts[0]).toContain('exit code: 7');
    expect(longestMs).toBeLessThan(giveUpMs);
    expect(alive.length).toBeGreaterThan(states.length);
  }
  expect(site.core.ran).toHaveLength(clients.length);
}, 420_000);
