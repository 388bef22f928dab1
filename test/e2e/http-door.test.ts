import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newExecutionId } from '../../src/execution-id.ts';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { waitUntil } from '../lab/wait.ts';
import { type AuditLine, type Stack, startStack } from '../stack/start-stack.ts';
import { ghostsOf, lifePolicy, untilAudited, untilNoGhosts } from './life.ts';

const long = process.env['CLAWRDEN_LONG'] !== undefined;
const [connections, commands] = long ? [50, 1000] : [8, 24];

interface Answer {
  readonly status: number;
  readonly body: string;
}

describe.skipIf(!hasLab())('the HTTP door', () => {
  let stack: Stack;
  let token: string;
  beforeAll(async () => {
    const agents = { coder: {}, crowd: {} };
    // Every one of them asks at once.
    const limits = { 'requests-per-second': 10_000, 'executions-per-agent': 2000 };
    stack = await startStack(sharedLab(), {
      name: 'http',
      policy: lifePolicy(),
      agents,
      gateway: { limits },
    });
    const made = await stack.cli(['tokens', 'create', 'ci', '--role', 'orchestrator']);
    token = made.stdout.trim();
  });
  afterAll(() => stack?.stop());

  const urlOf = () => `${stack.httpUrl}/api/v1/executions`;
  const bodyOf = (script: string, more: object = {}) =>
    JSON.stringify({ agent: 'coder', tool: 'ghostly', args: [script], ...more });

  /** What somebody types; `-N` shows bytes as they come. */
  function curl(body: string, ...more: string[]) {
    const headers = [`Authorization: Bearer ${token}`, 'Content-Type: application/json'];
    const lines = headers.flatMap((line) => ['-H', line]);
    const child = spawn('curl', ['-sSN', urlOf(), ...lines, '-d', body, ...more], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      told += chunk;
    });
    return {
      child,
      told: () => told,
      until: (what: string) => waitUntil(`curl to show ${what}`, 30_000, async () => told.includes(what)),
      ended: once(child, 'close').then(() => told),
    };
  }
  const asLines = ['-H', 'Accept: application/x-ndjson'];

  test('A-42: curl -N shows the output of a command as it is written, and Ctrl+C cancels it', async () => {
    const go = newExecutionId();
    const script = `echo one; while [ ! -e ${go} ]; do sleep 0.05; done; echo two; sleep 300`;
    const running = curl(bodyOf(script), ...asLines);
    await running.until('one\\n');
    expect(running.told()).not.toContain('two');
    const events = running
      .told()
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { type: string }]));
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['accepted', 'started', 'stdout']));
    await stack.agents.coder!.exec(['/bin/sh', '-c', `touch ${go}`]);
    await running.until('two\\n');
    expect((await ghostsOf(sharedLab(), 'coder')).length).toBeGreaterThan(0);
    running.child.kill('SIGINT');
    await running.ended;
    expect(await untilNoGhosts(sharedLab(), 'coder', 20_000)).toBeLessThan(3000);
    await untilAudited(stack, 'outcome', ({ reason }) => reason === 'requester-gone');
  });

  test('A-42 P15: the same id twice is 409 and starts once', async () => {
    const id = newExecutionId();
    const write = bodyOf(`echo x >> ${id}; sleep 1; cat ${id}`, { id });
    const withStatus = ['-w', '\\n%{http_code}'];
    const told = await Promise.all([curl(write, ...withStatus).ended, curl(write, ...withStatus).ended]);
    const answers = told.map((each) => {
      const at = each.lastIndexOf('\n');
      return { status: each.slice(at + 1), body: JSON.parse(each.slice(0, at)) as object };
    });
    const [good, twice] = answers.toSorted((a, b) => Number(a.status) - Number(b.status));
    expect(good).toMatchObject({ status: '200', body: { id, stdout: { data: 'x\n' } } });
    expect(twice).toMatchObject({ status: '409', body: { code: 'id-duplicate', execution: id } });
    expect(await curl(write, ...withStatus).ended).toContain('id-duplicate');
    expect(await readFile(join(stack.workspaceOf('coder'), id), 'utf8')).toBe('x\n');
  });

  test(
    'P20: what many ask over few connections is lost for none of them',
    async () => {
      const file = newExecutionId();
      const agent = new Agent({ keepAlive: true, maxSockets: connections });
      const sockets = new Set<Socket>();
      const post = async (body: string): Promise<Answer> => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const asked = request(urlOf(), { method: 'POST', headers, agent });
        asked.end(body);
        const [answer] = await once(asked, 'response');
        sockets.add(asked.socket!);
        return { status: answer.statusCode, body: await text(answer) };
      };
      const ids = Array.from({ length: commands }, () => newExecutionId());
      const answers = await Promise.all(
        ids.map((id) => post(bodyOf(`echo ${id}; echo ${id} >> ${file}`, { id, agent: 'crowd' }))),
      );
      agent.destroy();
      const told = answers.map(({ status, body }) => ({ status, ...(JSON.parse(body) as object) }));
      expect(told).toMatchObject(
        ids.map((id) => ({ status: 200, id, stdout: { data: `${id}\n` }, outcome: { exitCode: 0 } })),
      );
      expect(sockets.size).toBe(connections);
      const ran = (await readFile(join(stack.workspaceOf('crowd'), file), 'utf8')).trim().split('\n');
      expect(ran.toSorted()).toEqual(ids.toSorted());
      const ours = ({ execution }: AuditLine) => ids.includes(String(execution));
      const started = await untilAudited(stack, 'start', ours, { count: commands });
      expect(started.length).toBe(commands);
    },
    long ? 900_000 : 120_000,
  );
});
