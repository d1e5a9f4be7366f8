import { join } from 'node:path';
import { freePort } from '../support/free-port.js';
import { ServiceProcess } from '../support/service-process.js';
import { commandsOf } from './page.js';
import { nodeOf } from './previous-release.js';

type Role = 'api' | 'edge' | 'worker';

/** A process with the addresses at which others reach it. */
export interface Running {
  readonly service: ServiceProcess;
  /** The port of the hosts of deploys, of an `edge`. */
  readonly appsPort: number;
}

/** Starts the processes of one release, which share servers, data and secrets with those of another. */
export class Release {
  /**
   * @param directory of the built tree, or undefined for this release, which builds what is stale
   */
  constructor(
    private readonly directory: string | undefined,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  async start(role: Role): Promise<Running> {
    const appsPort = await freePort();
    const env = { ...this.env, APPS_PORT: String(appsPort) };
    return { service: await ServiceProcess.start({ role, env, ...this.command(role) }), appsPort };
  }

  /**
   * Runs the role `migrate` to its end, of this release as its page says. @throws {Error} with its output when it
   * fails.
   */
  async migrate(): Promise<string> {
    const { code, stdout, stderr } = await ServiceProcess.run({
      role: 'migrate',
      env: this.env,
      ...(this.directory === undefined ? { command: commandsOf('migrate')[0]! } : this.command('migrate')),
    });
    if (code !== 0) throw new Error(`migrate ended with ${String(code)}: ${stdout}${stderr}`);
    return stdout;
  }

  private command(role: string): { command?: readonly string[] } {
    return this.directory === undefined
      ? {}
      : { command: [nodeOf(this.directory), join(this.directory, 'dist/src/main.js'), role] };
  }
}

/** Stops a process as the operator does. @throws {Error} unless it ends in order. */
export async function stop({ service }: Running): Promise<void> {
  service.signal('SIGTERM');
  const { code, stderr } = await service.ended;
  if (code !== 0) throw new Error(`A process ended with ${String(code)}: ${stderr}`);
}
