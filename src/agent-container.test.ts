import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeLabelled, labelProblem } from './agent-container.ts';

const key = 'clawrden.agent';
const label = fc.option(fc.constantFrom('coder', 'other', ''), { nil: undefined });
const containers = fc.array(
  fc.record({ image: label, created: label, gone: fc.boolean(), listed: fc.boolean() }),
  { maxLength: 4 },
);

test('P2: a container is an agent’s if its creation says so and its image does not, and only one can be used', async () => {
  const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 50_000 : 1_000;
  await fc.assert(
    fc.asyncProperty(containers, async (all) => {
      const listed = all.map(({ image, created, listed: isListed }, index) => {
        const value = created ?? image;
        const name = `${isListed ? 'mine' : 'c'}-${index}`;
        return {
          Id: `${index}`.repeat(64),
          Names: [`/${name}`],
          ImageID: `${index}`,
          Labels: value === undefined ? null : { [key]: value },
        };
      });
      const named = ['mine-0', 'mine-1', 'mine-2', 'mine-3'];
      const imageOf = async (id: string) => {
        const { image, gone } = all[Number(id)]!;
        return gone ? undefined : { Config: { Labels: image === undefined ? null : { [key]: image } } };
      };
      const judged = await judgeLabelled(listed, { agent: 'coder', named, imageOf });
      const own = judged.filter(({ claim }) => claim === 'own').map(({ name }) => name);
      const wanted = all.flatMap(({ image, created, gone, listed: isListed }, index) =>
        created === 'coder' && image !== 'coder' && !gone && !isListed ? [`c-${index}`] : [],
      );
      expect(own).toEqual(wanted);
      expect(labelProblem('coder', judged) === '').toBe(wanted.length === 1);
    }),
    { numRuns },
  );
});
