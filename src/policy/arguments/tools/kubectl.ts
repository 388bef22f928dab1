import { commandsOf, nested } from './command-tables.ts';
import { options, type ToolGrammar, withImplied } from './grammar.ts';
import { kubectlCommands } from './kubectl-commands.ts';

const everywhere = options(
  `-n,--namespace= --request-timeout= -v,--v= -h,--help --context= --cluster= --disable-compression? --match-server-version?
  --warnings-as-errors? --log-flush-frequency=`,
  `--kubeconfig= --cache-dir= --profile= --profile-output= -s,--server= --token= --user= --username= --password= --as= --as-group=
  --as-uid= --certificate-authority= --client-certificate= --client-key= --insecure-skip-tls-verify? --tls-server-name=
  --log-dir= --log-file= --vmodule=`,
);

const looks = [
  ...['get', 'describe', 'explain', 'version', 'api-resources', 'api-versions', 'cluster-info', 'logs'],
  ...['top.node', 'top.pod'],
];

const all = nested(
  withImplied(
    commandsOf(kubectlCommands, {
      harmless: new Set(looks),
      risky: new Set([
        '--filename',
        '--kustomize',
        '--raw',
        '--template',
        '--insecure-skip-tls-verify-backend',
      ]),
      options: everywhere,
    }),
    `
    apply: create patch replace delete
    replace: create patch delete
    edit: patch create apply replace
    run: create attach delete
    debug: create attach
    expose: create
    autoscale: create
    drain: cordon delete
    cp: exec
  `,
  ),
);

/** kubectl 1.20 and later. */
export const kubectl: ToolGrammar = {
  style: 'gnu',
  optionalBehindEquals: true,
  options: everywhere,
  subcommands: withImplied([...all], 'auth: create'),
};
