import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findAgentContainer } from './find-agent-container.ts';

const listed = [{ Id: 'a', Names: ['/a'], ImageID: 'i', Labels: { 'clawrden.agent': 'coder' } }];

/** What doctor finds on an engine that answers its two questions so. */
async function find(list: number, image: number) {
  const dir = mkdtempSync(join(tmpdir(), 'clawrden-engine-'));
  const server = createServer(({ url = '' }, response) => {
    const isList = url.startsWith('/containers/json');
    const status = isList ? list : image;
    const body = isList ? listed : { Config: { Labels: null } };
    response.writeHead(status).end(JSON.stringify(status === 200 ? body : { message: 'no' }));
  });
  await new Promise<void>((resolve) => server.listen(join(dir, 'docker.sock'), resolve));
  try {
    const question = { engine: `unix://${dir}/docker.sock`, named: [], check: 'agent coder' };
    return await findAgentContainer({ agent: 'coder' }, question);
  } finally {
    server.close();
    rmSync(dir, { recursive: true });
  }
}

test('a container counts if the engine shows its image, and the image has not the label', async () => {
  expect(await find(200, 200)).toEqual({ id: 'a', findings: [] });
});

test.each([400, 404, 500])('P2: one whose image is answered with %i does not count', async (status) => {
  const { id, findings } = await find(200, status);
  expect(id).toBeUndefined();
  expect(findings).toMatchObject([
    { level: 'error', text: expect.stringContaining('its image is gone, cannot be looked at') },
  ]);
});

test.each([400, 500])('a list that is answered with %i is told', async (status) => {
  await expect(find(status, 200)).rejects.toThrow(`the engine does not list containers (${status})`);
});
