import { readFileSync } from 'node:fs';

/** Connections that this process' network namespace has tried since it began. */
export function activeOpens(): number {
  const [names = '', values = ''] = readFileSync('/proc/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Tcp:'));
  return Number(values.split(' ')[names.split(' ').indexOf('ActiveOpens')]);
}
