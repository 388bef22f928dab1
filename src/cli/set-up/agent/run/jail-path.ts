const jail = '/clawrden/bin';
const usual = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** PATH with the jail first, and then as the variables have it: of a name that stands twice the last counts. */
export function jailFirst(env: readonly string[]): string {
  const path = env.findLast((entry) => entry.startsWith('PATH='))?.slice('PATH='.length) ?? usual;
  const others = path.split(':').filter((folder) => !/^\/clawrden\/bin\/?$/.test(folder));
  return [jail, ...others].join(':');
}
