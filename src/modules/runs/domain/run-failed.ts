/** The run cannot go on: it ends with this code, and the message is for people. */
export class RunFailed extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
