# An agent on Alpine: busybox, and no bash. In the folder of this repository, after scripts/bootstrap:
#
#   docker build --file docker/agents/alpine.Dockerfile --tag my-agent .
#
ARG BASE=alpine:3.22
FROM ${BASE}

RUN grep -q :1000: /etc/passwd || adduser -D -u 1000 agent

# The shim is static: it needs no library of glibc.
COPY scripts/install-clawrden.sh build/native/clawrden-shim /opt/clawrden/
RUN sh /opt/clawrden/install-clawrden.sh --user 1000 --lock-binaries npm,docker --tools npm,git

# As the installer prints them. An interactive sh reads ENV.
ENV PATH=/clawrden/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV BASH_ENV=/clawrden/path.sh ENV=/clawrden/path.sh

WORKDIR /app
USER 1000:1000
CMD ["sleep", "infinity"]
