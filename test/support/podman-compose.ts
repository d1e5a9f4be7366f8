import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';
import { command, type CommandResult, type ContainerEngine, containerLimits } from './container-engine.js';
import { buildImage, SERVERS_IMAGE } from './container-images.js';

const PODMAN_COMPOSE = '/usr/bin/podman-compose';
/** Without it, containers would not find each other by their names. */
const NAMES = '/usr/lib/cni/dnsname';
export const hasPodmanCompose = (): boolean => [PODMAN_COMPOSE, NAMES].every((path) => existsSync(path));
const COMPOSE_FILE = join(PROJECT_ROOT, 'deploy/compose.yml');
/** The name in the file, which this release of podman-compose does not read. */
export const PROJECT = 'service-platform';

/** What the official images do with the variables and the volume that compose gives them, made of Debian's packages. */
const POSTGRES_STEPS = `FROM ${SERVERS_IMAGE}
RUN install --directory --owner postgres --mode 0700 /var/lib/postgresql/data
COPY start /usr/local/bin/start
USER postgres
ENTRYPOINT ["bash", "-euc", "source /usr/local/bin/start"]
`;
const START_POSTGRES = `
cd /var/lib/postgresql/data
programs=/usr/lib/postgresql/15/bin
if [ ! -e PG_VERSION ]; then
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  $programs/initdb --pgdata . --username "$POSTGRES_USER" --pwfile /tmp/password --auth-host scram-sha-256 \
    $POSTGRES_INITDB_ARGS
  echo 'host all all all scram-sha-256' >> pg_hba.conf
  echo "CREATE DATABASE $POSTGRES_DB" | $programs/postgres --single -D . postgres
fi
exec $programs/postgres -D . -c listen_addresses='*'
`;
const REDIS_STEPS = `FROM ${SERVERS_IMAGE}
RUN install --directory --owner redis /data
WORKDIR /data
USER redis
ENTRYPOINT ["sh", "-c", "exec \\"$@\\" --protected-mode no --bind 0.0.0.0", "sh"]
`;

/**
 * The podman-compose of Debian 12 (1.0.3), with the engine of the tests. It starts services one after the other without
 * waiting for their conditions, and knows neither secrets from the environment, `pids_limit`, `profiles` nor
 * `stop_grace_period`.
 */
export class PodmanCompose {
  private readonly program: string;
  private readonly directory: string;

  constructor(
    private readonly engine: ContainerEngine,
    private readonly variables: Readonly<Record<string, string>>,
  ) {
    this.directory = join(engine.directory, 'compose');
    mkdirSync(this.directory, { recursive: true });
    this.program = join(this.directory, 'podman');
    writeFileSync(this.program, this.wrapper());
    chmodSync(this.program, 0o755);
    const limits = containerLimits().map((limit) => JSON.stringify(limit));
    writeFileSync(join(this.directory, 'containers.conf'), `[containers]\ndefault_ulimits = [${limits.join(', ')}]\n`);
  }

  /** Builds what stands for the images of the file, under their names. */
  async buildImages(): Promise<void> {
    for (const [tag, steps, start] of [
      ['localhost/postgres:17-bookworm', POSTGRES_STEPS, START_POSTGRES],
      ['localhost/redis:7-bookworm', REDIS_STEPS, ''],
    ] as const) {
      const context = join(this.directory, 'context');
      mkdirSync(context, { recursive: true });
      writeFileSync(join(context, 'Dockerfile'), steps);
      writeFileSync(join(context, 'start'), start);
      await buildImage(this.engine, ['--tag', tag, context]);
    }
  }

  /** Runs it with deploy/compose.yml as it is. */
  run(args: readonly string[], withinMs: number): Promise<CommandResult> {
    return command(PODMAN_COMPOSE, ['-f', COMPOSE_FILE, '-p', PROJECT, '--podman-path', this.program, ...args], {
      withinMs,
      env: {
        ...this.variables,
        CONTAINERS_CONF: join(this.directory, 'containers.conf'),
        // Health checks are timers of systemd, which is not here: the test asks for them.
        DISABLE_HC_SYSTEMD: 'true',
        TMPDIR: join(this.engine.directory, 'tmp'),
      },
    });
  }

  /**
   * The engine's podman, in which two security options have other words, as in the other tests, the device is one that
   * everyone may open, and variables with an empty default are empty.
   */
  private wrapper(): string {
    const device = join(this.directory, 'tun');
    const appArmor = existsSync('/sys/kernel/security/apparmor') ? 'apparmor=unconfined' : 'no-new-privileges';
    return `#!/bin/bash
[ -e ${device} ] || mknod --mode=666 ${device} c 10 200
words=()
for word in "$@"; do
  # It does not know a default that is empty.
  if [[ $word =~ ^([A-Z_]+)=.[{][A-Z_]+:-[}]$ ]]; then word=\${BASH_REMATCH[1]}=; fi
  case $word in
    systempaths=unconfined) word=unmask=ALL ;;
    apparmor=unconfined) word=${appArmor} ;;
    /dev/net/tun) word=${device}:/dev/net/tun ;;
  esac
  words+=("$word")
done
exec podman ${this.engine.globalOptions().join(' ')} "\${words[@]}"
`;
  }
}
