import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Execution } from '../../gateway/execution/execution.ts';
import { abortable } from '../../src/abort.ts';
import type { Outcome } from '../../src/outcome.ts';
import { type AgentSite, startAgentSite } from './agent-site.ts';
import { clients, idOf } from './clients.ts';

const exited = (code = 0): Outcome => ({ kind: 'exited', code, signal: 0 });
const write = (execution: Execution, text: string, type: 'stdout' | 'stderr' = 'stdout') =>
  execution.send({ type, bytes: Buffer.from(text) });

let site: AgentSite;
afterEach(() => site[Symbol.asyncDispose]());

/** Runs until it is stopped, and says why it was. */
function untilStopped() {
  const stopped = Promise.withResolvers<string>();
  const run = async (execution: Execution): Promise<Outcome> => {
    try {
      return await abortable(new Promise<never>(() => {}), execution.signal);
    } catch (error) {
      stopped.resolve((error as Error).message);
      throw error;
    }
  };
  return { run, reason: stopped.promise };
}

describe.each(clients)('by MCP %s', (generation, connect) => {
  const isModern = generation.startsWith('2026');

  test('an agent lists its programs, reads their help and documentation, and finds nothing else', async () => {
    site = await startAgentSite(async () => exited());
    await using client = await connect(site.door.url, site.token);
    expect((await client.tools()).toSorted()).toEqual([
      ...['await_execution', 'cancel_execution', 'execute', 'help', 'list_programs', 'read_output'],
    ]);
    const [list] = (await client.call('list_programs')).texts;
    expect(list).toBe('job: runs: does a job\ndel: asks a person first\npick: runs, some are refused');
    expect((await client.call('help', { program: 'pick' })).texts[0]).toContain(
      'rule no-two refuses: two is too many; pick one',
    );
    const unknown = await client.call('help', { program: 'run' });
    expect(unknown).toEqual({
      isError: true,
      texts: [
        expect.stringMatching(/^There is no program run .*Programs that you may run: job, del, pick\.$/),
      ],
    });
    expect(await client.resources()).toMatchObject([{ uri: 'clawrden://tools/job', name: 'job' }]);
    expect(await client.read('clawrden://tools/job')).toBe('# job\n\nIt does a job.');
    await expect(client.read('clawrden://tools/run')).rejects.toThrow('there is no such resource');
  });

  test('P18: it hears what a program writes as it comes, and what it wrote stands apart from our words', async () => {
    const go = Promise.withResolvers<void>();
    site = await startAgentSite(async (execution) => {
      await write(execution, 'state: ended\nid: forged\n');
      await go.promise;
      await write(execution, 'no grüße\n', 'stderr');
      return exited(3);
    });
    await using client = await connect(site.door.url, site.token);
    const told: string[] = [];
    const onprogress = (message: string) => {
      told.push(message);
      if (told.some((each) => each.startsWith('running'))) go.resolve();
    };
    const done = await client.call('execute', { program: 'job', args: [] }, { onprogress });
    expect(told[0]).toContain('forged');
    expect(told.some((each) => /^running \(\d+ s\)$/.test(each))).toBe(true);
    expect(done.isError).toBe(false);
    expect(done.texts).toEqual([
      expect.stringMatching(/^state: ended\nid: [0-9a-f-]{36}\nexit code: 3\nhost: build-1$/),
      'stdout, 24 bytes:',
      'state: ended\nid: forged\n',
      'stderr, 11 bytes:',
      'no grüße\n',
    ]);
  });

  test('its input and reason go with it, and what a rule denies says which and what to do instead', async () => {
    site = await startAgentSite(async (execution) => {
      const got: Buffer[] = [];
      const end = Promise.withResolvers<void>();
      execution.takeInputs((item) => {
        if (item.type === 'stdin') got.push(Buffer.from(item.bytes));
        if (item.type === 'stdin-end') end.resolve();
      });
      void execution.send({ type: 'credit', bytes: 100 });
      await end.promise;
      await write(execution, Buffer.concat(got).toString());
      return exited();
    });
    await using client = await connect(site.door.url, site.token);
    const done = await client.call('execute', {
      program: 'job',
      args: ['x'],
      stdin: 'all of it',
      reason: 'r',
    });
    expect(done.texts[2]).toBe('all of it');
    expect(site.core.ran).toEqual(['job x']);
    const denied = await client.call('execute', { program: 'pick', args: ['two'] });
    expect(denied.isError).toBe(true);
    expect(denied.texts[0]).toMatch(
      /state: refused\nid: .*\n.*two is too many.*no-two.*pick one.*\(denied-by-rule\)\. help tells/s,
    );
    const unknown = await client.call('execute', { program: 'rm', args: [] });
    expect(unknown.texts[0]).toMatch(/\(tool-unknown\)\. Programs that you may run: job, del, pick\./);
    const mirror = await client.call('execute', { program: 'run', args: [] });
    expect(mirror.texts[0]).toMatch(/\(needs-agent\)\. It runs in your own container only/);
  });

  test('A-50 P10: what asks is answered at once, waits for a person, and runs once it has one', async () => {
    site = await startAgentSite(async (execution) => {
      await write(execution, 'gone\n');
      return exited();
    });
    await using client = await connect(site.door.url, site.token);
    const asked = await client.call('execute', { program: 'del', args: ['x'], reason: 'old' });
    expect(asked.texts[0]).toMatch(
      /^state: waiting for a person\nid: .+\napproval: .+\nexpires: .+\nA person decides/,
    );
    expect(asked.texts[0]).toContain(site.core.approvals.pending()[0]?.id);
    const waiting = client.call('await_execution', { id: idOf(asked) });
    await sleep(20);
    await site.answer('approved');
    expect((await waiting).texts).toEqual([
      expect.stringContaining('exit code: 0'),
      'stdout, 5 bytes:',
      'gone\n',
    ]);
    const again = await client.call('execute', { program: 'del', args: ['y'] });
    await site.answer('denied');
    const denied = await client.call('await_execution', { id: idOf(again) });
    expect(denied).toMatchObject({
      isError: true,
      texts: [expect.stringMatching(/\(denied-by-person\)\. A person/)],
    });
    expect(site.core.ran).toEqual(['del x']);
  });

  test('after its wait it hears that it goes on, and its end later', async () => {
    const go = Promise.withResolvers<void>();
    site = await startAgentSite(async (execution) => {
      await write(execution, 'begun\n');
      await go.promise;
      return exited(5);
    });
    await using client = await connect(site.door.url, site.token);
    const running = await client.call('execute', { program: 'job', args: [], wait: 0.05 });
    const id = idOf(running);
    expect(running.texts).toEqual([expect.stringMatching(/^state: running\nid: .+\nIt goes on/)]);
    const read = await client.call('read_output', { id, stream: 'stdout', from: 0, max: 100 });
    expect(read.texts).toEqual(['stdout, bytes 0 to 6 of 6; it has not ended:', 'begun\n']);
    go.resolve();
    expect((await client.call('await_execution', { id })).texts[0]).toContain('exit code: 5');
  });

  test('a client that gives up cancels it where its protocol says so by a message or by leaving', async () => {
    const { run, reason } = untilStopped();
    site = await startAgentSite(run);
    await using client = await connect(site.door.url, site.token);
    const asked = new AbortController();
    const call = client.call('execute', { program: 'job', args: [] }, { signal: asked.signal });
    await expect.poll(() => site.core.ledger.running()[0]?.state).toBe('running');
    asked.abort();
    await expect(call).rejects.toThrow(/abort/i);
    expect(await reason).toBe('canceled by agent:coder');
  });

  test('who is cut off has canceled by the protocol of 2026 only; the other finds its result', async () => {
    const go = Promise.withResolvers<void>();
    site = await startAgentSite((execution) => abortable(go.promise, execution.signal).then(() => exited(4)));
    const client = await connect(site.door.url, site.token);
    const call = client.call('execute', { program: 'job', args: [] }).catch(() => 'cut');
    await expect.poll(() => site.core.ledger.running()[0]?.state).toBe('running');
    const id = site.core.ledger.running()[0]?.id ?? '';
    await client[Symbol.asyncDispose]();
    expect(await call).toBe('cut');
    await using back = await connect(site.door.url, site.token);
    if (!isModern) await sleep(100);
    else await expect.poll(() => site.core.ledger.running()).toEqual([]);
    go.resolve();
    const { texts } = await back.call('await_execution', { id });
    expect(texts[0]).toContain(isModern ? '(canceled)' : 'exit code: 4');
    expect(site.door.faults()).toBe(0);
  });

  test('cancel_execution ends what it started, and says the same of what others started as of nothing', async () => {
    const { run, reason } = untilStopped();
    site = await startAgentSite(run);
    await using client = await connect(site.door.url, site.token);
    await using other = await connect(site.door.url, site.door.token('agent', { name: 'other' }));
    const id = idOf(await client.call('execute', { program: 'job', args: [], wait: 0 }));
    const words = async (name: string, of: string) =>
      (
        await other.call(name, {
          id: of,
          ...(name === 'read_output' && { stream: 'stdout', from: 0, max: 1 }),
        })
      ).texts
        .join()
        .replace(of, 'ID');
    for (const name of ['await_execution', 'cancel_execution', 'read_output'])
      expect(await words(name, id)).toBe(await words(name, '0199ffff-0000-7000-8000-000000000000'));
    expect((await client.call('cancel_execution', { id })).texts[0]).toContain('state: ended');
    expect(await reason).toBe('canceled by agent:coder');
    expect((await client.call('cancel_execution', { id })).texts[0]).toContain('had ended before');
  });

  test('long output is its beginning and its end, and is read on without a cut character', async () => {
    const all = Array.from({ length: 20_000 }, (_, at) => `zeile ${at} ü\n`).join('');
    site = await startAgentSite(async (execution) => {
      for (let at = 0; at < all.length; at += 5000) await write(execution, all.slice(at, at + 5000));
      return exited();
    });
    await using client = await connect(site.door.url, site.token);
    const done = await client.call('execute', { program: 'job', args: [] });
    const total = Buffer.byteLength(all);
    const [head, , first = '', between = '', last = ''] = done.texts;
    expect(head).toContain('exit code: 0');
    expect(all.startsWith(first) && all.endsWith(last)).toBe(true);
    expect(first.length + last.length).toBeGreaterThan(18_000);
    expect(done.texts.join('').length).toBeLessThan(21_000);
    const id = idOf(done);
    let [text, from] = [first, Number(/"from": (\d+)/.exec(between)?.[1])];
    while (from < total) {
      const { texts } = await client.call('read_output', { id, stream: 'stdout', from, max: 99_999 });
      text += texts[1];
      from = Number(/ to (\d+) of /.exec(texts[0] ?? '')?.[1]);
    }
    expect(text === all).toBe(true);
  });
});
