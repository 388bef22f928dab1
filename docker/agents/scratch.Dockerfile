# An agent that is one program and nothing else. The tree is made, and changed by the installer, in another image. In the
# folder of this repository, after scripts/bootstrap:
#
#   docker build --file docker/agents/scratch.Dockerfile --tag my-agent .
#
ARG TOOLS=busybox:1.37
FROM ${TOOLS} AS tree
COPY scripts/install-clawrden.sh build/native/clawrden-shim /opt/clawrden/
# Your program is copied here instead, with what it needs. This one only waits.
RUN mkdir -p /tree/bin /tree/app && cp /bin/busybox /tree/bin/sleep
RUN sh /opt/clawrden/install-clawrden.sh --prefix /tree --tools npm,git

FROM scratch
COPY --from=tree /tree /
ENV PATH=/clawrden/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /app
USER 1000:1000
CMD ["sleep", "1000000"]
