// Runs in an agent's container: starts programs as a shell would, one order per line of stdin, and prints one line
// for each when it has ended.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

interface Order {
  readonly token: string;
  readonly argv: readonly string[];
}

for await (const line of createInterface({ input: process.stdin })) serve(JSON.parse(line) as Order);

function serve({ token, argv }: Order): void {
  const began = performance.now();
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  const end = (code: number | null, signal: string | null) => {
    const ms = Math.round(performance.now() - began);
    process.stdout.write(`${JSON.stringify({ token, code, signal, ms, ...text })}\n`);
  };
  child.stdout.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()));
  child.on('error', (error) => {
    text.stderr += error.message;
    end(null, null);
  });
  child.on('close', end);
}
