import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { followedWorkspace, keptOf, Site } from './site.ts';

const patience = () => AbortSignal.timeout(60_000);
const { sync } = followedWorkspace;
const keepTool = { ...sync.carried, conflicts: 'keep-tool' as const };

async function working(site: Site) {
  writeFileSync(join(site.home.root, 'both'), 'home');
  const visit = site.visit('one');
  await visit.settle(patience());
  writeFileSync(join(site.replicas.one.root, 'both'), "the tool's");
  return visit;
}

test('12: what a person changes in gateway.yaml while a command runs holds for what it brings home', async () => {
  await using site = new Site('/dev/shm');
  const visit = await working(site);
  writeFileSync(join(site.home.root, 'both'), "the agent's");
  const carried = { ...keepTool, excludes: ['target'] };
  site.workspace = { ...followedWorkspace, sync: { ...sync, carried } };
  expect(await visit.bringHome(patience())).toBeDefined();
  expect(site.told).toMatchObject([{ files: [{ why: 'replaced' }] }]);
  expect(site.carried.map(({ excludes }) => excludes)).toEqual([[], ['target']]);
  expect(site.difference('one')).toBe('');
  visit.end();
});

test('A-568 P13: what home kept is told although the host goes away before it hears of that', async () => {
  await using site = new Site('/dev/shm');
  const visit = await working(site);
  writeFileSync(join(site.home.root, 'both'), "the agent's");
  site.workspace = { ...followedWorkspace, sync: { ...sync, carried: keepTool } };
  site.leaving.add('one');
  await expect(visit.bringHome(patience())).rejects.toMatchObject({ code: 'workspace-unreachable' });
  visit.end();
  expect(site.told).toMatchObject([{ why: 'conflict', files: [{ why: 'replaced' }] }]);
  expect(keptOf(site.home)).toEqual(new Set(["the agent's"]));
});

test.each([
  ['another folder', { ...followedWorkspace, source: '/srv/other' }],
  ['a volume', { ...followedWorkspace, kind: 'volume' as const }],
  ['no replica', { ...followedWorkspace, sync: undefined as unknown as typeof sync }],
])('12: an agent that has %s now gets nothing there of a command that began before', async (_what, now) => {
  await using site = new Site('/dev/shm');
  const visit = await working(site);
  writeFileSync(join(site.replicas.one.root, 'new'), "the tool's");
  site.workspace = now;
  await expect(visit.bringHome(patience())).rejects.toMatchObject({ code: 'workspace-unreachable' });
  visit.end();
  expect(existsSync(join(site.home.root, 'new'))).toBe(false);
  site.workspace = followedWorkspace;
  const next = site.visit('one');
  await next.settle(patience());
  next.end();
  expect(site.told).toMatchObject([{ why: 'late' }]);
  expect(keptOf(site.home)).toEqual(new Set(["the tool's"]));
});
