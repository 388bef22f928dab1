import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

const item = (name: string) => ({ owner: name.slice(0, 1), name });
const names = (queue: FairQueue<ReturnType<typeof item>>) => [...queue.inTurn()].map(({ name }) => name);

test('everybody has a line, and the lines take turns', () => {
  const queue = new FairQueue<ReturnType<typeof item>>();
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item(name));
  expect(names(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  const [first] = queue.inTurn();
  if (first !== undefined) queue.served(first);
  expect(names(queue)).toEqual(['b1', 'c1', 'a2', 'b2', 'a3']);
});

test('served in turn, nobody is served twice before another who waits is served once', () => {
  const owners = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 });
  fc.assert(
    fc.property(owners, (sequence) => {
      const queue = new FairQueue<ReturnType<typeof item>>();
      sequence.forEach((owner, index) => queue.push(item(`${owner}${index}`)));
      expect(names(queue)).toHaveLength(sequence.length);
      const served: string[] = [];
      for (let [next] = queue.inTurn(); next !== undefined; [next] = queue.inTurn()) {
        const waiting = new Set([...queue.inTurn()].map(({ owner }) => owner));
        const since = served.lastIndexOf(next.owner);
        const between = new Set(served.slice(since + 1));
        if (since !== -1)
          expect([...waiting].filter((owner) => owner !== next?.owner && !between.has(owner))).toEqual([]);
        served.push(next.owner);
        queue.served(next);
      }
      expect(served).toHaveLength(sequence.length);
      expect(queue.size).toBe(0);
    }),
  );
});

test('who gives up is gone from his line', () => {
  const queue = new FairQueue<ReturnType<typeof item>>();
  const [one, two] = [item('a1'), item('a2')];
  queue.push(one);
  queue.push(two);
  expect([queue.remove(one), queue.remove(one), queue.size]).toEqual([true, false, 1]);
  expect(names(queue)).toEqual(['a2']);
});
