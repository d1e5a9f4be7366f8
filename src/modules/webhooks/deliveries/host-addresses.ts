import { lookup } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';

/** Resolves the names of receivers. */
@Injectable()
export class HostAddresses {
  async of(host: string): Promise<readonly string[]> {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  }
}
