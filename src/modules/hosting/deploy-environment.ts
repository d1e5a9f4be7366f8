/** Provides the environment variables of a deploy's server. The module that owns deploys implements this port. */
export abstract class DeployEnvironment {
  /** Returns names and values. They include secrets and must not be logged. */
  abstract of(deployId: string): Promise<Readonly<Record<string, string>>>;

  /** Returns a function that hides the values of the deploy's secrets in a line of text. */
  abstract maskOf(deployId: string): Promise<(text: string) => string>;
}
