import { expect, test } from 'vitest';
import { clientEnvironment, ghostClientEnvironment } from './client-environment.ts';
import type { Route } from './route.ts';

const reach = { network: 'n', allow: [], routes: [] };

const route = (name: string, environment: Readonly<Record<string, string>>): Route => ({
  ...{ name, to: 'https://a.example/', methods: ['GET'], headers: [], private: false, environment },
});

test('the usual clients find the way out by their variables; without a network there are none', () => {
  const env = clientEnvironment(reach, [], ['PATH=/bin']);
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'npm_config_https_proxy'])
    expect(env).toContain(`${name}=http://127.0.0.1:3128`);
  expect(env).toContain('NO_PROXY=localhost,127.0.0.1');
  expect(env).toContain('NODE_USE_ENV_PROXY=1');
  expect(env).toContain('npm_config_replace_registry_host=always');
  expect(clientEnvironment(undefined, [], [])).toEqual([]);
});

test('what an image tells Java stays, and the way out comes behind it', () => {
  const env = clientEnvironment(reach, [], ['JAVA_TOOL_OPTIONS=-Xmx1g']);
  expect(env.find((entry) => entry.startsWith('JAVA'))).toMatch(
    /^JAVA_TOOL_OPTIONS=-Xmx1g -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 /,
  );
});

test("git's ssh goes by the program beside the init, in ghosts only, with what an image says of ssh", () => {
  const ssh = (env: readonly string[]) => env.find((entry) => entry.startsWith('GIT_SSH_COMMAND='));
  const option = "-o 'ProxyCommand=/.clawrden/connect %h %p'";
  expect(ssh(ghostClientEnvironment(reach, [], []))).toBe(`GIT_SSH_COMMAND=ssh ${option}`);
  const image = ['GIT_SSH_COMMAND=ssh -i /etc/key'];
  expect(ssh(ghostClientEnvironment(reach, [], image))).toBe(`${image[0]} ${option}`);
  expect(ssh(clientEnvironment(reach, [], []))).toBeUndefined();
  expect(ghostClientEnvironment(undefined, [], image)).toEqual([]);
});

test('a route says by which variables its clients find it', () => {
  const routes = [
    route('model', { OPENAI_BASE_URL: '{url}v1', ANTHROPIC_BASE_URL: '{url}' }),
    route('npm', { npm_config_registry: '{url}' }),
  ];
  const env = clientEnvironment(reach, routes, []);
  expect(env).toContain('OPENAI_BASE_URL=http://127.0.0.1:3128/model/v1');
  expect(env).toContain('ANTHROPIC_BASE_URL=http://127.0.0.1:3128/model/');
  expect(env).toContain('npm_config_registry=http://127.0.0.1:3128/npm/');
});
