import { readFileSync } from 'node:fs';

/** Descriptors for what is not a connection of a peer: the audit, the database, files that are read, engines. */
const ownFiles = 128;
/** Both listeners count, and enrolment has its own bound. */
const enrolmentFiles = 64;
const fewest = 16;

export interface WantedConnections {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** Each holds a connection to an engine. */
  readonly running: number;
}

/**
 * As many connections as gateway.yaml says, and no more than leave descriptors for the audit and the engines. Throws
 * where the process may open too few files to serve anybody.
 */
export function connectionLimits(
  { connections, connectionsPerAddress, running }: WantedConnections,
  openFiles = openFilesLimit(),
): { connections: number; perAddress: number } {
  const reserved = ownFiles + enrolmentFiles + running;
  const left = openFiles - reserved;
  if (left < fewest) {
    const why = `${openFiles} files may be open, and limits.running: ${running} needs ${reserved + fewest}`;
    throw new Error(`${why}; raise the limit (ulimit -n, LimitNOFILE) or lower limits.running`);
  }
  const most = Math.min(connections, left);
  return { connections: most, perAddress: Math.min(connectionsPerAddress, most) };
}

/** RLIMIT_NOFILE; Node has raised the soft limit to the hard one at its start. */
function openFilesLimit(): number {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft);
}
