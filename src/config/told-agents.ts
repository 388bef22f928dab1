import { join } from 'node:path';
import { z } from 'zod';
import type { AgentContainer } from '../agent-container.ts';
import type { Identity } from '../command.ts';
import { nameField, usersField } from './fields.ts';
import type { HomeWorkspace } from './gateway-config.ts';
import type { RelayAgentConfig, RelayConfig } from './relay-config.ts';
import { homeWorkspaceField } from './workspace-fields.ts';

/** An agent that a gateway told its relay of. */
export type ToldAgent = z.infer<typeof toldAgent>;

export type ToldHalt = ToldAgent['halt'];

const variable = z
  .string()
  .max(4096)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*=[^\0]*$/, 'is not NAME=value');

const toldAgent = z.strictObject({
  name: nameField,
  users: usersField,
  workspace: homeWorkspaceField.optional(),
  /** What the kill switch had done to it. */
  halt: z.enum(['paused', 'killed']).optional(),
  /** It has a way out of its own: `NAME=value` for its clients. */
  wayOut: z.strictObject({ environment: z.array(variable).max(10_000) }).optional(),
});

const toldFile = z.strictObject({ agents: z.array(toldAgent).max(1000) });

/** The file in the relay's state that holds the agents that it was told of last. */
export function toldPath(state: string): string {
  return join(state, 'agents.json');
}

/** Throws if it is not such a file. */
export function parseTold(text: string): readonly ToldAgent[] {
  return toldFile.parse(JSON.parse(text)).agents;
}

export function formatTold(agents: readonly ToldAgent[]): string {
  return `${JSON.stringify({ agents: agents.map((agent) => ({ ...agent, users: agent.users.map(pair) })) })}\n`;
}

/** What a gateway says of an agent, checked as a file of the relay's own; a line if it is wrong. */
export function checkTold(
  name: string,
  users: readonly Identity[],
  halt?: ToldHalt,
  wayOut?: ToldAgent['wayOut'],
): ToldAgent | string {
  const rest = { ...(halt && { halt }), ...(wayOut && { wayOut }) };
  return checked(toldAgent, { name, users: users.map(pair), ...rest });
}

/** The same of its workspace. */
export function checkHome(workspace: unknown): HomeWorkspace | string {
  return checked(homeWorkspaceField, workspace);
}

function checked<T>(field: z.ZodType<T>, value: unknown): T | string {
  const result = field.safeParse(value);
  if (result.success) return result.data;
  return result.error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ');
}

/** An agent as its relay serves it. */
export interface ServedConfig extends Omit<RelayAgentConfig, 'container'> {
  readonly container: AgentContainer;
}

export interface AgentPlaces {
  readonly agent: ServedConfig;
  /** Folder. */
  readonly jail: string;
  /** The folder of both, which only the relay's user enters; `undefined` if relay.yaml chose the places. */
  readonly closed?: string;
}

/** Where an agent is served that relay.yaml does not name. */
export function toldPlaces({ state }: Pick<RelayConfig, 'state'>, { name, users }: ToldAgent): AgentPlaces {
  const closed = join(state, 'agents', name);
  const socket = join(closed, 'socket', 'warden.sock');
  return { agent: { name, users, socket, container: { agent: name } }, jail: join(closed, 'bin'), closed };
}

/** The same for an agent of relay.yaml. */
export function listedPlaces({ state }: Pick<RelayConfig, 'state'>, agent: RelayAgentConfig): AgentPlaces {
  const container = { name: agent.container };
  return { agent: { ...agent, container }, jail: join(state, 'jails', agent.name) };
}

function pair({ uid, gid }: Identity): string {
  return `${uid}:${gid}`;
}
