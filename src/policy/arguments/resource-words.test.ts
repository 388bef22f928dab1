import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resourcesIn } from './resource-words.ts';

const resources = { names: new Map(), categories: new Map() } as unknown as Parameters<typeof resourcesIn>[1];

test('A-539 P7: a kind counts behind any number of others, repeated or not, or nothing of the line is understood', () => {
  const kind = fc.constantFrom('po', 'svc', 'ns', 'deploy');
  const kinds = fc.tuple(kind, fc.nat(400)).map(([word, count]) => Array<string>(count).fill(word));
  fc.assert(
    fc.property(
      fc.oneof(kinds, fc.array(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 150 })),
      (before) => {
        const found = resourcesIn([[...before, 'secrets'].join(',')], resources);
        expect(found === undefined || found.kinds.has('secrets')).toBe(true);
      },
    ),
  );
  expect(resourcesIn([`${'po,'.repeat(102)}secrets`], resources)?.kinds.has('secrets')).toBe(true);
});
