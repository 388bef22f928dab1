import { isToolName } from '../../src/policy/request/tool-name.ts';
import { firstBytes } from '../../src/text/first-bytes.ts';
import type { RelayReport, RelayState } from '../ports/relay-state.ts';

const most = { tools: 1000, versionBytes: 255, problemBytes: 1024 } as const;

/** The kept part of a relay's report: only its own agents, only names of tools, and the beginning of its texts. */
export function boundedReport(
  { version, contract, agents }: RelayReport,
  { agents: own }: RelayState,
): RelayReport {
  const names = new Set(own.map(({ name }) => name));
  return {
    version: firstBytes(version, most.versionBytes),
    contract,
    agents: agents
      .filter(({ name }) => names.delete(name))
      .map((agent) => ({
        ...agent,
        tools: agent.tools.slice(0, most.tools).filter(isToolName),
        problem: firstBytes(agent.problem, most.problemBytes),
      })),
  };
}

/** Whether it names a tool as no tool is named: no relay links one. */
export function hasOtherNames({ agents }: RelayReport): boolean {
  return agents.some(({ tools }) => !tools.slice(0, most.tools).every(isToolName));
}
