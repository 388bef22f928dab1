import type { KnownAgent } from '../../../../config/known-agent.ts';
import { refuse } from './refuse.ts';

/** Throws if the kill switch has stopped the agent. */
export function checkHalt({ places, told }: KnownAgent, command?: string): void {
  const { name } = places.agent;
  const halt = told.find((agent) => agent.name === name)?.halt;
  if (halt !== undefined) throw refuse(`agent ${name} is ${halt}`, `clawrden resume ${name}`, command);
}
