# The command in an image of its own, built from this checkout and its lock file:
#   docker build -t octavo .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/workspace" -e OCTAVO_BASE_URL -e OCTAVO_TOKEN octavo plan -f docs

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS build
WORKDIR /opt/octavo
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/octavo/package.json /opt/octavo/LICENSE /opt/octavo/
COPY --from=build /opt/octavo/dist /opt/octavo/dist
COPY --from=build /opt/octavo/schemas /opt/octavo/schemas
COPY --from=build /opt/octavo/node_modules /opt/octavo/node_modules
RUN ln -s /opt/octavo/dist/octavo.js /usr/local/bin/octavo
# What Node compiles of the common commands, which nobody changes later. Node keeps it by the number of the user; other
# numbers than these do without.
ENV NODE_COMPILE_CACHE=/opt/octavo/compiled
RUN cd "$(mktemp -d)" && printf 'octavo: 1\norganization: org_acme\nteams: { a: { title: A } }\n' > octavo.yaml \
 && HOME="$PWD" octavo apply --base-url local --seed sample --auto-approve > /dev/null \
 && cd "$NODE_COMPILE_CACHE" && own="$(echo *-0)" \
 && for user in 501 $(seq 1000 2000) 65534; do ln -s "$own" "${own%-0}-$user"; done \
 && chmod -R a+rX .
# Any user may run it: --user makes it the owner of the repository that is mounted. git refuses a repository of somebody else,
# whose configuration could name programs to run.
ENV HOME=/tmp
USER node
WORKDIR /workspace
# docker build --build-arg VERSION=0.1.0 --build-arg REVISION="$(git rev-parse HEAD)"
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="octavo" \
      org.opencontainers.image.description="Documentation workspaces as code" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
# octavo serve is reachable from outside of the container with --host 0.0.0.0 --i-know-this-is-not-production.
EXPOSE 4000
ENTRYPOINT ["octavo"]
CMD ["--help"]
