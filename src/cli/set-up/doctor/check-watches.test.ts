import { expect, test } from 'vitest';
import { checkWatches, judgeWatches } from './check-watches.ts';

const need = { uid: 1000, homes: 2, entries: 400_000 };
const enough = { watches: 400_000, instances: 128 };

test('as many watches as entries are enough, one fewer is told with the value to set', () => {
  expect(judgeWatches(enough, [need])).toMatchObject([{ level: 'ok' }]);
  expect(judgeWatches({ ...enough, watches: 399_999 }, [need])).toMatchObject([
    {
      level: 'warning',
      text: 'user 1000 has 399999 of inotify, and its workspaces up to 400000 entries',
      fix: 'sysctl -w fs.inotify.max_user_watches=400000',
    },
  ]);
});

test('each carrier needs an instance', () => {
  expect(judgeWatches({ ...enough, instances: 1 }, [need])).toMatchObject([
    { level: 'warning', fix: 'sysctl -w fs.inotify.max_user_instances=130' },
  ]);
});

test('each user is counted alone, and this kernel has limits', async () => {
  const other = { uid: 1001, homes: 1, entries: 400_001 };
  expect(judgeWatches(enough, [need, other]).map(({ level }) => level)).toEqual(['ok', 'warning']);
  expect(await checkWatches([{ uid: 1000, homes: 1, entries: 1 }])).toMatchObject([{ level: 'ok' }]);
});
