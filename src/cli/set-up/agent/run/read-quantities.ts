const units = ['', 'k', 'm', 'g', 't', 'p'];

/** Bytes as docker reads them: `67108864`, `64m`, `64MiB`, `1.5g`. */
export function readBytes(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?) ?([kmgtp]?)(?:i?b)?$/i.exec(text) ?? [];
  if (count === undefined) return undefined;
  const bytes = Math.floor(Number(count) * 1024 ** units.indexOf(unit.toLowerCase()));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** `1.5` in units of 10⁻⁹. */
export function readCpus(text: string): number | undefined {
  const [, whole, part = ''] = /^(\d{0,6})(?:\.(\d{0,9}))?$/.exec(text) ?? [];
  if (whole === undefined || whole + part === '') return undefined;
  return Number(whole) * 1e9 + Number(part.padEnd(9, '0'));
}

export function readInteger(text: string): number | undefined {
  return /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export interface RestartPolicy {
  readonly Name: string;
  readonly MaximumRetryCount: number;
}

export function readRestart(text: string): RestartPolicy | undefined {
  const [, name, count = '0'] =
    /^(no|always|unless-stopped|on-failure(?=:|$))(?::(\d{1,9}))?$/.exec(text) ?? [];
  if (name === undefined || (name !== 'on-failure' && text !== name)) return undefined;
  return { Name: name, MaximumRetryCount: Number(count) };
}
