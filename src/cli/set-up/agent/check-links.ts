import { helpToolName } from '../../../policy/help-tool.ts';
import { bad, doubtful, type Finding } from '../doctor/finding.ts';
import type { JailEntry, JailFacts, JailWanted } from './jail-facts.ts';

const shimName = '.shim';
const mostNamed = 5;

/** The links of the jail and the socket, as the agent sees them. */
export function checkLinks(facts: JailFacts, wanted: JailWanted): Finding[] {
  const check = `agent ${wanted.agent}`;
  const restart = 'start the relay; it makes what is missing';
  return [
    ...(facts.jail === undefined
      ? [bad(check, 'there is no folder /clawrden/bin in it', `mount ${wanted.jail} there, read-only`)]
      : checkEntries(facts.jail, wanted)),
    ...(facts.hasSocket
      ? []
      : [bad(check, 'there is no socket /var/run/clawrden/warden.sock in it', restart)]),
    ...(facts.unlocked.length > 0
      ? [
          bad(
            check,
            `not locked: ${named(facts.unlocked)} can be run past the jail`,
            'rename each to NAME.original in the image',
          ),
        ]
      : []),
  ];
}

function checkEntries(jail: readonly JailEntry[], { agent, shim: own }: JailWanted): Finding[] {
  const check = `agent ${agent}`;
  const shim = jail.find(({ name }) => name === shimName);
  const restart = 'restart the relay; it makes the jail anew';
  if (shim?.type !== 'file' || (shim.mode & 0o111) === 0)
    return [bad(check, `/clawrden/bin/${shimName} is missing or no program`, restart)];
  const tools = jail.filter(({ name }) => !name.startsWith('.'));
  const foreign = tools.filter(({ type, target }) => type !== 'link' || target !== shimName);
  const names = foreign.map(({ name }) => name);
  return [
    ...(own !== undefined && !own.equals(shim.bytes)
      ? [doubtful(check, 'its shim is not the one of this installation', restart)]
      : []),
    ...(names.length > 0
      ? [bad(check, `no link to the shim in /clawrden/bin: ${named(names)}`, restart)]
      : []),
    ...(tools.every(({ name }) => name === helpToolName)
      ? [
          doubtful(
            check,
            '/clawrden/bin has no tool',
            'see clawrden agents: the policy lets this agent use no tool, or the relay has not heard of it yet',
          ),
        ]
      : []),
  ];
}

function named(names: readonly string[]): string {
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${more}`;
}
