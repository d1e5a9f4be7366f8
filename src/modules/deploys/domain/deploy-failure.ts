/** The reason why a deploy ended as `error`. The caller reads the message. Codes are listed in docs/deploys.md. */
export class DeployFailed extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}
