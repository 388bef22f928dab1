import { askEngine } from './engine-request.ts';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';

/** Whether a relay that cannot become the agent can start the carrier as a container of its engine. */
export async function checkContained(check: string, root: string, engine: string): Promise<Finding> {
  try {
    const { status, body } = await askEngine({ engine }, '/info');
    if (status !== 200) throw new Error(`the engine answers with status ${status}`);
    return judgeEngine(check, root, body);
  } catch (error) {
    const fix = 'put the user of the relay into the group of the socket, or start the relay as root';
    return bad(check, `${root}: its carrier would be a container of ${engine}: ${messageOf(error)}`, fix);
  }
}

function judgeEngine(check: string, root: string, info: unknown): Finding {
  const { SecurityOptions: options } = info as { readonly SecurityOptions?: readonly string[] };
  if (options?.some((option) => option.startsWith('name=rootless')))
    return bad(check, `${root}: the engine runs without root`, 'start the relay as root');
  return options === undefined
    ? doubtful(check, `${root}: the engine does not say how it runs`, 'see docs/workspaces.md')
    : good(check, `${root}: a relay of this user starts its carrier as a container, which was not tried`);
}
