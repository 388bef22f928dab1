import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openSlack } from '../../gateway/notify/slack/open-slack.ts';
import { watchConnections } from '../fixtures/connections-tried.ts';
import { allForbidden } from '../fixtures/forbidden-places.ts';
import { slackAppToken, slackBotToken, startSlack } from './slack-server.ts';

const source = { env: 'NOT_READ' };
const waiting = { timeout: 10_000, interval: 5 };

/** Nobody presses or orders anything. */
const none = {
  answer: () => Promise.reject(new Error('nobody presses')),
  orders: { take: () => Promise.reject(new Error('nobody orders')) },
};

async function start(mayBePrivate = false) {
  const server = await startSlack();
  const other = createServer((socket) => socket.destroy()).listen(0, '::');
  await once(other, 'listening');
  const connections = watchConnections();
  onTestFinished(async () => {
    connections[Symbol.dispose]();
    other.close();
    await server[Symbol.asyncDispose]();
  });
  const own = new URL(server.url).port;
  const config = { api: server.url, private: mayBePrivate, appToken: source, botToken: source, channels: [] };
  /** What the gateway says of a service that names that place, and connections to others than the service itself. */
  const ask = async (link: string | undefined) => {
    server.link = link;
    connections.take();
    const faults: unknown[] = [];
    const service = openSlack(
      config,
      { app: slackAppToken, bot: slackBotToken },
      {
        ...(none as never as Pick<Parameters<typeof openSlack>[2], 'answer' | 'orders'>),
        faults: {
          count: () => faults.length,
          report: (_, error) => faults.push(error),
          guard: (_, run) => run,
        },
        log: pino({ level: 'silent' }),
      },
    );
    const isOver = () => server.open() > 0 || service.problems().length > 0;
    await expect.poll(isOver, waiting).toBe(true);
    const [problems, isOpen] = [service.problems(), server.open() > 0];
    await service.close();
    await expect.poll(server.open, waiting).toBe(0);
    const elsewhere = connections.take().filter((to) => to !== `127.0.0.1 ${own}`);
    return { problems, isOpen, elsewhere, faults };
  };
  return { ask, port: (other.address() as AddressInfo).port, own };
}

test('A-636 P16: a Slack that names an address that is not public for Socket Mode is not connected to there', async () => {
  const { ask, port } = await start();
  for (const scheme of ['wss', 'ws'])
    for (const where of allForbidden(port)) {
      const { problems, isOpen, elsewhere } = await ask(`${scheme}://${where}`);
      expect([where, elsewhere, isOpen, problems.length]).toEqual([where, [], false, 1]);
      expect(problems[0]).toMatch(/is not public|is no address of a server|without TLS/);
    }
});

test('A-636: at its own host and port Socket Mode is used, and with private: true elsewhere by TLS', async () => {
  const { ask, port } = await start(true);
  expect(await ask(undefined)).toEqual({ problems: [], isOpen: true, elsewhere: [], faults: [] });
  expect((await ask(`wss://127.0.0.2:${port}/`)).elsewhere).toEqual([`127.0.0.2 ${port}`]);
  expect((await ask(`wss://localhost:${port}/`)).elsewhere.length).toBeGreaterThan(0);
  for (const refused of [`ws://127.0.0.2:${port}/`, 'wss://169.254.169.254/x', 'wss://0xa9fea9fe/'])
    expect((await ask(refused)).elsewhere).toEqual([]);
});
