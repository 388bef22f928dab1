// Runs in an agent's container: sends bytes to the agent's socket, one order per line of stdin, and prints one line
// for each connection when it is over.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

interface Order {
  readonly id: number;
  readonly socket: string;
  /** Bytes in base64, each with how long to wait behind it. */
  readonly chunks: readonly (readonly [string, number])[];
  readonly withinMs: number;
}

for await (const line of createInterface({ input: process.stdin })) serve(JSON.parse(line) as Order);

function serve({ id, socket, chunks, withinMs }: Order): void {
  const start = performance.now();
  const answer: Buffer[] = [];
  let error = '';
  let byServer = true;
  const client = connect({ path: socket, allowHalfOpen: true });
  const timer = setTimeout(() => {
    byServer = false;
    client.destroy();
  }, withinMs);
  client.on('error', ({ code }: NodeJS.ErrnoException) => (error = code ?? ''));
  client.on('data', (bytes: Buffer) => answer.push(bytes));
  client.on('end', () => client.end());
  client.on('close', () => {
    clearTimeout(timer);
    const bytes = Buffer.concat(answer).toString('base64');
    const ms = performance.now() - start;
    process.stdout.write(`${JSON.stringify({ id, bytes, error, byServer, ms })}\n`);
  });
  void write();

  async function write(): Promise<void> {
    for (const [bytes, waitMs] of chunks) {
      if (client.destroyed) return;
      client.write(Buffer.from(bytes, 'base64'));
      if (waitMs > 0) await sleep(waitMs);
    }
  }
}
