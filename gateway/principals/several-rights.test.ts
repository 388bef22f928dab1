import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChangeType, GatewayEvent } from '../ports/events.ts';
import { ladder, type Principal, type Right } from '../ports/principal.ts';
import { callRules, permit } from './call-rules.ts';
import { createHears } from './hears.ts';
import { createSees } from './sees.ts';

const numRuns = process.env['CLAWRDEN_LONG'] ? 5000 : 200;

const labels = fc.dictionary(fc.constantFrom('team', 'zone'), fc.constantFrom('a', 'b'), { maxKeys: 2 });
const right: fc.Arbitrary<Right> = fc.record({ role: fc.constantFrom(...ladder), scope: labels });
const rights = fc.array(right, { minLength: 1, maxLength: 4 });
const agents = fc
  .array(labels, { minLength: 1, maxLength: 5 })
  .map(
    (all) => new Map(all.map((its, index) => [`agent-${index}`, { name: `agent-${index}`, labels: its }])),
  );

function person([first, ...also]: readonly Right[]): Principal {
  return { kind: 'person', name: 'ann', ...(first ?? { role: 'viewer', scope: { team: 'none' } }), also };
}

test('A-120: of several rights a call needs one that permits it by itself, for each agent', () => {
  fc.assert(
    fc.property(rights, agents, fc.constantFrom(...callRules.keys(), 'GET /nothing'), (its, known, call) => {
      const alone = its.map((each) => permit(person([each]), call));
      const together = permit(person(its), call);
      expect('value' in together).toBe(alone.some((each) => 'value' in each));
      if ('refused' in together) return;
      const sees = createSees(together.value, () => known);
      for (const name of known.keys()) {
        const byOne = alone.some(
          (each) => 'value' in each && createSees(each.value, () => known).agent(name),
        );
        expect([name, sees.agent(name)]).toEqual([name, byOne]);
      }
      expect(sees.all).toBe(alone.some((each) => 'value' in each && createSees(each.value, () => known).all));
    }),
    { numRuns },
  );
});

test('A-120: events come by one right each, too', () => {
  const types: ChangeType[] = ['execution', 'approval', 'agent', 'host', 'status', 'policy'];
  fc.assert(
    fc.property(rights, agents, fc.constantFrom(...types), (its, known, type) => {
      const within = (caller: Principal) => createSees(caller, () => known);
      const hears = (caller: Principal) => createHears(caller, within(caller), within);
      for (const agent of ['', ...known.keys()]) {
        const event = { change: { type }, agent, caller: '' } as unknown as GatewayEvent;
        const byOne = its.some((each) => hears(person([each]))(event));
        expect([agent, hears(person(its))(event)]).toEqual([agent, byOne]);
      }
    }),
    { numRuns },
  );
});

test('A-120: what only one right permits is not widened by the scope of another', () => {
  const web = { role: 'operator', scope: { team: 'web' } } as const;
  const all = { role: 'viewer', scope: {} } as const;
  for (const its of [
    [web, all],
    [all, web],
  ]) {
    expect(permit(person(its), 'PUT /api/v1/lockdown')).toEqual({
      refused: 'this is about more than the agents of your scope',
    });
    expect(permit(person(its), 'PUT /api/v1/agents/{name}/state')).toMatchObject({
      value: { role: 'operator', scope: { team: 'web' } },
    });
    expect(permit(person(its), 'GET /api/v1/status')).toMatchObject({ value: { role: 'viewer', scope: {} } });
  }
});
