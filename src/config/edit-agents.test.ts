import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { addAgent, removeAgent, type WrittenAgent } from './edit-agents.ts';
import { parseGatewayConfig } from './load-gateway-config.ts';

const runs = process.env['CLAWRDEN_LONG'] === '1' ? 400 : 40;
const gatewayYaml = `# Who may ask.
agents:
  - name: coder
    relay: host-1
    users: ["1000:1000"]
    workspace: { volume: coder-app } # or a folder
    # hosts: { zone: a }
`;
const file = '/etc/clawrden/gateway.yaml';
const agent: WrittenAgent = { name: 'new', relay: 'host-2', users: ['1001:1001'], labels: { team: 'web' } };
const lines = `  - name: new
    relay: host-2
    users:
      - 1001:1001
    labels:
      team: web
`;

const add = (text: string, more: WrittenAgent = agent) => addAgent(text, file, more).text;
const remove = (text: string, name: string) => removeAgent(text, file, name).text;
const namesIn = (text = '') => parseGatewayConfig(text, file).agents.map(({ name }) => name);

test('an agent is added behind the others, before what follows them; every other byte stays, and goes back', () => {
  const tail = '\n# the end\nlimits: { running:   3 }   # why\n';
  const added = add(`${gatewayYaml}${tail}`);
  expect(added).toBe(`${gatewayYaml}${lines}${tail}`);
  expect(remove(added ?? '', 'new')).toBe(`${gatewayYaml}${tail}`);
});

test.each([
  ['', `agents:\n${lines}`],
  ['agents: []   # none yet\n# more\n', `agents:   # none yet\n${lines}# more\n`],
  ['agents: []', `agents:\n${lines}`],
  ['agents:\n- {name: a, relay: r, users: ["1:1"]}', undefined],
  ['agents: [{name: a, relay: r, users: ["1:1"]}]\n', undefined],
  ['{"agents":[]}', undefined],
  ['agents:\n  -\n    # its name - and more\n    name: a\n    users: ["1:1"]\n    relay: r # - x', undefined],
])('a first or further agent has its place in %j', (text, wanted) => {
  const known = text === '' ? 'state: .\n' : text;
  const added = add(known);
  if (wanted !== undefined) expect(added).toBe(text === '' ? `${known}${wanted}` : wanted);
  expect(namesIn(added).at(-1)).toBe('new');
  expect(namesIn(remove(added ?? '', 'new'))).toEqual(namesIn(known));
});

test('A-637: the first agent stands above complete, which stays the last key, with what is said of it', () => {
  const end = '# It is whole.\n# Really.\ncomplete: true # yes\n';
  for (const begin of ['state: .\n', 'state: .\n# why\n\n', ''])
    expect(add(`${begin}${end}`)).toBe(`${begin}agents:\n${lines}${end}`);
  expect(add('complete: true')).toBe(`agents:\n${lines}complete: true`);
});

test('the last agent leaves an empty list, and its warm ghosts leave with it', () => {
  const text = `agents: # ours
- name: a # it
  relay: r
  users: ["1:1"]
  # hosts: { zone: a }
# others
warm:
- { agent: a, tool: npm, size: 1 }
`;
  expect(remove(text, 'a')).toBe('agents: [] # ours\n# others\nwarm: []\n');
});

test('what cannot be edited, or would be wrong, is not: the lines are told, or every problem', () => {
  expect(addAgent('{ "state": "." }', file, agent)).toEqual({ lines, toDo: 'put these lines under agents:' });
  expect(addAgent('agents: [{name: a, relay: r, users: ["1:1"]},]', file, agent).text).toBeUndefined();
  expect(() => add(gatewayYaml, { ...agent, name: 'coder' })).toThrow(
    'another agent is named "coder" already',
  );
  expect(() => add(gatewayYaml, { ...agent, users: ['0:0'] })).toThrow('uid 0 is never accepted');
  expect(() => add('agents: x', agent)).toThrow('must be a list');
  expect(() => remove(gatewayYaml, 'codr')).toThrow('nearest valid agent is "coder"');
});

describe('however a file is written', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
  const one = fc.record({ name, relay: name, users: fc.constant(['1:1']) });
  const style = fc.record({
    indent: fc.constantFrom(2, 4),
    indentSeq: fc.boolean(),
    collectionStyle: fc.constantFrom<'any' | 'flow'>('any', 'flow'),
    aliasDuplicateObjects: fc.constant(false),
    defaultStringType: fc.constantFrom<'PLAIN' | 'QUOTE_DOUBLE'>('PLAIN', 'QUOTE_DOUBLE'),
  });
  const many = fc.uniqueArray(one, { selector: (each) => each.name, maxLength: 4 });

  test('an agent that is added and removed is the only change, and no comment goes', () => {
    fc.assert(
      fc.property(many, style, fc.boolean(), fc.boolean(), (agents, options, before, isPlain) => {
        const warm = agents.map((each) => ({ agent: each.name, tool: 'x', size: 1 }));
        const value = before ? { warm, agents } : { agents, warm };
        const plain = stringify(value, options);
        const text =
          options.collectionStyle === 'flow' || isPlain ? plain : plain.replaceAll('\n', ' # c\n# d\n');
        const added = add(text, { ...agent, name: 'new-one' });
        expect(namesIn(added)).toEqual([...agents.map((each) => each.name), 'new-one']);
        expect(namesIn(remove(added ?? '', 'new-one'))).toEqual(namesIn(text));
        const marks = (left = '') => left.split('# d').length;
        expect(marks(added)).toBe(marks(text));
        for (const each of agents) {
          const left = remove(text, each.name);
          expect(namesIn(left)).toEqual(agents.filter((other) => other !== each).map((other) => other.name));
        }
      }),
      { numRuns: runs },
    );
  });
});
