import type { Status } from '../../src/http-api/status.ts';
import { shortTexts, toTime, withShortTexts } from '../lists/short-texts.ts';
import type { StatusView } from '../ports/warden-api.ts';

export function toStatus({ startedAt, warnings, ...same }: StatusView): Status {
  return { ...withShortTexts(same), startedAt: toTime(startedAt), warnings: shortTexts(warnings) };
}
