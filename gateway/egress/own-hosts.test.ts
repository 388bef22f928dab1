import { expect, test } from 'vitest';
import { engineHosts, ownHosts } from './own-hosts.ts';

const listen = (host: string) => ({ listen: { host, port: 1 } });

test('every listener and every engine that has an address is the gateway’s own', () => {
  const http = {
    ...listen('::1'),
    metricsListen: { host: '127.0.0.1', port: 9 },
    url: 'https://gate.example:8443',
    trustProxy: [],
  };
  const engines = [
    ...['unix:///var/run/docker.sock', 'tcp://engine.example:2376', 'tcp://[2001:db8::5]:2376'],
    ...['ssh://user@far.example:22/run/docker.sock', 'tcp://engine.example:2377'],
  ];
  const hosts = engines.map((engine) => ({ engine }));
  expect(ownHosts({ grpc: listen('0.0.0.0'), enroll: listen('gate.corp'), http }, hosts)).toEqual([
    ...['0.0.0.0', 'gate.corp', '::1', '127.0.0.1', 'gate.example'],
    ...['engine.example', '2001:db8::5', 'far.example'],
  ]);
  expect(engineHosts(hosts)).toEqual(['engine.example', '2001:db8::5', 'far.example']);
});
