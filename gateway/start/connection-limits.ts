import { readFileSync } from 'node:fs';
import { listenerFiles } from '../connections/accept-many.ts';
import type { ConnectionLimits } from '../connections/bounds.ts';

/** Descriptors for everything that is not a connection of a peer: the audit, the database, files, engines. */
const ownFiles = 128;
/** gRPC, enrolment, HTTP, metrics. */
const listeners = 4;
/** Both gRPC listeners count; enrolment also has its own bound. */
const enrolmentFiles = 64;
const fewest = 16;
/** A quarter of what is left at most: relays come first. */
const httpConnections = 1024;

export interface WantedConnections {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** Each running execution has a connection to an engine. */
  readonly running: number;
}

/**
 * As many connections as gateway.yaml says, but few enough to leave descriptors for the audit and the engines. Throws
 * if the process may open too few files to serve any peer.
 */
export function connectionLimits(
  { connections, connectionsPerAddress, running }: WantedConnections,
  openFiles = openFilesLimit(),
): { readonly grpc: ConnectionLimits; readonly http: ConnectionLimits } {
  const reserved = ownFiles + listeners * listenerFiles + enrolmentFiles + running;
  const left = openFiles - reserved;
  if (left < fewest) {
    const why = `${openFiles} files may be open, and limits.running: ${running} needs ${reserved + fewest}`;
    throw new Error(`${why}; raise the limit (ulimit -n, LimitNOFILE) or lower limits.running`);
  }
  const http = Math.min(Math.floor(left / 4), httpConnections);
  const boundedTo = (each: number) => ({
    connections: each,
    perAddress: Math.min(connectionsPerAddress, each),
  });
  return { grpc: boundedTo(Math.min(connections, left - http)), http: boundedTo(http) };
}

/** RLIMIT_NOFILE; at its start Node has raised the soft limit to the hard one. */
function openFilesLimit(): number {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
}
