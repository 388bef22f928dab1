import type { Command } from 'commander';
import type { Agent } from '../../gen/clawrden/v1/warden.ts';
import type { Cell } from '../print/output.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';

export function hostsCommand(): Command {
  return gatewayClientCommand('hosts', 'the Docker pool').action((_options, command: Command) =>
    hosts(command.optsWithGlobals()),
  );
}

const stateColors = { ready: 'green', draining: 'yellow', down: 'red' } as const;

async function hosts(options: GatewayOptions): Promise<void> {
  await withGateway('hosts', options, async (client) => {
    const [{ listHosts }, { printJson, printTable }, { sizeText }] = await Promise.all([
      import('./list-fleet.ts'),
      import('../print/output.ts'),
      import('../../text/size-text.ts'),
    ]);
    const all = await listHosts(client);
    if (options.json === true) return printJson(all);
    const rows = all.map((host): Cell[] => [
      host.name,
      [host.state, stateColors[host.state as keyof typeof stateColors] ?? 'grey'],
      `${host.running}/${host.slots}`,
      `${host.queued}`,
      host.workspaceBytes === 0n ? '' : sizeText(host.workspaceBytes),
      Object.entries(host.labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
      host.engine,
      [host.problem, 'red'],
    ]);
    printTable(['HOST', 'STATE', 'RUNNING', 'QUEUED', 'WORKSPACES', 'LABELS', 'ENGINE', 'PROBLEM'], rows);
  });
}

export async function agents(options: GatewayOptions): Promise<void> {
  await withGateway('agents', options, async (client) => {
    const [{ listAgents }, { renderText }, { printJson, printTable }] = await Promise.all([
      import('./list-fleet.ts'),
      import('../../text/render-text.ts'),
      import('../print/output.ts'),
    ]);
    const all = await listAgents(client);
    if (options.json === true) return printJson(all);
    const rows = all.map((agent): Cell[] => [
      agent.name,
      stateOf(agent),
      agent.relay,
      agent.containerRunning ? 'running' : 'not running',
      `${agent.running}`,
      `${agent.pending}`,
      `${agent.grants}`,
      agent.tools.map(renderText).join(' '),
      [renderText(problemOf(agent)), 'red'],
    ]);
    printTable(
      ['AGENT', 'STATE', 'RELAY', 'CONTAINER', 'RUNNING', 'PENDING', 'GRANTS', 'TOOLS', 'PROBLEM'],
      rows,
    );
  });
}

/** The reason that the person or breaker gave. */
function problemOf({ heldBy, heldReason, problem }: Agent): string {
  if (heldBy === '') return problem;
  return heldReason === '' ? `by ${heldBy}` : `by ${heldBy}: ${heldReason}`;
}

function stateOf({ killed, paused, refused, online }: Agent): Cell {
  if (killed) return ['killed', 'red'];
  if (refused) return ['refused', 'yellow'];
  if (paused) return ['paused', 'yellow'];
  return online ? ['online', 'green'] : ['offline', 'red'];
}
