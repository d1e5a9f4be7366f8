/** An export that has been asked for. All of it is of one moment. */
export interface Dump {
  /** Returns when there is something to read. What fails before can be answered as an error. @throws {DomainError} */
  begin(): Promise<void>;
  /** Yields all of it, in pieces of any size, no faster than they are taken. @throws {DomainError} */
  pieces(): AsyncGenerator<Buffer>;
  /** Ends what is running for it. */
  destroy(): void;
}
