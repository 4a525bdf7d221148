# One static binary and nothing else: no shell, no package, no user to become.
#
#   docker build --build-arg VERSION=v1.2.3 -t tailcheck .
#   docker run --rm --read-only -v "$PWD:/work" tailcheck check --sla 'p99<500ms' hey.csv

FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
ARG TARGETOS
ARG TARGETARCH
ARG VERSION=
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
        -ldflags "-s -w -X main.version=$VERSION" -o /out/tailcheck ./cmd/tailcheck && \
    mkdir -p /out/tmp && chmod 1777 /out/tmp

FROM scratch
LABEL org.opencontainers.image.title="tailcheck" \
      org.opencontainers.image.description="Tells the truth about slow requests" \
      org.opencontainers.image.source="https://github.com/tailcheck/tailcheck" \
      org.opencontainers.image.documentation="https://github.com/tailcheck/tailcheck/blob/main/docs/ci/README.md" \
      org.opencontainers.image.licenses="Apache-2.0"
# Spans that do not fit into memory go to /tmp.
COPY --from=build /out/ /
COPY LICENSE /LICENSE
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/tailcheck"]
