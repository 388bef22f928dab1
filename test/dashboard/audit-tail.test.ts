import { appendFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openAuditLog } from '../../gateway/audit/audit-log.ts';
import { createAuditTail } from '../../gateway/http/dashboard/rooms/audit/audit-tail.ts';
import { type Client, connect } from '../../src/http-api/client.ts';
import { writeLongAudit } from '../fixtures/long-audit.ts';
import { startHttpGateway } from '../http/http-gateway.ts';

/** No event tells of a change: the test asks. */
const silent = { connection: {} as never, listen: () => () => {}, close: () => {} };

test('the last signed head is found behind the first page; what is written comes once, a line that is no record, too', async () => {
  await using log = await writeLongAudit();
  const writes = await openAuditLog(log.file, { key: log.key });
  for (let at = 64; at < 70; at += 1)
    await writes.append({ type: 'lifecycle', event: 'test', text: `${at}` });
  await using door = await startHttpGateway({ warden: log.warden });
  const real = connect({ url: door.url, token: door.token('viewer') });
  const short: Client = {
    ...real,
    call: (name, wish, more) => {
      const query = (wish as { query?: Record<string, string> }).query ?? {};
      const limited = query['from'] === undefined ? { ...query, limit: '3' } : query;
      return real.call(name, { query: limited } as never, more);
    },
  };
  const tail = createAuditTail(() => short, silent);
  await expect.poll(() => tail.state.value).toBe('ready');
  const numbers = () => tail.rows.value.map(({ seq }) => seq);
  expect([numbers(), tail.head.value?.seq]).toEqual([[69, 68, 67], 63]);
  await writes.append({ type: 'lifecycle', event: 'test', text: '70' });
  tail.reload();
  await expect.poll(numbers).toEqual([70, 69, 68, 67]);
  await appendFile(log.file, '{"seq":71,"changed":true}\n');
  const texts = () => tail.rows.value.filter(({ record }) => typeof record === 'string').length;
  tail.reload();
  await expect.poll(texts).toBe(1);
  for (let again = 0; again < 3; again += 1) {
    tail.reload();
    await new Promise((resolve) => void setTimeout(resolve, 300));
  }
  const keys = tail.rows.value.map(({ key }) => key);
  expect([texts(), new Set(keys).size]).toEqual([1, keys.length]);
  tail.close();
  await writes.close().catch(() => {});
});
