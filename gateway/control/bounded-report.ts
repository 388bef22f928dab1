import { firstBytes } from '../../src/text/first-bytes.ts';
import type { RelayReport, RelayState } from '../ports/relay-state.ts';

const most = { tools: 1000, nameBytes: 255, problemBytes: 1024 } as const;

/** The kept part of a relay's report: only its own agents, and only the beginning of their texts. */
export function boundedReport({ version, agents }: RelayReport, { agents: own }: RelayState): RelayReport {
  const names = new Set(own.map(({ name }) => name));
  return {
    version: firstBytes(version, most.nameBytes),
    agents: agents
      .filter(({ name }) => names.delete(name))
      .map((agent) => ({
        ...agent,
        tools: agent.tools.slice(0, most.tools).map((tool) => firstBytes(tool, most.nameBytes)),
        problem: firstBytes(agent.problem, most.problemBytes),
      })),
  };
}
