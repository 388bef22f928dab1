import { Agent, MCPServerStreamableHttp, run, setOpenAIAPI, setTracingDisabled } from '@openai/agents';

// Traces go to another service than the model, and an agent's way out leads to the model alone.
setTracingDisabled(true);
setOpenAIAPI('chat_completions');

const token = process.env['CLAWRDEN_TOKEN'];
/** An agent with a way out of its own needs no token there. */
const clawrden = new MCPServerStreamableHttp({
  name: 'clawrden',
  url: process.env['CLAWRDEN_MCP_URL'] ?? 'http://127.0.0.1:3128/mcp',
  requestInit: { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } },
});
await clawrden.connect();
try {
  const agent = new Agent({
    name: 'coder',
    instructions: 'Do the task by the tools. If a program is refused, do what its answer says instead.',
    model: process.env['MODEL'] ?? 'gpt-5',
    mcpServers: [clawrden],
  });
  const { finalOutput } = await run(agent, process.argv.slice(2).join(' '), { maxTurns: 10 });
  process.stdout.write(`${finalOutput}\n`);
} finally {
  await clawrden.close();
}
