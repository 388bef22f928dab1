import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeLabelled, labelProblem } from './agent-container.ts';

const keys = { agent: 'clawrden.agent', gateway: 'clawrden.gateway' } as const;
const oneOf = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const agent = oneOf('coder', 'other', '');
const gateway = oneOf('gw', 'gw2', '');
const containers = fc.array(
  fc.record({
    image: fc.record({ agent, gateway }),
    created: fc.record({ agent, gateway }),
    gone: fc.boolean(),
    listed: fc.boolean(),
  }),
  { maxLength: 4 },
);
type Labels = { readonly agent: string | undefined; readonly gateway: string | undefined };
type Container = { readonly image: Labels; readonly created: Labels; gone: boolean; listed: boolean };

/** An engine shows no table, or `null`, for a thing without labels. */
function table({ agent: a, gateway: g }: Labels): Record<string, string> | null {
  if (a === undefined && g === undefined) return null;
  return { ...(a !== undefined && { [keys.agent]: a }), ...(g !== undefined && { [keys.gateway]: g }) };
}

const judge = async (all: readonly Container[]) => {
  const listed = all.map(({ image, created, listed: isListed }, index) => ({
    Id: `${index}`.repeat(64),
    Names: [`/${isListed ? 'mine' : 'c'}-${index}`],
    ImageID: `${index}`,
    Labels: table({ agent: created.agent ?? image.agent, gateway: created.gateway ?? image.gateway }),
  }));
  const named = ['mine-0', 'mine-1', 'mine-2', 'mine-3'];
  const imageOf = async (id: string) => {
    const { image, gone } = all[Number(id)]!;
    return gone ? undefined : { Config: { Labels: table(image) } };
  };
  return await judgeLabelled(listed, { agent: 'coder', named, imageOf });
};

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 50_000 : 1_000;

describe('whose a container with the label is', () => {
  test('P2: it is the agent’s if its creation says so and its image does not, and only one can be used', async () => {
    await fc.assert(
      fc.asyncProperty(containers, async (all) => {
        const judged = await judge(all);
        const own = judged.filter(({ claim }) => claim === 'own').map(({ name }) => name);
        const wanted = all.flatMap(({ image, created, gone, listed }, index) =>
          created.agent === 'coder' &&
          image.agent !== 'coder' &&
          created.gateway === undefined &&
          image.gateway === undefined &&
          !gone &&
          !listed
            ? [`c-${index}`]
            : [],
        );
        expect(own).toEqual(wanted);
        expect(labelProblem('coder', judged) === '').toBe(wanted.length === 1);
      }),
      { numRuns },
    );
  });

  test('P19: a gateway’s container is not judged at all, and an image cannot make one of an agent’s container', async () => {
    await fc.assert(
      fc.asyncProperty(containers, async (all) => {
        const judged = new Map((await judge(all)).map(({ name, claim }) => [name, claim]));
        for (const [index, { image, created, gone, listed }] of all.entries()) {
          if (gone || listed || image.agent === 'coder' || created.agent !== 'coder') continue;
          const isGateways = created.gateway !== undefined && created.gateway !== image.gateway;
          const claim = image.gateway === undefined ? 'own' : 'unknown';
          expect(judged.get(`c-${index}`)).toBe(isGateways ? undefined : claim);
        }
      }),
      { numRuns },
    );
  });

  const none = { agent: undefined, gateway: undefined };
  const ghost = { agent: 'coder', gateway: 'gw' };
  const mine = { agent: 'coder', gateway: undefined };
  const marked = { agent: undefined, gateway: 'gw' };
  test.each([
    ['beside two ghosts, one of an image that another gateway’s ghost became', none, ['own']],
    ['of an image that docker commit made of a ghost', ghost, ['inherited']],
    ['of an image with the gateway’s label', marked, ['unknown']],
  ])('P19: the agent’s container %s', async (_title, image, claims) => {
    const of = (one: Labels, created: Labels) => ({ image: one, created, gone: false, listed: false });
    const ghosts = [of(none, ghost), of({ ...ghost, gateway: 'gw2' }, ghost)];
    const judged = await judge([...ghosts, of(image, mine)]);
    expect(judged.map(({ claim }) => claim)).toEqual(claims);
  });

  test('each image is looked at once, however many ghosts are of it', async () => {
    const looked: string[] = [];
    const imageOf = async (id: string) => {
      looked.push(id);
      return { Config: { Labels: null } };
    };
    const listed = Array.from({ length: 100 }, (_, index) => ({
      ...{ Id: `${index}`, Names: [`/c-${index}`], ImageID: `${index % 2}` },
      Labels: { [keys.agent]: index === 99 ? 'other' : 'coder', ...(index > 0 && { [keys.gateway]: 'gw' }) },
    }));
    const judged = await judgeLabelled(listed, { agent: 'coder', named: [], imageOf });
    expect(judged).toEqual([{ id: '0', name: 'c-0', claim: 'own' }]);
    expect(looked.toSorted()).toEqual(['0', '1']);
  });
});
