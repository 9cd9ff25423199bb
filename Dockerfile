# The command in an image of its own:
#   docker build -t octavo .
#   docker run --rm -v "$PWD:/workspace" -e OCTAVO_BASE_URL -e OCTAVO_TOKEN octavo plan -f docs

FROM node:22.14.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm pack --silent

FROM node:22.14.0-bookworm-slim
# git reads bases from the repository that is mounted, whoever owns it there.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && git config --system --add safe.directory '*'
COPY --from=build /build/octavo-*.tgz /tmp/octavo.tgz
RUN npm install --global --no-audit --no-fund /tmp/octavo.tgz \
 && npm cache clean --force \
 && rm /tmp/octavo.tgz
USER node
WORKDIR /workspace
EXPOSE 4000
# For octavo serve: any response will do. Other commands end before the first check counts.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4000/v1/orgs').then(() => process.exit(0), () => process.exit(1))"]
ENTRYPOINT ["octavo"]
CMD ["--help"]
