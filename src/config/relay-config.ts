import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Identity } from '../command.ts';
import type { TracesConfig } from '../traces/open-traces.ts';
import { checkShape, strictObject } from './check-shape.ts';
import { ConfigError } from './config-error.ts';
import { duplicates } from './duplicates.ts';
import { nameField, parsedField, parseHostPort, pathField, sizeField, usersField } from './fields.ts';
import { readTextFile } from './read-text-file.ts';
import { readYaml, type YamlSource } from './read-yaml.ts';
import { tracesField } from './traces-field.ts';
import {
  agentMountsField,
  toWorkspaceRoots,
  type WorkspaceRoots,
  workspaceRootsField,
} from './workspace-roots.ts';

/** relay.yaml as the relay uses it: checked, defaults filled in, every path absolute. */
export interface RelayConfig {
  /** Absolute path of the file itself. */
  readonly file: string;
  /** `HOST:PORT`. */
  readonly gateway: string;
  /** The folder that `relay enroll` wrote. */
  readonly identity: string;
  /** PEM file: the authorities of the gateway's server certificate, in place of those in `identity`. */
  readonly trust?: string;
  /** The engine of this agent host, `unix:///path`. */
  readonly docker: string;
  /** Folder. */
  readonly state: string;
  readonly workspaceRoots: WorkspaceRoots;
  /** Folders, whose folders `agent run` may mount into agents' containers. */
  readonly agentMounts: readonly string[];
  readonly limits: RequestLimits;
  /** Absent: nobody is told of traces. */
  readonly traces?: TracesConfig;
  readonly agents: readonly RelayAgentConfig[];
}

/** Of one agent; twice as much at once. */
export interface RequestLimits {
  readonly requestsPerSecond: number;
  readonly bytesPerSecond: number;
}

export interface RelayAgentConfig {
  readonly name: string;
  /** Path of this agent's `warden.sock`; no two agents share its directory. */
  readonly socket: string;
  /** Name of the agent's container. */
  readonly container: string;
  /** Kernel-attested ids that are accepted; at least one, never uid 0. */
  readonly users: readonly [Identity, ...Identity[]];
}

const agent = strictObject({
  name: nameField,
  socket: pathField,
  container: parsedField(
    (text) => (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,254}$/.test(text) ? text : undefined),
    "a container's name",
  ),
  users: usersField,
});

export const relaySchema = strictObject({
  gateway: parsedField((text) => (parseHostPort(text)?.port ? text : undefined), 'HOST:PORT'),
  identity: pathField,
  trust: pathField.optional(),
  docker: parsedField(
    (text) => (/^unix:\/\/\/[^\0]{1,107}$/.test(text) ? text : undefined),
    "unix:///PATH of this host's own engine",
  ).prefault('unix:///var/run/docker.sock'),
  state: pathField.default('state'),
  'workspace-roots': workspaceRootsField,
  'agent-mounts': agentMountsField,
  limits: strictObject({
    'requests-per-second': z.int().min(1).max(100_000).default(500),
    'bytes-per-second': sizeField.prefault('4m'),
  }).prefault({}),
  traces: tracesField,
  agents: z.array(agent).default([]),
});

export const socketTooLong = 'a socket must have a path of 107 bytes at most';

/** Whether the kernel takes it for the path of a socket. */
export function isSocketPath(path: string): boolean {
  return Buffer.byteLength(path) <= 107;
}

/** Reads relay.yaml. Throws one ConfigError with every problem in it. Relative paths are relative to the file. */
export function loadRelayConfig(file: string): RelayConfig {
  return parseRelayConfig(readTextFile(file), file);
}

/** The same for a text. Problems name `file`, and relative paths are relative to its folder. */
export function parseRelayConfig(text: string, file: string): RelayConfig {
  const yaml = readYaml(text, file);
  if ('problems' in yaml) throw new ConfigError(yaml.problems);
  const shape = checkShape(relaySchema, yaml.source);
  if ('problems' in shape) throw new ConfigError(shape.problems);
  const inFolder = (path: string): string => resolve(dirname(resolve(file)), path);
  const { 'workspace-roots': roots, 'agent-mounts': agentMounts, trust, traces, ...raw } = shape.value;
  const agents = raw.agents.map((one) => ({ ...one, socket: inFolder(one.socket) }));
  const problems = findContradictions(agents, yaml.source);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...raw,
    file: resolve(file),
    identity: inFolder(raw.identity),
    ...(trust !== undefined && { trust: inFolder(trust) }),
    state: inFolder(raw.state),
    workspaceRoots: toWorkspaceRoots(roots),
    agentMounts,
    ...(traces && { traces }),
    limits: {
      requestsPerSecond: raw.limits['requests-per-second'],
      bytesPerSecond: raw.limits['bytes-per-second'],
    },
    agents,
  };
}

function findContradictions(agents: readonly RelayAgentConfig[], source: YamlSource): string[] {
  const clash = (
    key: 'name' | 'socket' | 'container',
    of: (agent: RelayAgentConfig) => string,
    what: string,
  ) => duplicates(agents.map(of)).map((index) => source.problem(['agents', index, key], what));
  return [
    ...clash('name', ({ name }) => name, 'another agent has this name already'),
    // Any process that may enter the directory may use the socket. If two agents shared it, one could speak as the
    // other.
    ...clash(
      'socket',
      ({ socket }) => dirname(socket),
      "another agent's socket is in this directory already",
    ),
    ...agents.flatMap(({ socket }, index) =>
      isSocketPath(socket) ? [] : [source.problem(['agents', index, 'socket'], socketTooLong)],
    ),
    ...clash('container', ({ container }) => container, 'another agent has this container already'),
  ];
}
