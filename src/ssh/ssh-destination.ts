/** Where an engine is reached by ssh. */
export interface SshDestination {
  /** If absent, ssh uses the name of this process's user. */
  readonly user?: string;
  /** A name or an address, IPv6 without its brackets. */
  readonly host: string;
  readonly port?: number;
  /** The engine's Unix socket on that machine. */
  readonly socket: string;
}

const form =
  /^ssh:\/\/(?:([A-Za-z0-9_][\w.-]*)@)?(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9][\w.-]*))(?::(\d{1,5}))?(\/.*)?$/;
/** No colon: `-L` would split the path there. */
const plainPath = /^(\/[\w.-]+)+$/;
const longest = 255;

/**
 * `ssh://[USER@]HOST[:PORT][/PATH]`; `undefined` for any other text, and for a text that ssh could take for an
 * option.
 */
export function parseSshUrl(text: string): SshDestination | undefined {
  const [, user, bracketed, plain, port, path] = (text.length > longest ? null : form.exec(text)) ?? [];
  const host = bracketed ?? plain;
  const socket = path === undefined || path === '/' ? '/var/run/docker.sock' : path;
  if (host === undefined || !plainPath.test(socket) || !isPort(port)) return undefined;
  return {
    host,
    socket,
    ...(user !== undefined && { user }),
    ...(port !== undefined && { port: Number(port) }),
  };
}

function isPort(text: string | undefined): boolean {
  return text === undefined || (Number(text) > 0 && Number(text) <= 65_535);
}
