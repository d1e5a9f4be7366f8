/** What the server of a deploy is started with, known to whoever keeps deploys. Hosting asks for it at each start. */
export abstract class DeployEnvironment {
  /** Names and values, secrets included; never logged. */
  abstract of(deployId: string): Promise<Readonly<Record<string, string>>>;
}
