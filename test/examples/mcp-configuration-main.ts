import { connectConfigured } from './mcp-configuration.ts';

/** Prints what a program says that the configured server runs: its name and arguments are this program's. */
const [program, ...args] = process.argv.slice(2);
await using client = await connectConfigured(process.env);
process.stdout.write(JSON.stringify(await client.call('execute', { program, args })));
