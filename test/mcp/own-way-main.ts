import { type Called, clients } from './clients.ts';

/**
 * An agent's client of MCP, in the network namespace of its container: asks what it may run, runs one program, and
 * prints what it heard. Arguments: the generation of the protocol, the client's uid, the program's script.
 */
export interface OwnWayHeard {
  readonly programs: Called;
  readonly executed: Called;
  readonly told: readonly string[];
}

const [generation = '', uid = '', script = ''] = process.argv.slice(2);
const [, connect] = clients.find(([name]) => name === generation) ?? [];
if (connect === undefined) throw new Error(`there is no client of ${generation}`);
process.setgid?.(Number(uid));
process.setuid?.(Number(uid));
const told: string[] = [];
try {
  await using client = await connect('http://127.0.0.1:3128');
  const programs = await client.call('list_programs');
  const onprogress = (message: string) => void told.push(message);
  const executed = await client.call('execute', { program: 'ghostly', args: [script] }, { onprogress });
  console.log(JSON.stringify({ programs, executed, told } satisfies OwnWayHeard));
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
