import { Injectable } from '@nestjs/common';

/** @throws {DomainError} `misdirected_request` for a host that is served elsewhere. */
export type HostRule = (host: string) => void;

/** Refuses the host names that this application must not answer under, because others are served there. */
@Injectable()
export class HostPolicy {
  private readonly rules: HostRule[] = [];

  /** Modules that serve hosts of their own add a rule when the process starts. */
  add(rule: HostRule): void {
    this.rules.push(rule);
  }

  /** @throws {DomainError} `misdirected_request` */
  requireOwn(host: string): void {
    for (const rule of this.rules) rule(host);
  }
}
