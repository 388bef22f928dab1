import { NameSet } from './name-set.ts';

/** What a variable with that name may contain. Each check takes time in proportion to the value. */
interface Kind {
  readonly names: NameSet;
  readonly holds: (value: string) => boolean;
}

const longest = 128;

const locale = /^[A-Za-z0-9]+(_[A-Za-z0-9]+)?(\.[A-Za-z0-9-]+)?(@[A-Za-z0-9]+)?$/;
const word = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const zone = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z][A-Za-z0-9_+-]*){0,2}$/;
/** POSIX's own form: `CET-1CEST,M3.5.0,M10.5.0`. */
const zoneRule = /^[A-Za-z<][A-Za-z0-9<>+,.:-]*$/;
/** The same with the times of both changes: `EST5EDT,M3.2.0/2,M11.1.0/2`. */
const timedZoneRule =
  /^[A-Za-z<][A-Za-z0-9<>+:-]*(?:,(?:J?\d{1,3}|M\d{1,2}\.\d\.\d)(?:\/[+-]?\d{1,3}(?::\d{1,2}){0,2})?){2}$/;
const zones = [zone, zoneRule, timedZoneRule];

const kinds: readonly Kind[] = [
  { names: new NameSet(['LANG', 'LC_*']), holds: (value) => locale.test(value) },
  { names: new NameSet(['LANGUAGE']), holds: (value) => value.split(':').every((one) => locale.test(one)) },
  {
    names: new NameSet(['TERM', 'COLORTERM']),
    holds: (value) => /^[A-Za-z0-9][A-Za-z0-9_+-]*(\.[A-Za-z0-9_+-]+)*$/.test(value),
  },
  { names: new NameSet(['TZ']), holds: (value) => zones.some((form) => form.test(value)) },
  {
    names: new NameSet(['COLUMNS', 'LINES', 'SOURCE_DATE_EPOCH', 'SHLVL']),
    holds: (value) => /^[0-9]+$/.test(value),
  },
  {
    names: new NameSet([
      'CI',
      'NODE_ENV',
      'NO_COLOR',
      'FORCE_COLOR',
      'CLICOLOR',
      'CLICOLOR_FORCE',
      'DEBIAN_FRONTEND',
      'USER',
      'LOGNAME',
    ]),
    holds: (value) => word.test(value),
  },
];

/** With a value of another kind than its name says, the tool would read a file of the agent's, or worse. */
export function isOfItsKind(name: string, value: string): boolean {
  const kind = kinds.find(({ names }) => names.has(name));
  return kind === undefined || value === '' || (value.length <= longest && kind.holds(value));
}
