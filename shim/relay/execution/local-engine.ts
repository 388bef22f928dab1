import Docker from 'dockerode';
import { boundAnswers } from '../../../src/container/bounded-answers.ts';

/** A client of the engine at `unix:///path`, whatever `DOCKER_HOST` says. */
export function localEngine(url: string): Docker {
  return boundAnswers(new Docker({ protocol: 'http', host: undefined, socketPath: new URL(url).pathname }));
}
