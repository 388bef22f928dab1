# An agent on Debian. In the folder of this repository, after scripts/bootstrap (which builds the shim):
#
#   docker build --file docker/agents/debian.Dockerfile --tag my-agent .
#
ARG BASE=debian:bookworm-slim
FROM ${BASE}

# What you install comes before the installer: it locks what it finds.
RUN grep -q :1000: /etc/passwd || useradd --uid 1000 --create-home agent

COPY scripts/install-clawrden.sh build/native/clawrden-shim /opt/clawrden/
RUN sh /opt/clawrden/install-clawrden.sh --user 1000 --lock-binaries npm,docker --tools npm,git

# As the installer prints them.
ENV PATH=/clawrden/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV BASH_ENV=/clawrden/path.sh ENV=/clawrden/path.sh

WORKDIR /app
USER 1000:1000
CMD ["sleep", "infinity"]
