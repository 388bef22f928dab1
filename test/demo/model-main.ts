import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A model that is scripted: it wants its key, and answers with server-sent events, part by part, as models do. Told
 * to go on, it does not end.
 */
const [address = ''] = process.argv.slice(2);
const answer = ['I can think.', 'For hands', 'I ask Clawrden.'];

const server = createServer(async (request, response) => {
  const question = await text(request).catch(() => '');
  if (request.headers['x-api-key'] !== process.env['MODEL_KEY']) {
    response.writeHead(401).end('no key, no answer\n');
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const endless = question.startsWith('Go on');
  for (let part = 0; (endless || part < answer.length) && !response.destroyed; part++) {
    response.write(`data: ${answer[part % answer.length]}\n\n`);
    await sleep(100);
  }
  response.end();
});
server.listen(0, address, () => process.send?.((server.address() as AddressInfo).port));
