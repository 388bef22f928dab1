import { bad, doubtful, type Finding } from '../doctor/finding.ts';
import type { JailFacts, JailWanted } from './jail-facts.ts';

/** User, network, capabilities, namespaces and devices of an agent's container. */
export function checkRights(facts: JailFacts, wanted: JailWanted): Finding[] {
  const check = `agent ${wanted.agent}`;
  return [
    ...checkUser(facts, wanted),
    ...checkNetwork(facts, check),
    ...checkPrivileges(facts, check),
    ...checkNamespaces(facts, check),
  ];
}

function checkUser({ container, user, isUserKnown }: JailFacts, { agent, users }: JailWanted): Finding[] {
  const check = `agent ${agent}`;
  const [{ uid, gid } = { uid: 1000, gid: 1000 }] = users;
  const fix = `start it as ${uid}:${gid}, as clawrden agent run ${agent} does`;
  const name = container.Config.User;
  if (/^(0+|root)?(:|$)/.test(name)) return [bad(check, 'it runs as root', fix)];
  if (user === undefined)
    return [doubtful(check, `its user is ${name}, and its image does not say which that is`, fix)];
  if (user.uid === 0) return [bad(check, `it runs as root, under the name ${name}`, fix)];
  if (users.some((each) => each.uid === user.uid && each.gid === user.gid))
    return isUserKnown
      ? []
      : [doubtful(check, `its image has no user ${user.uid} in /etc/passwd`, nameless(user.uid))];
  return [bad(check, `it runs as ${user.uid}:${user.gid}, which is no user of agent ${agent}`, fix)];
}

function nameless(uid: number): string {
  return `make it in the image if git, ssh or npm fail for want of a name: adduser -u ${uid} agent`;
}

function checkNetwork({ container }: JailFacts, check: string): Finding[] {
  const { NetworkMode: mode } = container.HostConfig;
  const joined = container.NetworkSettings.filter((name) => name !== 'none');
  if (mode === 'none' && joined.length === 0) return [];
  const which = joined.length > 0 ? joined.join(', ') : mode;
  return [bad(check, `it has a network (${which})`, 'start it with --network none')];
}

function checkPrivileges({ container }: JailFacts, check: string): Finding[] {
  const { Privileged, CapAdd, CapDrop, SecurityOpt, GroupAdd } = container.HostConfig;
  const found: (Finding | false)[] = [
    Privileged && bad(check, 'it is privileged', 'start it without --privileged'),
    CapAdd.length > 0 &&
      bad(check, `it has added capabilities (${CapAdd.join(', ')})`, 'start it without --cap-add'),
    !CapDrop.some((name) => name.toUpperCase() === 'ALL') &&
      doubtful(check, 'a program of its user root would have capabilities', 'start it with --cap-drop ALL'),
    !SecurityOpt.some(isNoNewPrivileges) &&
      bad(
        check,
        'a setuid program in it runs as another user',
        'start it with --security-opt no-new-privileges',
      ),
    GroupAdd.length > 0 &&
      doubtful(check, `it has other groups (${GroupAdd.join(', ')})`, 'start it without --group-add'),
    ...SecurityOpt.filter(isOpen).map((option) =>
      bad(check, `it has the security option ${option}`, 'start it without that option'),
    ),
  ];
  return found.filter((finding) => finding !== false);
}

function isNoNewPrivileges(option: string): boolean {
  return /^no-new-privileges([:=]true)?$/.test(option);
}

function isOpen(option: string): boolean {
  return /^(seccomp|apparmor|systempaths)[:=]unconfined$|^label[:=]disable$|^no-new-privileges[:=]false$/.test(
    option,
  );
}

const namespaces = [
  ['PidMode', 'processes'],
  ['IpcMode', 'shared memory'],
  ['UTSMode', 'host name'],
] as const;

function checkNamespaces({ container }: JailFacts, check: string): Finding[] {
  const { HostConfig } = container;
  const shared = namespaces.filter(([key]) => /^(host$|container:)/.test(HostConfig[key]));
  const devices = [...HostConfig.Devices, ...HostConfig.DeviceRequests, ...HostConfig.DeviceCgroupRules];
  return [
    ...shared.map(([key, what]) =>
      bad(check, `it shares ${what} (${HostConfig[key]})`, 'start it without that option'),
    ),
    // Of kernels with the first version of cgroups that is the default; the container reads names of others there.
    ...(HostConfig.CgroupnsMode === 'host'
      ? [doubtful(check, 'it sees the cgroups of this machine', 'start it with --cgroupns private')]
      : []),
    ...(devices.length > 0
      ? [bad(check, 'it has devices of this machine', 'start it without --device and --gpus')]
      : []),
  ];
}
