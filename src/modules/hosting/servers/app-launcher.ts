import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { LocalService } from '../../../platform/egress/local-service.js';
import type { Mount } from '../../../platform/isolation/isolation-spec.js';
import type { IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import { lendSocket } from '../../../platform/isolation/lent-socket.js';
import { LISTEN_DESCRIPTOR, type LaunchLimits, type LaunchSpec } from '../../../platform/isolation/launch-spec.js';
import type { NetworkCounts } from '../../../platform/isolation/network/attached-network.js';
import type { OutputPace } from '../../../platform/isolation/output-pace.js';
import { NodePrograms, NodeUnavailable } from '../../../platform/node-programs/node-programs.js';
import { standardLibraryOf, systemPython } from '../../../platform/python/system-python.js';
import { ServerDidNotStart } from '../hosting.errors.js';
import { directoryOf } from '../ingest/file-paths.js';
import type { Manifest } from '../ingest/manifest.js';
import type { AppAllowance } from './app-allowances.js';
import { AppIsolation } from './app-isolation.js';
import { AppNetworks, type PreparedNetwork } from './app-networks.js';
import { AppTools } from './app-tools.js';
import { AppTrees } from './app-trees.js';
import { imageCommand, imageEnvironment, imageRoot } from './image-root.js';
import { KeptFiles } from './kept-files.js';
import { ServerLine } from './server-line.js';
import { type PreparedDoor, ServiceDoors } from './service-doors.js';
import { type WorkingDirectory, workingDirectory, type WritablePlace, writablePlaces } from './writable-places.js';

const MEBIBYTE = 1_048_576;
const LIMITS: Omit<LaunchLimits, 'memoryBytes' | 'cpu'> = {
  tasks: 128,
  openFiles: 4_096,
  fileBytes: 128 * MEBIBYTE,
  scratchBytes: 64 * MEBIBYTE,
  wallMs: null,
  cpuMs: null,
};
/** Enough for a line per request at about 200 requests a second. The output is read on the event loop of all apps. */
export const PACE: OutputPace = {
  linesPerSecond: 200,
  burstLines: 1_000,
  bytesPerSecond: 262_144,
  burstBytes: 1_048_576,
  costOfDropped: 1,
};
/** Each app has a network of its own, so every server can use the same port. */
export const PORT = '3000';
const SYSTEM = ['/usr/bin', '/bin', '/usr/share/zoneinfo', '/usr/share/ca-certificates', '/etc/ssl/certs'];
/** The tree once more, where nothing hides its files. */
const TREE = '/opt/hosting/tree';
/** What an earlier server of the deploy has written. */
const KEPT_ARCHIVE = '/opt/hosting/kept.tar';
const NOT_WRITABLE =
  'The working directory cannot be written to, because it has more than 200 names or is a link. Write to /tmp or ' +
  '/app/.cache instead. See /docs/hosting#what-a-server-writes.';

export interface LaunchedApp {
  readonly program: IsolatedProgram;
  /** The address of the server: a socket of the host, in a directory that only the service can enter. */
  readonly socketPath: string;
  /** Resolves when the server listens, and rejects when it ends before. */
  readonly listening: Promise<void>;
  /** Keeps what the server has written to its directories for its next start. It must run, and not be frozen. */
  readonly keepFiles: () => Promise<void>;
}

/** An app with the connection to its forwarder. */
interface Connected extends Omit<LaunchedApp, 'keepFiles'> {
  readonly line: ServerLine;
}

interface Launch {
  readonly deployId: string;
  readonly orgId: string;
  readonly manifest: Manifest;
  /** The limits of the organization's plan. */
  readonly allowance: AppAllowance;
  /** It is loaded while the files are prepared. */
  readonly environment: Promise<Readonly<Record<string, string>>>;
  /** What the server reaches at local ports. */
  readonly services: Promise<readonly LocalService[]>;
  readonly line: (stream: 'stdout' | 'stderr', text: string) => void;
  /** Called with the number of lines that were dropped because they came too fast. */
  readonly dropped: (lines: number) => void;
}

/**
 * Starts the server of a deploy in isolation: with the network that its plan allows, its own files read-only, and
 * `/tmp`, its working directory and the directories of `writable-places.ts` to write to.
 */
@Injectable()
export class AppLauncher {
  constructor(
    private readonly isolation: AppIsolation,
    private readonly nodes: NodePrograms,
    private readonly trees: AppTrees,
    private readonly tools: AppTools,
    private readonly networks: AppNetworks,
    private readonly kept: KeptFiles,
    private readonly doors: ServiceDoors,
  ) {}

  /** What the servers of this process have exchanged with the network since it started. */
  get networkTotals(): NetworkCounts {
    return this.networks.totals;
  }

  /** What the running server of a deploy has exchanged with the network; null when it has none here. */
  networkCountsOf(deployId: string): Promise<NetworkCounts | null> {
    return this.networks.countsOf(deployId);
  }

  /** @throws {ServerDidNotStart} when this machine cannot run the server. */
  async launch({
    deployId,
    orgId,
    manifest,
    allowance,
    environment,
    services,
    line,
    dropped,
  }: Launch): Promise<LaunchedApp> {
    const missing = this.isolation.missing();
    if (missing.length > 0)
      throw new ServerDidNotStart(`This machine cannot run servers. Missing: ${missing.join(', ')}.`);
    const node = await this.nodeOf(manifest, line);

    const [[network, door], tree, hosts, program, forwarder, tools, kept, variables] = await this.gathered(
      [
        this.networks.prepare(deployId, allowance.network),
        Promise.all([environment, services]).then((given) => this.doors.prepare(...given)),
      ],
      this.trees.of(deployId, manifest),
      this.trees.hostsFile(),
      this.isolation.reachable(node),
      this.isolation.reachable(join(__dirname, 'inside', 'serve.cjs')),
      this.tools.mounts(),
      this.kept.of(deployId, orgId),
      environment,
    );
    const working = workingDirectory(manifest);
    if (working === null && manifest.server!.image === undefined) line('stderr', NOT_WRITABLE);
    const parts = { tree, kept, working, manifest, node: program, forwarder, variables };
    const inside = manifest.server!.image === undefined ? systemInside(parts, tools) : imageInside(parts);
    const launched = this.withSocket((listener) =>
      this.isolation.launch({
        ...inside,
        mounts: [
          ...inside.mounts,
          { from: hosts, to: '/etc/hosts' },
          ...(network?.mounts ?? []),
          ...(door?.mounts ?? []),
        ],
        writable: [],
        network: network?.rules ?? 'loopback',
        limits: {
          ...LIMITS,
          memoryBytes: allowance.memoryMib * MEBIBYTE,
          cpu: { weight: allowance.cpuWeight, maxPercent: allowance.cpuMaxPercent },
        },
        // The total is not limited here, because the log keeps only the last lines.
        output: { line, bytes: Number.MAX_SAFE_INTEGER, pace: PACE, dropped },
        listener,
      }),
    );
    const { line: own, ...followed } = await this.followed(launched, [network, door]);
    const keepFiles = (): Promise<void> => this.kept.keep(deployId, orgId, own.archive());
    return { ...followed, keepFiles };
  }

  /** Waits for all, and gives back what was prepared when something else fails. */
  private async gathered<Others extends readonly unknown[]>(
    preparing: readonly [Promise<PreparedNetwork | null>, Promise<PreparedDoor | null>],
    ...others: { readonly [Index in keyof Others]: Promise<Others[Index]> }
  ): Promise<[[PreparedNetwork | null, PreparedDoor | null], ...Others]> {
    try {
      const [prepared, ...rest] = await Promise.all([Promise.all(preparing), ...others]);
      return [prepared, ...(rest as unknown as Others)];
    } catch (error) {
      for (const each of preparing) void each.then((prepared) => prepared?.discard()).catch(() => undefined);
      throw error;
    }
  }

  private async followed(
    launching: Promise<Connected>,
    prepared: readonly (PreparedNetwork | PreparedDoor | null)[],
  ): Promise<Connected> {
    try {
      const launched = await launching;
      for (const each of prepared) each?.follow(launched.program);
      return launched;
    } catch (error) {
      for (const each of prepared) each?.discard();
      throw error;
    }
  }

  /** A manifest without a version uses the newest Node. */
  private async nodeOf({ nodeVersion }: Manifest, line: Launch['line']): Promise<string> {
    try {
      return await this.nodes.program(nodeVersion ?? this.nodes.lines[0]!, (text) => {
        line('stderr', text);
      });
    } catch (error) {
      throw error instanceof NodeUnavailable ? new ServerDidNotStart(error.message) : error;
    }
  }

  private withSocket(launch: (listener: number) => Promise<IsolatedProgram>): Promise<Connected> {
    return lendSocket(async ({ descriptor, path, remove }) => {
      const program = await launch(descriptor);
      void program.gone.then(remove);
      const line = new ServerLine(path);
      void program.exited.then(() => {
        line.close();
      });
      return { program, socketPath: path, listening: line.listening, line };
    });
  }
}

interface InsideParts {
  readonly tree: string;
  /** What an earlier server of the deploy has written to its directories. */
  readonly kept: string | null;
  /** Null when it cannot be written to. */
  readonly working: WorkingDirectory | null;
  readonly manifest: Manifest;
  readonly node: string;
  readonly forwarder: string;
  readonly variables: Readonly<Record<string, string>>;
}

type Inside = Pick<LaunchSpec, 'command' | 'mounts' | 'system' | 'links' | 'scratch' | 'directory' | 'environment'>;

/** The files of a deploy in `/app`, beside the system of this machine. */
function systemInside(parts: InsideParts, tools: readonly Mount[]): Inside {
  const { tree, kept, working, manifest, node, forwarder, variables } = parts;
  const { command, directory } = manifest.server!;
  const place = posix.join('/app', directoryOf(directory)!);
  const places = writablePlaces(manifest);
  return {
    command: ['/bin/sh', '-c', startScript(places, working), 'sh', ...command],
    mounts: [
      ...[...SYSTEM, ...standardLibraryOf(systemPython())]
        .filter((path) => existsSync(path))
        .map((path) => ({ from: path, to: path })),
      { from: node, to: '/opt/node/bin/node' },
      { from: forwarder, to: '/opt/hosting/serve.cjs' },
      { from: tree, to: '/app' },
      { from: tree, to: TREE },
      ...(working?.mounted ?? []).map((path) => ({ from: join(tree, path), to: `/app/${path}` })),
      ...(kept === null ? [] : [{ from: kept, to: KEPT_ARCHIVE }]),
      ...tools,
    ],
    scratch: [...(working === null ? [] : [working]), ...places].map(({ path, bytes }) => ({
      to: posix.join('/app', path),
      bytes,
    })),
    directory: place,
    environment: {
      NODE_ENV: 'production',
      HOME: '/tmp',
      LANG: 'C.UTF-8',
      npm_config_update_notifier: 'false',
      ...variables,
      PATH: pathFrom(place),
      PORT,
      HOSTNAME: '0.0.0.0',
    },
  };
}

/** The files of a deploy as the whole system. */
function imageInside({ manifest, variables, ...parts }: InsideParts): Inside {
  const { command, directory, image } = manifest.server!;
  return {
    ...imageRoot({ ...parts, manifest }),
    command: imageCommand(command),
    system: 'none',
    directory: posix.join('/', directoryOf(directory)!),
    environment: imageEnvironment(image!.environment, variables, image!.port),
  };
}

/**
 * Prepares the directories that the server may write to. Then starts the server and the forwarder at the same time,
 * because each takes as long as Node takes to start. When the server ends, everything ends with its status. The server
 * does not inherit the socket.
 */
function startScript(places: readonly WritablePlace[], working: WorkingDirectory | null): string {
  const copied = [
    ...places.filter(({ isCopied }) => isCopied).map(({ path }) => [`${TREE}/${path}/.`, `/app/${path}`] as const),
    ...(working?.copied ?? []).map((path) => [`${TREE}/${path}`, `/app/${path}`] as const),
  ];
  const written = [...(working === null ? [] : [working.path]), ...places.map(({ path }) => path)];
  return [
    // Files of a deploy are read-only, and copies of them must not be.
    ...copied.map(([from, to]) => `cp -R --no-preserve=mode --preserve=timestamps ${word(from)} ${word(to)}`),
    ...(working?.links ?? []).map(([path, target]) => `ln -s -- ${word(target)} ${word(`/app/${path}`)}`),
    `[ ! -e ${KEPT_ARCHIVE} ] || /usr/bin/tar -x -f ${KEPT_ARCHIVE} -C / 2>/dev/null`,
    `/opt/node/bin/node /opt/hosting/serve.cjs ${written.map(word).join(' ')} &`,
    `"$@" </dev/null ${LISTEN_DESCRIPTOR}<&-`,
    'exit $?',
  ].join('\n');
}

/** A word of a shell. */
const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Programs of packages come first, as in the scripts of package.json. */
const pathFrom = (place: string): string =>
  [
    ...new Set([`${place}/node_modules/.bin`, '/app/node_modules/.bin']),
    '/opt/node/bin',
    '/opt/tools/bin',
    '/usr/bin',
    '/bin',
  ].join(':');
