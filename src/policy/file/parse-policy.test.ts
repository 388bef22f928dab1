import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { noReach } from '../../egress/reach.ts';
import { checkPolicy } from '../review/check-policy.ts';
import { loadPolicy, parsePolicy } from './parse-policy.ts';

const example = fileURLToPath(new URL('../../../policy.yaml', import.meta.url));

const tools = 'tools:\n  npm: { strategy: ghost, image: "node:24" }\n  ls: { strategy: mirror }\n';
const start = `version: 1\n${tools}`;
const end = 'complete: true\n';

function problemsOf(text: string): string {
  const result = parsePolicy(text, 'p.yaml');
  return 'problems' in result ? result.problems.join('\n') : '';
}

test('the example policy loads with everything filled in, and passes its own check', () => {
  const policy = loadPolicy(example);
  expect(policy).toMatchObject({
    version: 1,
    hash: createHash('sha256').update(readFileSync(example)).digest('hex'),
    defaultAction: 'deny',
    workspace: '/app',
    timeoutMs: 300_000,
    approvalExpiresMs: 600_000,
    environment: ['LANG', 'LC_*', 'TERM', 'TZ', 'NODE_ENV', 'CI'],
    warnings: [],
  });
  expect(policy.tools.get('npm')).toEqual({
    name: 'npm',
    isolation: 'ghost',
    environment: [],
    record: 'none',
    workspace: 'write',
    liveMs: 0,
    forbidden: '',
    strategy: 'ghost',
    image: 'node:24',
    network: 'clawrden-egress',
    reach: noReach,
    egressUpBytes: 0,
    egressDownBytes: 0,
    secrets: new Map(),
    unmasked: false,
    memoryBytes: 2 * 1024 ** 3,
    cpus: 2,
    pids: 512,
    outputBytes: 0,
    fileBytes: 0,
    stdin: 'none',
    timeoutMs: 300_000,
    idleTimeoutMs: 0,
  });
  expect(policy.tools.get('git')).toMatchObject({
    network: 'none',
    stdin: 'pipe',
    otherwise: 'ask',
    pids: 256,
  });
  expect(checkPolicy(policy).errors).toEqual([]);
});

test('the hash changes with every byte of the file', () => {
  const hashOf = (text: string): string => {
    const result = parsePolicy(text, 'p.yaml');
    if ('problems' in result) throw new Error('refused');
    return result.policy.hash;
  };
  expect(hashOf(`${start}${end}`)).not.toBe(hashOf(`${start}# x\n${end}`));
});

test.each([
  ['', 'p.yaml:1: the file is empty'],
  ['# only a comment\n', 'p.yaml:1: the file is empty'],
  ['version: 1\n', 'complete: is missing: the file may be half-written'],
  [`${start}complete: false\n`, 'complete: must be true'],
  [`version: 1\n${end}${tools}`, 'p.yaml:2: complete: must be the last line of the file'],
  [`${start}default: deny\ndefault: ask\n${end}`, 'the key "default" is there twice'],
  [`${start}rulez: []\n${end}`, 'p.yaml:5: rulez: is not a known key (nearest valid key is "rules")'],
  [`${start}default: no\n${end}`, 'default: must be one of allow, ask, deny'],
  [`${start}timeout: -1\n${end}`, 'timeout: must be a text, not a number'],
  [`${start}timeout: "-1"\n${end}`, 'timeout: must be a duration like 30s'],
  [`${start}timeout: 0s\n${end}`, 'timeout: must be a duration like 30s'],
  [`${start}timeout: 30d\n${end}`, 'of at most 7d'],
  [`${start}workspace: app\n${end}`, 'workspace: must be an absolute path'],
  [`${start}workspace: /\n${end}`, 'workspace: must be an absolute path other than /'],
  [`${start}environment: { allow: ["*"] }\n${end}`, 'must be the name of an environment variable'],
  [`${start}environment: { allow: ["A*B"] }\n${end}`, 'must be the name of an environment variable'],
  [
    `${start}rules: [{ name: a, action: alow }]\n${end}`,
    'rules[0].action: must be one of allow, ask, deny (nearest',
  ],
  [`${start}rules: [{ name: a }]\n${end}`, 'rules[0].action: is missing'],
  [`${start}rules: [{ action: allow }]\n${end}`, 'rules[0].name: is missing'],
  [`${start}rules: [{ name: default, action: deny }]\n${end}`, '"default" is no name for a rule'],
  [
    `${start}rules:\n  - { name: a, action: ask }\n  - { name: a, action: ask }\n${end}`,
    'p.yaml:7: rules[1].name: another',
  ],
  [
    `${start}rules: [{ name: a, tools: [npn], action: ask }]\n${end}`,
    'the tool "npn" is not defined under tools (nearest valid tool is "npm")',
  ],
  [`${start}rules: [{ name: a, tools: ["*"], action: ask }]\n${end}`, 'the tool "*" is not defined'],
  [`${start}rules: [{ name: a, tools: [], action: ask }]\n${end}`, 'rules[0].tools: must not be empty'],
  [`${start}rules: [{ name: a, uids: [], action: deny }]\n${end}`, 'rules[0].uids: must not be empty'],
  [`${start}rules: [{ name: a, uids: [-1], action: deny }]\n${end}`, 'rules[0].uids[0]: must be at least 0'],
  [`${start}rules: [{ name: a, flags: [g], action: deny }]\n${end}`, 'must be a flag like -g or --global'],
  [`${start}rules: [{ name: a, flags: ["--"], action: deny }]\n${end}`, 'must be a flag like -g or --global'],
  [
    `${start}rules: [{ name: a, flags: ["-g=1"], action: deny }]\n${end}`,
    'must be a flag like -g or --global',
  ],
  [
    `${start}rules: [{ name: a, args: install, action: deny }]\n${end}`,
    'rules[0].args: must be a list, not a text',
  ],
  [
    `${start}rules: [{ name: a, arg: [x], action: deny }]\n${end}`,
    'rules[0].arg: is not a known key (nearest valid key is "args")',
  ],
  [`${start}rules: [{ name: a, action: deny, reason: "a\\nb" }]\n${end}`, 'must be one line'],
  [
    'version: 1\ntools: { npm: { strategy: ghost } }\ncomplete: true\n',
    'tools.npm.image: is missing: a ghost runs in an image',
  ],
  [
    'version: 1\ntools: { ls: { strategy: mirror, image: x } }\ncomplete: true\n',
    'tools.ls.image: has no effect with strategy mirror',
  ],
  [
    'version: 1\ntools: { ls: { strategy: passthrough, timeout: 5m } }\ncomplete: true\n',
    'tools.ls.timeout: has no effect',
  ],
  [
    'version: 1\ntools: { ls: { strategy: chroot } }\ncomplete: true\n',
    'tools.ls.strategy: must be one of ghost, mirror, passthrough',
  ],
  [
    'version: 1\ntools: { a/b: { strategy: mirror } }\ncomplete: true\n',
    'a tool must have a plain file name',
  ],
  [
    'version: 1\ntools: { n: { strategy: ghost, image: x, memory: 4m } }\ncomplete: true\n',
    'tools.n.memory: must be at least 16m',
  ],
  [
    'version: 1\ntools: { n: { strategy: ghost, image: x, memory: 2 } }\ncomplete: true\n',
    'tools.n.memory: must be a text, not a number',
  ],
  [
    'version: 1\ntools: { n: { strategy: ghost, image: x, cpus: 0 } }\ncomplete: true\n',
    'tools.n.cpus: must be at least',
  ],
  [
    'version: 1\ntools: { n: { strategy: ghost, image: "--privileged" } }\ncomplete: true\n',
    "must be an image's name",
  ],
  [
    'version: 1\ntools: { n: { strategy: ghost, image: x, network: net } }\ncomplete: true\n',
    'there is no network "net"',
  ],
  [
    'version: 1\ntools: {}\nnetworks: { n: { docker-network: host } }\ncomplete: true\n',
    'networks.n.docker-network: must be the name of a Docker network',
  ],
  [
    'version: 1\ntools: {}\nnetworks: { n: { docker-network: "container:x" } }\ncomplete: true\n',
    'networks.n.docker-network: must be the name of a Docker network',
  ],
  [
    'version: 1\ntools: {}\nnetworks: { none: { docker-network: x } }\ncomplete: true\n',
    'none is always no network',
  ],
  ['version: 2\ncomplete: true\n', 'version: must be 1'],
  ['version: "1"\ncomplete: true\n', 'version: must be 1'],
  ['- version: 1\n', 'must be a mapping, not a list'],
])('A-36 A-37 %j is refused', (text, problem) => {
  expect(problemsOf(text)).toContain(problem);
});

test('P12 a dangerous variable that is allowed is warned about by name', () => {
  const result = parsePolicy(`${start}environment: { allow: [LANG, LD_*, "N*", PATH] }\n${end}`, 'p.yaml');
  if ('problems' in result) throw new Error('refused');
  expect(result.policy.warnings).toHaveLength(3);
  expect(result.policy.warnings[0]).toContain(
    'p.yaml:5: environment.allow[1]: LD_* is allowed, but never reaches',
  );
  expect(result.policy.warnings[1]).toContain('NODE_*');
});

test('no policy can define help, or name a rule like it', () => {
  const of = (tooling: string, rules: string) =>
    parsePolicy(`version: 1\ntools: ${tooling}\nrules: ${rules}\ncomplete: true\n`, 'p.yaml');
  expect(of('{ clawrden-help: { strategy: mirror } }', '[]')).toEqual({
    problems: [expect.stringContaining("clawrden-help: is Clawrden's own name")],
  });
  expect(of('{}', '[{ name: clawrden-help, action: deny }]')).toEqual({
    problems: [expect.stringContaining('"clawrden-help" is no name for a rule')],
  });
  expect(of('{}', '[{ name: no-help, tools: [clawrden-help], action: deny }]')).toEqual({
    problems: [expect.stringContaining('the tool "clawrden-help" is not defined under tools')],
  });
});
