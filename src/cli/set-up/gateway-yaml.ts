/** The gateway.yaml that `clawrden init` writes: it loads unchanged, and says what may be changed. */
export const gatewayYaml = `# What this gateway serves. docs/reference.md explains every key; relative paths are relative to this file.

# Relays, people and orchestrators, each with a certificate of this gateway's authority.
grpc: { listen: "0.0.0.0:8443" }

# Machines that have no certificate yet: this listener serves enrolment and nothing else.
enroll: { listen: "0.0.0.0:8444" }

# The same for people and programs with an API token; docs/http.md. Other machines need http.tls or a proxy.
http: { listen: "127.0.0.1:8080" }

# Keys, certificates and the database: this folder. Nobody but the gateway's user may read it.
state: .
policy: policy.yaml
audit: audit.jsonl

# limits: { running: 200, queued: 1000, pending-per-agent: 20, executions-per-agent: 50 }

# The engines that run ghosts. The gateway can do there what root can.
hosts:
  - name: local
    engine: "unix:///var/run/docker.sock"
    slots: 8
  # - name: build-1
  #   engine: tcp://build-1.example:2376
  #   tls: { ca: build-1/ca.pem, cert: build-1/cert.pem, key: build-1/key.pem }
  #   labels: { zone: a }
  # - name: build-2
  #   engine: ssh://docker@build-2.example
  #   ssh: { identity: build-2.key, known-hosts: known-hosts }

# Who may ask, through which relay, as which users.
agents:
  - name: coder
    relay: host-1
    users: ["1000:1000"]
    cwd: /app
    workspace: { volume: coder-app } # or { bind: /srv/coder }; it must exist on the host that is to run something
    # hosts: { zone: a }

# The last line: a file that is cut, as by a full disk or a power cut, is refused.
complete: true
`;
