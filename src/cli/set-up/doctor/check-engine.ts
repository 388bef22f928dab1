import { z } from 'zod';
import { architectureOf, missingLimits, processorNames, processorOf } from '../../../engine-facts.ts';
import { askEngine, type EngineAddress } from './engine-request.ts';
import { bad, type Finding, good, messageOf } from './finding.ts';

const info = z.object({
  ServerVersion: z.string(),
  SecurityOptions: z.array(z.string()).nullish(),
});

const oldestMajor = 20;

/** Whether an engine answers and is usable; a `host` runs ghosts. */
export async function checkEngine(check: string, address: EngineAddress, host: boolean): Promise<Finding> {
  const { engine } = address;
  try {
    const { body } = await askEngine(address, '/info');
    const { ServerVersion: version, SecurityOptions: options } = info.parse(body);
    if (Number(version.split('.')[0]) < oldestMajor)
      return bad(check, `${engine} is Docker ${version}`, 'upgrade it to 20.10 or newer');
    const why = host ? whyNoHost(body, options ?? []) : undefined;
    if (why !== undefined) return bad(check, `${engine} ${why.text}`, why.fix);
    return good(check, `${engine}, Docker ${version}`);
  } catch (error) {
    return bad(check, `${engine}: ${messageOf(error)}`, fixFor(engine));
  }
}

/** Why a gateway takes no such engine as a host, by the same facts that the gateway asks for. */
function whyNoHost(body: unknown, options: readonly string[]): { text: string; fix: string } | undefined {
  const mapped = options.find((option) => /^name=(rootless|userns)/.test(option));
  if (mapped !== undefined)
    return { text: `maps users (${mapped})`, fix: 'use an engine without user namespaces for ghosts' };
  const lacking = missingLimits(body);
  if (lacking.length > 0)
    return {
      text: `does not limit ${lacking.join(' and ')} (host-limits)`,
      fix: 'give its machine the cgroup controllers, or use another engine',
    };
  if (processorOf(body) !== undefined) return undefined;
  const text = `runs on ${JSON.stringify(architectureOf(body))} (host-processor)`;
  return { text, fix: `use an engine on ${processorNames}` };
}

function fixFor(engine: string): string {
  if (engine.startsWith('unix:')) return 'start Docker, and let this user into its group (or run as root)';
  if (engine.startsWith('ssh:'))
    return 'check its address, that its host key is known and that the key may log in; docs/setup.md says how';
  return 'check its address and certificates, and that its port is open to this machine';
}

/** Something that must exist: an image, a volume, a network. */
export async function checkPresent(
  check: string,
  address: EngineAddress,
  path: string,
  fix: string,
): Promise<Finding | undefined> {
  const answer = await askEngine(address, path).catch(() => undefined);
  // An engine that does not answer is a separate finding.
  if (answer === undefined || answer.status < 400) return undefined;
  const message = z.object({ message: z.string() }).safeParse(answer.body);
  return bad(check, message.success ? message.data.message : `status ${answer.status}`, fix);
}
