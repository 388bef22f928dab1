import { expect, test } from 'vitest';
import { checkWatches, judgeWatches } from './check-watches.ts';

const need = { uid: 1000, entries: [150_000, 250_000] };
const enough = { watches: 500_000, instances: 128 };

test('twice the largest workspace is enough for two, one watch fewer is told with the value to set', () => {
  expect(judgeWatches(enough, [need])).toMatchObject([{ level: 'ok' }]);
  expect(judgeWatches({ ...enough, watches: 499_999 }, [need])).toMatchObject([
    {
      level: 'warning',
      text: 'user 1000 has 499999 of inotify, and its workspaces up to 400000 entries',
      fix: 'sysctl -w fs.inotify.max_user_watches=500000',
    },
  ]);
});

test('three workspaces may need all of their entries', () => {
  const three = { uid: 1000, entries: [200_000, 200_000, 200_000] };
  expect(judgeWatches(enough, [three])).toMatchObject([
    { fix: 'sysctl -w fs.inotify.max_user_watches=600000' },
  ]);
});

test('each carrier needs an instance', () => {
  expect(judgeWatches({ ...enough, instances: 1 }, [need])).toMatchObject([
    { level: 'warning', fix: 'sysctl -w fs.inotify.max_user_instances=130' },
  ]);
});

test('each user is counted alone, and this kernel has limits', async () => {
  const other = { uid: 1001, entries: [250_001] };
  expect(judgeWatches(enough, [need, other]).map(({ level }) => level)).toEqual(['ok', 'warning']);
  expect(await checkWatches([{ uid: 1000, entries: [1] }])).toMatchObject([{ level: 'ok' }]);
});
