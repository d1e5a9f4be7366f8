/** Refuses the host names that this application must not answer under, because others are served there. */
export abstract class HostPolicy {
  /** @throws {DomainError} `misdirected_request` */
  abstract requireOwn(host: string): void;
}
