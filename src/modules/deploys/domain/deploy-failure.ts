/** Why a deploy has ended as `error`, in words for whoever asked for it. Codes are listed in docs/deploys.md. */
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
