import { commandsOf, nested } from './command-tables.ts';
import { dockerCommands } from './docker-commands.ts';
import { options, subcommands, type ToolGrammar, withImplied } from './grammar.ts';

const looks = 'ps images version info inspect port top diff history logs';

const all = nested(
  withImplied(
    [
      ...commandsOf(dockerCommands, { style: 'gnu', harmless: new Set(looks.split(' ')) }),
      ...subcommands('buildx compose', new Map(), false),
    ],
    `
    run: create start pull attach
    create: pull
    start: attach
    restart: stop start
    build: pull
    buildx: build pull push
    compose: attach build commit cp create events exec export images kill logs pause port ps pull push restart rm run start stats stop top unpause volume wait
  `,
  ),
);

/** Docker 20 and later. Of its plug-ins only the names are known. */
export const docker: ToolGrammar = {
  style: 'posix',
  options: options(
    '-v,--version --help',
    '-H,--host= --config= -c,--context= -D,--debug -l,--log-level= --tls --tlscacert= --tlscert= --tlskey= --tlsverify',
  ),
  subcommands: withImplied(
    [...all],
    `
    builder: build pull
    stack: service create pull
    service: create pull
  `,
  ),
};
