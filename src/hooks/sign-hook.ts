import { createHmac } from 'node:crypto';

/** `t=SECONDS,v1=HEX`: HMAC-SHA256 of `SECONDS.BODY`, so that neither counts without the other. */
export function signHook(secret: string, body: string, at: number): string {
  const seconds = Math.floor(at / 1000);
  const code = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${code}`;
}
