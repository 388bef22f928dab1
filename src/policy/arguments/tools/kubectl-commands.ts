/**
 * The sub-commands of kubectl 1.32 by all their names, a dot for a blank, and their options beside those of every sub-command: asked of
 * kubectl itself. `create` and `apply` have those of the words behind them too.
 */
export const kubectlCommands = `
  annotate: --all? -A,--all-namespaces? --allow-missing-template-keys? --dry-run? --field-manager= --field-selector=
    -f,--filename= -k,--kustomize= --list? --local? -o,--output= --overwrite? -R,--recursive? --resource-version=
    -l,--selector= --show-managed-fields? --template=
  api-resources: --api-group= --cached? --categories= --namespaced? --no-headers? -o,--output= --sort-by= --verbs=
  api-versions:
  apply: --all? --allow-missing-template-keys? --cascade? --dry-run? --field-manager= -f,--filename= --force?
    --force-conflicts? --grace-period= -k,--kustomize= --openapi-patch? -o,--output= --overwrite? --prune?
    --prune-allowlist= -R,--recursive? -l,--selector= --server-side? --show-managed-fields? --subresource= --template=
    --timeout= --validate? --wait? --windows-line-endings? --create-annotation?
  attach: -c,--container= --pod-running-timeout= -q,--quiet? -i,--stdin? -t,--tty?
  auth.can-i: -A,--all-namespaces? --list? --no-headers? -q,--quiet? --subresource=
  auth.reconcile: --allow-missing-template-keys? --dry-run? -f,--filename= -k,--kustomize= -o,--output= -R,--recursive?
    --remove-extra-permissions? --remove-extra-subjects? --show-managed-fields? --template=
  auth.whoami: --allow-missing-template-keys? -o,--output= --show-managed-fields? --template=
  autoscale: --allow-missing-template-keys? --cpu-percent= --dry-run? --field-manager= -f,--filename= -k,--kustomize= --max=
    --min= --name= -o,--output= -R,--recursive? --save-config? --show-managed-fields? --template=
  certificate.approve: --allow-missing-template-keys? -f,--filename= --force? -k,--kustomize= -o,--output= -R,--recursive?
    --show-managed-fields? --template=
  certificate.deny: --allow-missing-template-keys? -f,--filename= --force? -k,--kustomize= -o,--output= -R,--recursive?
    --show-managed-fields? --template=
  cluster-info:
  completion:
  config.current-context:
  config.delete-cluster:
  config.delete-context:
  config.delete-user:
  config.get-clusters:
  config.get-contexts: --no-headers? -o,--output=
  config.get-users:
  config.rename-context:
  config.set: --set-raw-bytes?
  config.set-cluster: --certificate-authority= --embed-certs? --insecure-skip-tls-verify? --proxy-url= --server=
    --tls-server-name=
  config.set-context: --cluster= --current? --namespace= --user=
  config.set-credentials: --auth-provider= --auth-provider-arg= --client-certificate= --client-key= --embed-certs?
    --exec-api-version= --exec-arg= --exec-command= --exec-env= --exec-interactive-mode= --exec-provide-cluster-info?
    --password= --token= --username=
  config.unset:
  config.use-context:
  config.view: --allow-missing-template-keys? --flatten? --merge? --minify? -o,--output= --raw? --show-managed-fields?
    --template=
  cordon: --dry-run? -l,--selector=
  cp: -c,--container= --no-preserve? --retries=
  create: --allow-missing-template-keys? --dry-run? --edit? --field-manager= -f,--filename= -k,--kustomize= -o,--output=
    --raw= -R,--recursive? --save-config? --show-managed-fields? --template= --validate? --windows-line-endings?
    --aggregation-rule= --non-resource-url= --resource= --resource-name= --verb= --clusterrole= --group= --serviceaccount=
    --user= --append-hash? --from-env-file= --from-file= --from-literal= --image= --restart= --schedule= --port=
    -r,--replicas= --annotation= --class= --default-backend= --rule= --from= --max-unavailable= --min-available=
    --description= --global-default? --preemption-policy= --value= --hard= --scopes= --role= --docker-email=
    --docker-password= --docker-server= --docker-username= --type= --cert= --key= --clusterip= --tcp= --external-name=
    --node-port= --audience= --bound-object-kind= --bound-object-name= --bound-object-uid= --duration=
  debug: --arguments-only? --attach? -c,--container= --copy-to= --custom= --env= -f,--filename= --image=
    --image-pull-policy= --keep-annotations? --keep-init-containers? --keep-labels? --keep-liveness? --keep-readiness?
    --keep-startup? --profile= -q,--quiet? --replace? --same-node? --set-image= --share-processes? -i,--stdin? --target=
    -t,--tty?
  delete: --all? -A,--all-namespaces? --cascade? --dry-run? --field-selector= -f,--filename= --force? --grace-period=
    --ignore-not-found? -i,--interactive? -k,--kustomize= --now? -o,--output= --raw= -R,--recursive? -l,--selector=
    --timeout= --wait?
  describe: -A,--all-namespaces? --chunk-size= -f,--filename= -k,--kustomize= -R,--recursive? -l,--selector= --show-events?
  diff: --concurrency= --field-manager= -f,--filename= --force-conflicts? -k,--kustomize= --prune? --prune-allowlist=
    -R,--recursive? -l,--selector= --server-side? --show-managed-fields?
  drain: --chunk-size= --delete-emptydir-data? --disable-eviction? --dry-run? --force? --grace-period= --ignore-daemonsets?
    --pod-selector= -l,--selector= --skip-wait-for-delete-timeout= --timeout=
  edit: --allow-missing-template-keys? --field-manager= -f,--filename= -k,--kustomize= -o,--output= --output-patch?
    -R,--recursive? --save-config? --show-managed-fields? --subresource= --template= --validate? --windows-line-endings?
  events: -A,--all-namespaces? --allow-missing-template-keys? --chunk-size= --for= --no-headers? -o,--output=
    --show-managed-fields? --template= --types= -w,--watch?
  exec: -c,--container= -f,--filename= --pod-running-timeout= -q,--quiet? -i,--stdin? -t,--tty?
  explain: --api-version= -o,--output= --recursive?
  expose: --allow-missing-template-keys? --cluster-ip= --dry-run? --external-ip= --field-manager= -f,--filename=
    -k,--kustomize= -l,--labels= --load-balancer-ip= --name= -o,--output= --override-type= --overrides= --port= --protocol=
    -R,--recursive? --save-config? --selector= --session-affinity= --show-managed-fields? --target-port= --template= --type=
  get: -A,--all-namespaces? --allow-missing-template-keys? --chunk-size= --field-selector= -f,--filename=
    --ignore-not-found? -k,--kustomize= -L,--label-columns= --no-headers? -o,--output= --output-watch-events? --raw=
    -R,--recursive? -l,--selector= --server-print? --show-kind? --show-labels? --show-managed-fields? --sort-by=
    --subresource= --template= -w,--watch? --watch-only?
  kustomize: --as-current-user? --enable-alpha-plugins? --enable-helm? -e,--env= --helm-api-versions= --helm-command=
    --helm-debug? --helm-kube-version= --load-restrictor= --mount= --network? --network-name= -o,--output=
  label: --all? -A,--all-namespaces? --allow-missing-template-keys? --dry-run? --field-manager= --field-selector=
    -f,--filename= -k,--kustomize= --list? --local? -o,--output= --overwrite? -R,--recursive? --resource-version=
    -l,--selector= --show-managed-fields? --template=
  logs: --all-containers? --all-pods? -c,--container= -f,--follow? --ignore-errors? --insecure-skip-tls-verify-backend?
    --limit-bytes= --max-log-requests= --pod-running-timeout= --prefix? -p,--previous? -l,--selector= --since= --since-time=
    --tail= --timestamps?
  patch: --allow-missing-template-keys? --dry-run? --field-manager= -f,--filename= -k,--kustomize= --local? -o,--output=
    -p,--patch= --patch-file= -R,--recursive? --show-managed-fields? --subresource= --template= --type=
  port-forward: --address= --pod-running-timeout=
  proxy: --accept-hosts= --accept-paths= --address= --api-prefix= --append-server-path? --disable-filter? --keepalive=
    -p,--port= --reject-methods= --reject-paths= -u,--unix-socket= -w,--www= -P,--www-prefix=
  replace: --allow-missing-template-keys? --cascade? --dry-run? --field-manager= -f,--filename= --force? --grace-period=
    -k,--kustomize= -o,--output= --raw= -R,--recursive? --save-config? --show-managed-fields? --subresource= --template=
    --timeout= --validate? --wait?
  rollout.history: --allow-missing-template-keys? -f,--filename= -k,--kustomize= -o,--output= -R,--recursive? --revision=
    -l,--selector= --show-managed-fields? --template=
  rollout.pause: --allow-missing-template-keys? --field-manager= -f,--filename= -k,--kustomize= -o,--output= -R,--recursive?
    -l,--selector= --show-managed-fields? --template=
  rollout.restart: --allow-missing-template-keys? --field-manager= -f,--filename= -k,--kustomize= -o,--output=
    -R,--recursive? -l,--selector= --show-managed-fields? --template=
  rollout.resume: --allow-missing-template-keys? --field-manager= -f,--filename= -k,--kustomize= -o,--output=
    -R,--recursive? -l,--selector= --show-managed-fields? --template=
  rollout.status: -f,--filename= -k,--kustomize= -R,--recursive? --revision= -l,--selector= --timeout= -w,--watch?
  rollout.undo: --allow-missing-template-keys? --dry-run? -f,--filename= -k,--kustomize= -o,--output= -R,--recursive?
    -l,--selector= --show-managed-fields? --template= --to-revision=
  run: --allow-missing-template-keys? --annotations= --attach? --cascade? --command? --dry-run? --env= --expose?
    --field-manager= -f,--filename= --force? --grace-period= --image= --image-pull-policy= -k,--kustomize= -l,--labels=
    --leave-stdin-open? -o,--output= --override-type= --overrides= --pod-running-timeout= --port= --privileged? -q,--quiet?
    -R,--recursive? --restart= --rm? --save-config? --show-managed-fields? -i,--stdin? --template= --timeout= -t,--tty?
    --wait?
  scale: --all? --allow-missing-template-keys? --current-replicas= --dry-run? -f,--filename= -k,--kustomize= -o,--output=
    -R,--recursive? --replicas= --resource-version= -l,--selector= --show-managed-fields? --template= --timeout=
  set.env: --all? --allow-missing-template-keys? -c,--containers= --dry-run? -e,--env= --field-manager= -f,--filename=
    --from= --keys= -k,--kustomize= --list? --local? -o,--output= --overwrite? --prefix= -R,--recursive? --resolve?
    -l,--selector= --show-managed-fields? --template=
  set.image: --all? --allow-missing-template-keys? --dry-run? --field-manager= -f,--filename= -k,--kustomize= --local?
    -o,--output= -R,--recursive? -l,--selector= --show-managed-fields? --template=
  set.resources: --all? --allow-missing-template-keys? -c,--containers= --dry-run? --field-manager= -f,--filename=
    -k,--kustomize= --limits= --local? -o,--output= -R,--recursive? --requests= -l,--selector= --show-managed-fields?
    --template=
  set.selector: --all? --allow-missing-template-keys? --dry-run? --field-manager= -f,--filename= --local? -o,--output=
    -R,--recursive? --resource-version= --show-managed-fields? --template=
  set.serviceaccount: --all? --allow-missing-template-keys? --dry-run? --field-manager= -f,--filename= -k,--kustomize=
    --local? -o,--output= -R,--recursive? --show-managed-fields? --template=
  set.subject: --all? --allow-missing-template-keys? --dry-run? --field-manager= -f,--filename= --group= -k,--kustomize=
    --local? -o,--output= -R,--recursive? -l,--selector= --serviceaccount= --show-managed-fields? --template= --user=
  taint: --all? --allow-missing-template-keys? --dry-run? --field-manager= -o,--output= --overwrite? -l,--selector=
    --show-managed-fields? --template= --validate?
  top.node|top.nodes|top.no: --no-headers? -l,--selector= --show-capacity? --sort-by= --use-protocol-buffers?
  top.pod|top.pods|top.po: -A,--all-namespaces? --containers? --field-selector= --no-headers? -l,--selector= --sort-by=
    --sum? --use-protocol-buffers?
  uncordon: --dry-run? -l,--selector=
  version: --client? -o,--output=
  wait: --all? -A,--all-namespaces? --allow-missing-template-keys? --field-selector= -f,--filename= --for= --local?
    -o,--output= -R,--recursive? -l,--selector= --show-managed-fields? --template= --timeout=
`;
