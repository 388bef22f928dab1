import { options, subcommands, type ToolGrammar, withImplied, withOptions } from './grammar.ts';

const everywhere = options(
  '-n,--namespace= --request-timeout= -v= -h,--help --context= --cluster=',
  `--kubeconfig= --cache-dir= --profile= --profile-output= -s,--server= --token= --user= --username= --password= --as= --as-group=
  --as-uid= --certificate-authority= --client-certificate= --client-key= --insecure-skip-tls-verify? --tls-server-name=
  --log-dir= --log-file= --vmodule=`,
);

const look = withOptions(
  options(
    `-A,--all-namespaces? -o,--output= -l,--selector= --field-selector= -w,--watch? --show-labels? --sort-by= -L,--label-columns= --no-headers? -R,--recursive?
    --ignore-not-found? --chunk-size= --show-kind? --show-events? --subresource= --client? --short? --api-group= --namespaced?
    --verbs= --categories= --containers? --tail= --since= --since-time= -c,--container= -p,--previous? --timestamps?
    --all-containers? --prefix? --limit-bytes= --max-log-requests= --api-version= --recursive?`,
    '-f,--filename= -k,--kustomize= --raw= --template=',
  ),
  everywhere,
);

/** kubectl 1.20 and later. */
export const kubectl: ToolGrammar = {
  style: 'gnu',
  optionalBehindEquals: true,
  options: everywhere,
  subcommands: withImplied(
    [
      ...subcommands('get describe explain version api-resources api-versions top cluster-info', look),
      ...subcommands('logs', withOptions(options('-f,--follow?'), look)),
      ...subcommands(
        `annotate apply attach auth autoscale certificate completion config cordon cp create debug delete diff drain edit events exec
      expose kustomize label options patch plugin port-forward proxy replace rollout run scale set taint uncordon wait`,
        new Map(),
        false,
      ),
    ],
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
    auth: create
  `,
  ),
};
