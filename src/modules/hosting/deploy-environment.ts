import type { LocalService } from '../../platform/egress/local-service.js';

/** Provides the environment variables of a deploy's server. The module that owns deploys implements this port. */
export abstract class DeployEnvironment {
  /** Returns names and values. They include secrets and must not be logged. */
  abstract of(deployId: string): Promise<Readonly<Record<string, string>>>;

  /** Returns what the server of the deploy reaches at ports of 127.0.0.1, such as attached databases. */
  abstract servicesOf(deployId: string): Promise<readonly LocalService[]>;

  /** Returns a function that hides the values of the deploy's secrets in a line of text. */
  abstract maskOf(deployId: string): Promise<(text: string) => string>;
}
