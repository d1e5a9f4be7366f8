import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { BloomFilter } from '../../../platform/text/bloom-filter.js';

/**
 * The passwords of ten characters or more that are frequent in published lists of stolen ones, in lower case. No other
 * service is asked: `scripts/stolen-passwords.mjs` makes the file beside this one.
 */
@Injectable()
export class StolenPasswords {
  private filter: BloomFilter | undefined;

  /** Also true for one in 10,000 passwords that are in no list. */
  has(password: string): boolean {
    this.filter ??= BloomFilter.of(readFileSync(join(__dirname, 'stolen-passwords.bin')));
    return this.filter.has(password.toLowerCase());
  }
}
