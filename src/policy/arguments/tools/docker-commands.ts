/**
 * The sub-commands of docker 28 by all their names, a dot for a blank, and their options: asked of docker itself. Behind `!` the first
 * operand ends the options.
 */
export const dockerCommands = `
  attach|container.attach: --detach-keys= --no-stdin --sig-proxy --help
  build|builder.build|image.build: --add-host= --build-arg= --cache-from= --cgroup-parent= --compress --cpu-period=
    --cpu-quota= -c,--cpu-shares= --cpuset-cpus= --cpuset-mems= --disable-content-trust -f,--file= --force-rm --iidfile=
    --isolation= --label= -m,--memory= --memory-swap= --network= --no-cache --platform= --pull -q,--quiet --rm
    --security-opt= --shm-size= --squash -t,--tag= --target= --ulimit= --help
  builder.prune: -a,--all --filter= -f,--force --keep-storage= --help
  checkpoint.create: --checkpoint-dir= --leave-running --help
  checkpoint.ls|checkpoint.list: --checkpoint-dir= --help
  checkpoint.rm|checkpoint.remove: --checkpoint-dir= --help
  !commit|container.commit: -a,--author= -c,--change= -m,--message= -p,--pause --help
  config.create: -l,--label= --template-driver= --help
  config.inspect: -f,--format= --pretty --help
  config.ls|config.list: -f,--filter= --format= -q,--quiet --help
  config.rm|config.remove: --help
  container.inspect: -f,--format= -s,--size --help
  container.prune: --filter= -f,--force --help
  context.create: --description= --docker= --from= --help
  context.export: --help
  context.import: --help
  context.inspect: -f,--format= --help
  context.ls|context.list: --format= -q,--quiet --help
  context.rm|context.remove: -f,--force --help
  context.show: --help
  context.update: --description= --docker= --help
  context.use: --help
  cp|container.cp: -a,--archive -L,--follow-link -q,--quiet --help
  !create|container.create: --add-host= --annotation= -a,--attach= --blkio-weight= --blkio-weight-device= --cap-add=
    --cap-drop= --cgroup-parent= --cgroupns= --cidfile= --cpu-count= --cpu-percent= --cpu-period= --cpu-quota=
    --cpu-rt-period= --cpu-rt-runtime= -c,--cpu-shares= --cpus= --cpuset-cpus= --cpuset-mems= --device=
    --device-cgroup-rule= --device-read-bps= --device-read-iops= --device-write-bps= --device-write-iops=
    --disable-content-trust --dns= --dns-option= --dns-search= --domainname= --entrypoint= -e,--env= --env-file= --expose=
    --gpus= --group-add= --health-cmd= --health-interval= --health-retries= --health-start-interval= --health-start-period=
    --health-timeout= --help -h,--hostname= --init -i,--interactive --io-maxbandwidth= --io-maxiops= --ip= --ip6= --ipc=
    --isolation= --kernel-memory= -l,--label= --label-file= --link= --link-local-ip= --log-driver= --log-opt= --mac-address=
    -m,--memory= --memory-reservation= --memory-swap= --memory-swappiness= --mount= --name= --network= --network-alias=
    --no-healthcheck --oom-kill-disable --oom-score-adj= --pid= --pids-limit= --platform= --privileged -p,--publish=
    -P,--publish-all --pull= -q,--quiet --read-only --restart= --rm --runtime= --security-opt= --shm-size= --stop-signal=
    --stop-timeout= --storage-opt= --sysctl= --tmpfs= -t,--tty --ulimit= --use-api-socket -u,--user= --userns= --uts=
    -v,--volume= --volume-driver= --volumes-from= -w,--workdir=
  diff|container.diff: --help
  events|system.events: -f,--filter= --format= --since= --until= --help
  !exec|container.exec: -d,--detach --detach-keys= -e,--env= --env-file= -i,--interactive --privileged -t,--tty -u,--user=
    -w,--workdir= --help
  export|container.export: -o,--output= --help
  history|image.history: --format= -H,--human --no-trunc --platform= -q,--quiet --help
  image.inspect: -f,--format= --platform= --help
  image.prune: -a,--all --filter= -f,--force --help
  images|image.ls|image.list: -a,--all --digests -f,--filter= --format= --no-trunc -q,--quiet --tree --help
  import|image.import: -c,--change= -m,--message= --platform= --help
  info|system.info: -f,--format= --help
  inspect: -f,--format= -s,--size --type= --help
  kill|container.kill: -s,--signal= --help
  load|image.load: -i,--input= --platform= -q,--quiet --help
  login: -p,--password= --password-stdin -u,--username= --help
  logout: --help
  logs|container.logs: --details -f,--follow --since= -n,--tail= -t,--timestamps --until= --help
  manifest.annotate: --arch= --os= --os-features= --os-version= --variant= --help
  manifest.create: -a,--amend --insecure --help
  manifest.inspect: --insecure -v,--verbose --help
  manifest.push: --insecure -p,--purge --help
  manifest.rm: --help
  network.connect: --alias= --driver-opt= --gw-priority= --ip= --ip6= --link= --link-local-ip= --help
  network.create: --attachable --aux-address= --config-from= --config-only -d,--driver= --gateway= --ingress --internal
    --ip-range= --ipam-driver= --ipam-opt= --ipv4 --ipv6 --label= -o,--opt= --scope= --subnet= --help
  network.disconnect: -f,--force --help
  network.inspect: -f,--format= -v,--verbose --help
  network.ls|network.list: -f,--filter= --format= --no-trunc -q,--quiet --help
  network.prune: --filter= -f,--force --help
  network.rm|network.remove: -f,--force --help
  node.demote: --help
  node.inspect: -f,--format= --pretty --help
  node.ls|node.list: -f,--filter= --format= -q,--quiet --help
  node.promote: --help
  node.ps: -f,--filter= --format= --no-resolve --no-trunc -q,--quiet --help
  node.rm|node.remove: -f,--force --help
  node.update: --availability= --label-add= --label-rm= --role= --help
  pause|container.pause: --help
  plugin.create: --compress --help
  plugin.disable: -f,--force --help
  plugin.enable: --timeout= --help
  plugin.inspect: -f,--format= --help
  plugin.install: --alias= --disable --disable-content-trust --grant-all-permissions --help
  plugin.ls|plugin.list: -f,--filter= --format= --no-trunc -q,--quiet --help
  plugin.push: --disable-content-trust --help
  plugin.rm|plugin.remove: -f,--force --help
  plugin.set: --help
  plugin.upgrade: --disable-content-trust --grant-all-permissions --skip-remote-check --help
  port|container.port: --help
  ps|container.ls|container.list|container.ps: -a,--all -f,--filter= --format= -n,--last= -l,--latest --no-trunc -q,--quiet
    -s,--size --help
  pull|image.pull: -a,--all-tags --disable-content-trust --platform= -q,--quiet --help
  push|image.push: -a,--all-tags --disable-content-trust --platform= -q,--quiet --help
  rename|container.rename: --help
  restart|container.restart: -s,--signal= -t,--timeout= --help
  rm|container.rm|container.remove: -f,--force -l,--link -v,--volumes --help
  rmi|image.rm|image.remove: -f,--force --no-prune --platform= --help
  !run|container.run: --add-host= --annotation= -a,--attach= --blkio-weight= --blkio-weight-device= --cap-add= --cap-drop=
    --cgroup-parent= --cgroupns= --cidfile= --cpu-count= --cpu-percent= --cpu-period= --cpu-quota= --cpu-rt-period=
    --cpu-rt-runtime= -c,--cpu-shares= --cpus= --cpuset-cpus= --cpuset-mems= -d,--detach --detach-keys= --device=
    --device-cgroup-rule= --device-read-bps= --device-read-iops= --device-write-bps= --device-write-iops=
    --disable-content-trust --dns= --dns-option= --dns-search= --domainname= --entrypoint= -e,--env= --env-file= --expose=
    --gpus= --group-add= --health-cmd= --health-interval= --health-retries= --health-start-interval= --health-start-period=
    --health-timeout= --help -h,--hostname= --init -i,--interactive --io-maxbandwidth= --io-maxiops= --ip= --ip6= --ipc=
    --isolation= --kernel-memory= -l,--label= --label-file= --link= --link-local-ip= --log-driver= --log-opt= --mac-address=
    -m,--memory= --memory-reservation= --memory-swap= --memory-swappiness= --mount= --name= --network= --network-alias=
    --no-healthcheck --oom-kill-disable --oom-score-adj= --pid= --pids-limit= --platform= --privileged -p,--publish=
    -P,--publish-all --pull= -q,--quiet --read-only --restart= --rm --runtime= --security-opt= --shm-size= --sig-proxy
    --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tmpfs= -t,--tty --ulimit= --use-api-socket -u,--user=
    --userns= --uts= -v,--volume= --volume-driver= --volumes-from= -w,--workdir=
  save|image.save: -o,--output= --platform= --help
  search: -f,--filter= --format= --limit= --no-trunc --help
  secret.create: -d,--driver= -l,--label= --template-driver= --help
  secret.inspect: -f,--format= --pretty --help
  secret.ls|secret.list: -f,--filter= --format= -q,--quiet --help
  secret.rm|secret.remove: --help
  !service.create: --cap-add= --cap-drop= --config= --constraint= --container-label= --credential-spec= -d,--detach --dns=
    --dns-option= --dns-search= --endpoint-mode= --entrypoint= -e,--env= --env-file= --generic-resource= --group=
    --health-cmd= --health-interval= --health-retries= --health-start-interval= --health-start-period= --health-timeout=
    --host= --hostname= --init --isolation= -l,--label= --limit-cpu= --limit-memory= --limit-pids= --log-driver= --log-opt=
    --max-concurrent= --mode= --mount= --name= --network= --no-healthcheck --no-resolve-image --oom-score-adj=
    --placement-pref= -p,--publish= -q,--quiet --read-only --replicas= --replicas-max-per-node= --reserve-cpu=
    --reserve-memory= --restart-condition= --restart-delay= --restart-max-attempts= --restart-window= --rollback-delay=
    --rollback-failure-action= --rollback-max-failure-ratio= --rollback-monitor= --rollback-order= --rollback-parallelism=
    --secret= --stop-grace-period= --stop-signal= --sysctl= -t,--tty --ulimit= --update-delay= --update-failure-action=
    --update-max-failure-ratio= --update-monitor= --update-order= --update-parallelism= -u,--user= --with-registry-auth
    -w,--workdir= --help
  service.inspect: -f,--format= --pretty --help
  service.logs: --details -f,--follow --no-resolve --no-task-ids --no-trunc --raw --since= -n,--tail= -t,--timestamps --help
  service.ls|service.list: -f,--filter= --format= -q,--quiet --help
  service.ps: -f,--filter= --format= --no-resolve --no-trunc -q,--quiet --help
  service.rm|service.remove: --help
  service.rollback: -d,--detach -q,--quiet --help
  service.scale: -d,--detach --help
  service.update: --args= --cap-add= --cap-drop= --config-add= --config-rm= --constraint-add= --constraint-rm=
    --container-label-add= --container-label-rm= --credential-spec= -d,--detach --dns-add= --dns-option-add=
    --dns-option-rm= --dns-rm= --dns-search-add= --dns-search-rm= --endpoint-mode= --entrypoint= --env-add= --env-rm=
    --force --generic-resource-add= --generic-resource-rm= --group-add= --group-rm= --health-cmd= --health-interval=
    --health-retries= --health-start-interval= --health-start-period= --health-timeout= --host-add= --host-rm= --hostname=
    --image= --init --isolation= --label-add= --label-rm= --limit-cpu= --limit-memory= --limit-pids= --log-driver=
    --log-opt= --max-concurrent= --mount-add= --mount-rm= --network-add= --network-rm= --no-healthcheck --no-resolve-image
    --oom-score-adj= --placement-pref-add= --placement-pref-rm= --publish-add= --publish-rm= -q,--quiet --read-only
    --replicas= --replicas-max-per-node= --reserve-cpu= --reserve-memory= --restart-condition= --restart-delay=
    --restart-max-attempts= --restart-window= --rollback --rollback-delay= --rollback-failure-action=
    --rollback-max-failure-ratio= --rollback-monitor= --rollback-order= --rollback-parallelism= --secret-add= --secret-rm=
    --stop-grace-period= --stop-signal= --sysctl-add= --sysctl-rm= -t,--tty --ulimit-add= --ulimit-rm= --update-delay=
    --update-failure-action= --update-max-failure-ratio= --update-monitor= --update-order= --update-parallelism= -u,--user=
    --with-registry-auth -w,--workdir= --help
  stack.config: -c,--compose-file= --skip-interpolation --help
  stack.deploy|stack.up: -c,--compose-file= -d,--detach --prune -q,--quiet --resolve-image= --with-registry-auth --help
  stack.ls|stack.list: --format= --help
  stack.ps: -f,--filter= --format= --no-resolve --no-trunc -q,--quiet --help
  stack.rm|stack.remove|stack.down: -d,--detach --help
  stack.services: -f,--filter= --format= -q,--quiet --help
  start|container.start: -a,--attach --checkpoint= --checkpoint-dir= --detach-keys= -i,--interactive --help
  stats|container.stats: -a,--all --format= --no-stream --no-trunc --help
  stop|container.stop: -s,--signal= -t,--timeout= --help
  swarm.ca: --ca-cert= --ca-key= --cert-expiry= -d,--detach --external-ca= -q,--quiet --rotate --help
  swarm.init: --advertise-addr= --autolock --availability= --cert-expiry= --data-path-addr= --data-path-port=
    --default-addr-pool= --default-addr-pool-mask-length= --dispatcher-heartbeat= --external-ca= --force-new-cluster
    --listen-addr= --max-snapshots= --snapshot-interval= --task-history-limit= --help
  swarm.join: --advertise-addr= --availability= --data-path-addr= --listen-addr= --token= --help
  swarm.join-token: -q,--quiet --rotate --help
  swarm.leave: -f,--force --help
  swarm.unlock: --help
  swarm.unlock-key: -q,--quiet --rotate --help
  swarm.update: --autolock --cert-expiry= --dispatcher-heartbeat= --external-ca= --max-snapshots= --snapshot-interval=
    --task-history-limit= --help
  system.df: --format= -v,--verbose --help
  system.prune: -a,--all --filter= -f,--force --volumes --help
  !tag|image.tag: --help
  !top|container.top: --help
  trust.inspect: --pretty --help
  trust.key.generate: --dir= --help
  trust.key.load: --name= --help
  trust.revoke: -y,--yes --help
  trust.sign: --local --help
  trust.signer.add: --key= --help
  trust.signer.remove: -f,--force --help
  unpause|container.unpause: --help
  update|container.update: --blkio-weight= --cpu-period= --cpu-quota= --cpu-rt-period= --cpu-rt-runtime= -c,--cpu-shares=
    --cpus= --cpuset-cpus= --cpuset-mems= -m,--memory= --memory-reservation= --memory-swap= --pids-limit= --restart= --help
  version: -f,--format= --help
  volume.create: --availability= -d,--driver= --group= --label= --limit-bytes= -o,--opt= --required-bytes= --scope=
    --secret= --sharing= --topology-preferred= --topology-required= --type= --help
  volume.inspect: -f,--format= --help
  volume.ls|volume.list: --cluster -f,--filter= --format= -q,--quiet --help
  volume.prune: -a,--all --filter= -f,--force --help
  volume.rm|volume.remove: -f,--force --help
  volume.update: --availability= --help
  wait|container.wait: --help
`;
