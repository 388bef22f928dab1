import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAgentEngine } from './agent-engine.ts';

const user = { uid: 1000, gid: 1000 };

/** An engine with two containers that have the label; it shows the image of the second one only. */
async function startEngine(answer: { readonly status: number; readonly body: string }) {
  const dir = mkdtempSync(join(tmpdir(), 'clawrden-engine-'));
  const done: string[] = [];
  const listed = ['odd', 'own'].map((name) => ({
    ...{ Id: name, Names: [`/${name}`], ImageID: `image-${name}` },
    Labels: { 'clawrden.agent': 'coder' },
  }));
  const answerTo = (url: string) => {
    if (url.startsWith('/containers/json')) {
      const left = listed.filter(({ Id }) => !done.includes(`/containers/${Id}/kill`));
      return { status: 200, body: JSON.stringify(left) };
    }
    if (url === '/images/image-odd/json') return answer;
    if (url.startsWith('/images/')) return { status: 200, body: '{"Config":{"Labels":null}}' };
    done.push(url);
    return { status: 204, body: '' };
  };
  const server = createServer(({ url = '' }, response) => {
    const { status, body } = answerTo(url);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(join(dir, 'docker.sock'), resolve));
  return {
    done,
    engine: openAgentEngine(`unix://${dir}/docker.sock`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(dir, { recursive: true });
    },
  };
}

const message = '{"message":"no"}';

test.each([
  { status: 404, body: message },
  { status: 500, body: message },
  { status: 400, body: message },
  { status: 301, body: '' },
  { status: 200, body: '{"Config":{"Labels":["clawrden.agent=coder"]}}' },
  { status: 200, body: '[' },
])(
  'P19: an image that the engine shows so: %j, keeps no container of the agent from being killed',
  async (answer) => {
    await using host = await startEngine(answer);
    await host.engine.set({ agent: 'coder', container: { agent: 'coder' } }, 'killed');
    expect(host.done.toSorted()).toEqual(['/containers/odd/kill', '/containers/own/kill']);
  },
);

test('P2: no command runs in a container whose image cannot be looked at', async () => {
  await using host = await startEngine({ status: 500, body: message });
  await host.engine.startInit({ agent: 'coder' }, user, AbortSignal.timeout(5000)).catch(() => {});
  expect(host.done).toEqual(['/containers/own/exec']);
});
