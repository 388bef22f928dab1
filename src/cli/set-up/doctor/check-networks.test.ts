import { expect, test } from 'vitest';
import { parsePolicy } from '../../../policy/file/parse-policy.ts';
import { dockerNetworks, judgeReached } from './check-networks.ts';
import { probeTargets } from './probe-targets.ts';

const policyText = `version: 1
default: deny
networks:
  web: { docker-network: web-net }
  ops: { docker-network: ops-net }
  named: { allow: ["a.example:443"] }
tools:
  a: { strategy: ghost, image: "one:1", network: web }
  b: { strategy: ghost, image: "two:1", network: web }
  c: { strategy: ghost, image: "three:1", network: named }
  d: { strategy: mirror }
rules:
  - { name: more, tools: [c], action: ask, network: ops }
  - { name: all, tools: [a, b, c, d], action: allow }
complete: true
`;

test('each Docker network is tried once, by an image of a tool that has it; no network by name is', () => {
  const result = parsePolicy(policyText, 'policy.yaml');
  if (!('policy' in result)) throw new Error(result.problems.join());
  expect([...dockerNetworks(result.policy)].toSorted(([one], [other]) => one.localeCompare(other))).toEqual([
    ['ops-net', 'one:1'],
    ['web-net', 'one:1'],
  ]);
});

test('what is tried: engines, ssh and metadata services, at every address that they may have', async () => {
  const hosts = [
    { engine: 'unix:///var/run/docker.sock' },
    { engine: 'tcp://20.0.0.1:4243' },
    { engine: 'tcp://[2606:4700::1]' },
    { engine: 'ssh://root@20.0.0.2' },
    { engine: 'tcp://127.0.0.1:2376' },
  ];
  const all = (await probeTargets(['172.18.0.1', '172.18.0.1'], hosts)).map(
    ({ what, address, port }) => `${what} ${address} ${port}`,
  );
  expect(all.filter((line) => !line.startsWith('metadata'))).toEqual([
    ...['engine 172.18.0.1 2375', 'engine 172.18.0.1 2376', 'engine 172.18.0.1 4243', 'ssh 172.18.0.1 22'],
    ...['engine 20.0.0.1 4243', 'engine 2606:4700::1 2376', 'ssh 20.0.0.2 22'],
  ]);
  expect(all).toContain('metadata service 169.254.169.254 80');
});

test('A-263: an engine or a metadata service is an error, ssh and other containers are warnings', () => {
  const targets = [
    { what: 'engine', address: '10.0.0.1', port: 2376 },
    { what: 'ssh', address: '10.0.0.1', port: 22 },
    { what: 'metadata service', address: 'fd00:ec2::254', port: 80 },
  ] as const;
  const judge = (reached: readonly number[], other = false) =>
    judgeReached('host h', 'web', { targets: reached.map((at) => targets[at]!), other }, targets).map(
      ({ level, text }) => `${level} ${text}`,
    );
  expect(judge([])).toEqual([expect.stringMatching(/^ok network web: of 3 ports .* none answers$/)]);
  expect(judge([0, 2])).toEqual([
    'error network web: its containers reach engine 10.0.0.1:2376, metadata service [fd00:ec2::254]:80',
  ]);
  expect(judge([1], true)).toEqual([
    'warning network web: its containers reach ssh 10.0.0.1:22',
    'warning network web: its containers reach each other, also those of other agents',
  ]);
});
