# trowel in a container: `make image`, or `docker build -t trowel .`
#
#   docker run -p 127.0.0.1:65432:65432 -v trowel:/data trowel server -o /data --bind 0.0.0.0 -c /data/server.properties
#   docker run -v "$PWD:/project" -w /project trowel run hello.dig
#
# The images below may be others, with --build-arg: GO needs Go and certificates of authorities; tasks find the programs of BASE, and add
# their own with a Dockerfile that begins with `FROM trowel`.
ARG GO=golang:1.26
ARG BASE=debian:stable-slim

FROM ${GO} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -o /trowel ./cmd/trowel && mkdir /data

FROM ${BASE}
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /trowel /usr/local/bin/trowel
COPY --from=build --chown=65532:65532 /data /data
# No user of the base image, and not root: see docs/server.md.
USER 65532:65532
ENV HOME=/data
WORKDIR /data
VOLUME /data
EXPOSE 65432
ENTRYPOINT ["trowel"]
CMD ["help"]
