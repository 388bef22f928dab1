import { isatty } from 'node:tty';
import { z } from 'zod';
import { loadRelayConfig, type RelayConfig } from '../../../../config/relay-config.ts';
import { CliError } from '../../../reach/cli-error.ts';
import { dieBy } from '../../../run/exec/signals.ts';
import { askEngine } from '../../doctor/engine-request.ts';
import { findAgentContainer } from '../../doctor/find-agent-container.ts';
import { agentOfHost } from '../agent-of-host.ts';
import { inspected } from '../inspected.ts';
import { openCallersStreams } from './callers-streams.ts';
import { jailFirst } from './jail-path.ts';
import { tellEngine } from './tell-engine.ts';

const what = 'agent shell';

/** By its path: `bash` and `sh` may be tools of the jail. */
const shell = ['/bin/sh', '-c', 'if [ -x /bin/bash ]; then exec /bin/bash; else exec /bin/sh; fi'];

const created = z.object({ Id: z.string().regex(/^[0-9a-f]{12,64}$/) });

/** A shell in an agent's container, as its user. Resolves with the exit status of that shell. */
export async function shellAgent(name: string, options: { readonly config: string }): Promise<number> {
  const config = loadRelayConfig(options.config);
  const { agent } = (await agentOfHost(name, config, what)).places;
  const [{ uid, gid }] = agent.users;
  const container = await containerOf(name, agent.container, config);
  const Tty = isatty(0) && isatty(1);
  const engine = tellEngine(config.docker, what);
  const { Id } = created.parse(
    await engine.post(`/containers/${container.id}/exec`, {
      ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty, Cmd: shell },
      User: `${uid}:${gid}`,
      Env: [`PATH=${jailFirst(container.env)}`],
    }),
  );
  return await follow(Id, Tty, config);
}

async function containerOf(
  agent: string,
  which: Parameters<typeof findAgentContainer>[0],
  { docker: engine, agents }: RelayConfig,
): Promise<{ readonly id: string; readonly env: readonly string[] }> {
  const named = agents.map(({ container }) => container);
  const { id, findings } = await findAgentContainer(which, { engine, named, check: `agent ${agent}` });
  const [problem] = findings;
  if (id === undefined) throw new CliError(what, problem?.text ?? 'it has no container', problem?.fix ?? '');
  const { status, body } = await askEngine({ engine }, `/containers/${encodeURIComponent(id)}/json`);
  const fix = `clawrden agent run ${agent} IMAGE`;
  if (status === 404) throw new CliError(what, `there is no container ${id}`, fix);
  const found = inspected.safeParse(body);
  if (!found.success || !found.data.State.Running)
    throw new CliError(what, `its container ${id.slice(0, 32)} does not run`, fix);
  return { id, env: found.data.Config.Env };
}

const ended = z.object({ ExitCode: z.number().nullish() });

async function follow(id: string, tty: boolean, { docker }: RelayConfig): Promise<number> {
  const engine = tellEngine(docker, what);
  const streams = openCallersStreams({ what, tty, input: true });
  try {
    const socket = await engine.attach(`/exec/${id}/start`, { Detach: false, Tty: tty });
    streams.watchSignals(dieBy);
    streams.resize(engine, `/exec/${id}/resize`);
    await streams.connect(socket);
  } finally {
    streams.close();
  }
  const { body } = await askEngine({ engine: docker }, `/exec/${id}/json`);
  return ended.parse(body).ExitCode ?? 0;
}
