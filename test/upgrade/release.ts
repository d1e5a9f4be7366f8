import { join } from 'node:path';
import { freePort } from '../support/free-port.js';
import { ServiceProcess } from '../support/service-process.js';
import { ENDS_WITHIN_MS } from './page.js';
import { nodeOf } from './previous-release.js';

type Role = 'api' | 'edge' | 'worker' | 'databases';

/** A busy machine runs the end of a process, and hears of it, later. */
const HEARD_WITHIN_MS = 2_000;

/** A process with the addresses at which others reach it. */
export interface Running {
  readonly service: ServiceProcess;
  /** The port of the hosts of deploys, of an `edge`. */
  readonly appsPort: number;
}

/** Starts the processes of one release, which share servers, data and secrets with those of another. */
export class Release {
  /**
   * @param directory of the built tree
   * @param migration runs the role `migrate` there
   */
  constructor(
    private readonly directory: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly migration: readonly string[] = programOf(directory, 'migrate'),
  ) {}

  async start(role: Role): Promise<Running> {
    const appsPort = await freePort();
    const env = { ...this.env, APPS_PORT: String(appsPort) };
    const command = programOf(this.directory, role);
    return { service: await ServiceProcess.start({ env, command, cwd: this.directory }), appsPort };
  }

  /** Runs the role `migrate` to its end. @throws {Error} with its output when it fails. */
  async migrate(): Promise<string> {
    const { env, migration: command, directory: cwd } = this;
    const { code, stdout, stderr } = await ServiceProcess.run({ env, command, cwd });
    if (code !== 0) throw new Error(`migrate ended with ${String(code)}: ${stdout}${stderr}`);
    return stdout;
  }
}

const programOf = (directory: string, role: Role | 'migrate'): readonly string[] => [
  nodeOf(directory),
  join(directory, 'dist/src/main.js'),
  role,
];

/** Stops a process as the operator does. @throws {Error} unless it ends in order, and as soon as the page says. */
export async function stop({ service }: Running): Promise<void> {
  const startedAt = performance.now();
  service.signal('SIGTERM');
  const { code, stderr } = await service.ended;
  const tookMs = performance.now() - startedAt;
  if (code !== 0) throw new Error(`A process ended with ${String(code)}: ${stderr}`);
  if (tookMs > ENDS_WITHIN_MS + HEARD_WITHIN_MS) throw new Error(`A process took ${tookMs} ms to end: ${stderr}`);
}
