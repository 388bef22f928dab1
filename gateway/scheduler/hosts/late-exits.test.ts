import { afterEach, expect, test, vi } from 'vitest';
import type { AuditRecord } from '../../audit/audit-record.ts';
import type { EngineEvent } from '../../ports/engine.ts';
import type { ExecutionRecord } from '../../ports/execution-record.ts';
import { type GhostlyEngine, ghostlyEngine } from '../warm/waiting-ghost.fixture.ts';
import { DockerHost } from './docker-host.ts';
import { createLateExits } from './late-exits.ts';

afterEach(() => void vi.useRealTimers());

function hostOn(engine: GhostlyEngine): DockerHost {
  const config = { name: 'build-1', engine: 'unix:///none', labels: {}, slots: 1, warm: 0, starts: 1 };
  return new DockerHost(config, engine);
}

/** The part of a record that the test checks. */
function lost(container: string, timeoutMs = 60_000): ExecutionRecord {
  const ids = { id: `execution of ${container}`, caller: 'relay:host-1', agent: 'coder' };
  return { ...ids, host: 'build-1', container, plan: JSON.stringify({ timeoutMs }) } as ExecutionRecord;
}

const ended = (containerId: string, exitCode: number | undefined): EngineEvent => ({
  ...{ type: 'container-ended', containerId, exitCode, at: 1 },
});

test('the exit code of a command that was lost with its host goes to the audit once it is heard, and once', () => {
  const records: AuditRecord[] = [];
  const lateExits = createLateExits(
    (entry) => records.push(entry),
    () => true,
  );
  const host = hostOn(ghostlyEngine('build-1'));
  lateExits.expect(host, lost('c1'));
  lateExits.hear(host, ended('another', 1));
  expect(records).toEqual([]);
  lateExits.hear(host, ended('c1', 7));
  lateExits.hear(host, ended('c1', 7));
  expect(records).toMatchObject([
    {
      type: 'late-exit',
      execution: 'execution of c1',
      agent: 'coder',
      host: 'build-1',
      container: 'c1',
      code: 7,
    },
  ]);
});

test('A-427 P24: an end whose exit code cannot be is in the audit, without a code', () => {
  const records: AuditRecord[] = [];
  const lateExits = createLateExits(
    (entry) => records.push(entry),
    () => true,
  );
  const host = hostOn(ghostlyEngine('build-1'));
  lateExits.expect(host, lost('c1'));
  lateExits.hear(host, ended('c1', undefined));
  expect(records).toMatchObject([{ container: 'c1', text: expect.stringContaining('does not say') }]);
  expect(records[0]).not.toHaveProperty('code');
});

test('a host that is back is asked what happened meanwhile; what it does not know is told as unknown', async () => {
  const records: AuditRecord[] = [];
  const lateExits = createLateExits(
    (entry) => records.push(entry),
    () => true,
  );
  const engine = ghostlyEngine('build-1');
  const asked: object[] = [];
  engine.watch = async ({ since, until, onEvent }) => {
    asked.push({ since, until });
    onEvent(ended('c1', 137));
  };
  const host = hostOn(engine);
  await lateExits.recall(host, { from: 10, until: 20 });
  expect(asked).toEqual([]);
  lateExits.expect(host, lost('c1'));
  lateExits.expect(host, lost('c2'));
  lateExits.expect(hostOn(engine), lost('elsewhere'));
  await lateExits.recall(host, { from: 10, until: 20 });
  // that sweep began before it was lost.
  host.cleanedAt = performance.now() - 60_000;
  lateExits.giveUp(host);
  expect(records).toHaveLength(1);
  host.cleanedAt = performance.now();
  lateExits.giveUp(host);
  expect(asked).toEqual([{ since: 10, until: 20 }]);
  expect(records).toMatchObject([
    { container: 'c1', code: 137 },
    { container: 'c2', text: expect.stringMatching(/is unknown/) },
  ]);
  expect(records[1]).not.toHaveProperty('code');
});

test('what an earlier gateway lost may be running until its init has ended it, or a host of that name was cleaned', () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  const records: AuditRecord[] = [];
  const lateExits = createLateExits(
    (entry) => records.push(entry),
    () => true,
  );
  const since = (seconds: number) => ({ startedAt: Date.now() - seconds * 1000, endedAt: Date.now() });
  lateExits.expectThere({ ...lost('over', 5_000), ...since(16) });
  lateExits.expectThere({ ...lost('soon', 5_000), ...since(1) });
  lateExits.expectThere({ ...lost('later', 60_000), ...since(1) });
  lateExits.expectThere({ ...lost('elsewhere'), ...since(-100), host: 'build-2' });
  lateExits.expectThere({ ...lost('no plan'), startedAt: undefined, endedAt: 1, plan: '', host: 'build-2' });
  const running = () => lateExits.running().map(({ container }) => container);
  expect(running()).toEqual(['soon', 'later', 'elsewhere', 'no plan']);
  vi.advanceTimersByTime(15_000);
  expect(running()).toEqual(['later', 'elsewhere', 'no plan']);
  const cleaned = hostOn(ghostlyEngine('build-1'));
  cleaned.cleanedAt = performance.now();
  lateExits.giveUp(cleaned);
  expect(running()).toEqual(['elsewhere', 'no plan']);
  expect(records).toMatchObject([{ container: 'soon' }, { container: 'later', host: 'build-1' }]);
  vi.advanceTimersByTime(86_400_000);
  expect(running()).toEqual(['no plan']);
});

test('a command whose plan was too long to be kept may be running without an end', () => {
  const lateExits = createLateExits(
    () => {},
    () => true,
  );
  lateExits.expect(hostOn(ghostlyEngine('build-1')), { ...lost('c1'), plan: '' });
  expect(lateExits.running()).toHaveLength(1);
});

test('one may be running until it is heard of, and no longer than its init lets it', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lateExits = createLateExits(
    () => {},
    () => true,
  );
  const host = hostOn(ghostlyEngine('build-1'));
  lateExits.expect(host, lost('c1', 5_000));
  lateExits.expect(host, lost('c2', 60_000));
  lateExits.expect(host, lost('c3', 0));
  const running = () => lateExits.running().map(({ container }) => container);
  expect(running()).toEqual(['c1', 'c2', 'c3']);
  vi.advanceTimersByTime(15_000);
  expect(running()).toEqual(['c2', 'c3']);
  lateExits.hear(host, ended('c2', 0));
  vi.advanceTimersByTime(86_400_000);
  expect(running()).toEqual(['c3']);
});

test('A-326 P19: a command on a host that has left is heard of by the next host of its name, and by no other engine', async () => {
  const records: AuditRecord[] = [];
  const hosts = [hostOn(ghostlyEngine('build-1'))];
  const [first] = hosts as [DockerHost];
  const lateExits = createLateExits(
    (entry) => records.push(entry),
    (host) => hosts.includes(host),
  );
  lateExits.expect(first, lost('c1', 0));
  lateExits.expect(first, lost('c2', 0));
  const again = hostOn(ghostlyEngine('build-1'));
  hosts.push(again);
  // While the first one is there, its containers are its own.
  lateExits.hear(again, ended('c1', 7));
  expect(records).toEqual([]);
  hosts.shift();
  const config = { name: 'build-2', engine: 'unix:///none', labels: {}, slots: 1, warm: 0, starts: 1 };
  lateExits.hear(new DockerHost(config, ghostlyEngine('build-2')), ended('c1', 7));
  expect(records).toEqual([]);
  lateExits.hear(again, ended('c1', 7));
  again.cleanedAt = performance.now();
  lateExits.giveUp(again);
  expect(records).toMatchObject([{ container: 'c1', code: 7 }, { container: 'c2' }]);
  expect(lateExits.running()).toEqual([]);
});
