# An agent on python:slim, whose pip asks. In the folder of this repository, after scripts/bootstrap:
#
#   docker build --file docker/agents/python.Dockerfile --tag my-agent .
#
ARG BASE=python:3.13-slim
FROM ${BASE}

RUN grep -q :1000: /etc/passwd || useradd --uid 1000 --create-home agent

# A program with several names is locked by each of them. python itself is the agent's own: it finds the shim by PATH,
# as every program does.
COPY scripts/install-clawrden.sh build/native/clawrden-shim /opt/clawrden/
RUN sh /opt/clawrden/install-clawrden.sh --user 1000 --lock-binaries pip,pip3,pip3.13 --tools pip,pip3,npm,git

# As the installer prints them.
ENV PATH=/clawrden/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV BASH_ENV=/clawrden/path.sh ENV=/clawrden/path.sh

WORKDIR /app
USER 1000:1000
CMD ["sleep", "infinity"]
