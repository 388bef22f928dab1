import { options, subcommands, type ToolGrammar, withImplied } from './grammar.ts';

const look = options(
  `-a,--all -q,--quiet -n,--last= --no-trunc -f,--filter= -s,--size --format= -l,--latest --digests --tail= --since= --until=
  -t,--timestamps --details --type= --no-stream -h,--help -H,--human`,
);

/** Docker 20 and later. */
export const docker: ToolGrammar = {
  style: 'posix',
  options: options(
    '-v,--version --help',
    '-H,--host= --config= -c,--context= -D,--debug -l,--log-level= --tls --tlscacert= --tlscert= --tlskey= --tlsverify',
  ),
  subcommands: withImplied(
    [
      ...subcommands('ps images version info inspect port top diff history', look),
      ...subcommands('logs', withFollow()),
      ...subcommands(
        `attach build builder buildx commit compose config container context cp create events exec export image import kill
      load login logout manifest network node pause plugin pull push rename restart rm rmi run save search secret service
      stack start stats stop swarm system tag trust unpause update volume wait`,
        new Map(),
        false,
      ),
    ],
    `
    run: create start pull attach
    create: pull
    start: attach
    restart: stop start
    build: pull
    builder: build pull
    buildx: build pull push
    compose: attach build commit cp create events exec export images kill logs pause port ps pull push restart rm run start stats stop top unpause volume wait
    stack: service create pull
    service: create pull
  `,
  ),
};

function withFollow(): ReturnType<typeof options> {
  return options('-f,--follow --tail,-n= --since= --until= -t,--timestamps --details');
}
