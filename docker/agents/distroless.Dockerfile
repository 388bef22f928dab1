# An agent on a distroless image: no shell, so the installer runs in another image, on a tree beside it. In the folder of
# this repository, after scripts/bootstrap, with the image that you use:
#
#   docker build --file docker/agents/distroless.Dockerfile --build-arg BASE=IMAGE --tag my-agent .
#
ARG BASE
ARG TOOLS=busybox:1.37
FROM ${TOOLS} AS tree
COPY scripts/install-clawrden.sh build/native/clawrden-shim /opt/clawrden/
RUN mkdir /tree && sh /opt/clawrden/install-clawrden.sh --prefix /tree --tools npm,git

FROM ${BASE}
# The folder of the socket is made by its mount. A layer renames nothing below it: to lock programs, see scratch.Dockerfile.
COPY --from=tree /tree/clawrden /clawrden
# No shell reads a file here: PATH is all there is.
ENV PATH=/clawrden/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
WORKDIR /app
USER 1000:1000
