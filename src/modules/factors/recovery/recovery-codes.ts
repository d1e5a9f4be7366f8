import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretHasher } from '../../auth/secret-hasher.js';
import { RecoveryCodesStore } from '../persistence/recovery-codes.store.js';

const CODES = 10;
/** 140 bits: who has the database and the pepper cannot find them by trying. */
const LENGTH = 28;
const GROUP = 7;
/** Without letters that look like digits. 32 of them, so that each random byte is as likely. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz0';

/** Codes that stand in for a second factor that was lost, once each. Only hashes are stored. */
@Injectable()
export class RecoveryCodes {
  constructor(
    private readonly codes: RecoveryCodesStore,
    private readonly hasher: SecretHasher,
  ) {}

  /** Replaces the codes of the person in the running transaction. They are returned only once. */
  async renew(userId: string): Promise<string[]> {
    const codes = Array.from({ length: CODES }, createCode);
    await this.codes.replace(
      userId,
      codes.map((code) => this.hasher.hash(textOf(userId, code)).hash),
    );
    return codes;
  }

  /** Uses up a code in the running transaction. Returns false for a wrong one, and for one that was used. */
  use(userId: string, typed: string): Promise<boolean> {
    return this.codes.use(userId, this.hasher.hashes(textOf(userId, typed)));
  }

  count(userId: string): Promise<number> {
    return this.codes.count(userId);
  }

  deleteAll(userId: string): Promise<void> {
    return this.codes.deleteAll(userId);
  }
}

function createCode(): string {
  const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]!);
  return Array.from({ length: LENGTH / GROUP }, (_, group) =>
    letters.slice(group * GROUP, (group + 1) * GROUP).join(''),
  ).join('-');
}

/** People type codes in other letters and with other gaps. */
const textOf = (userId: string, code: string): string =>
  `recovery code of ${userId}: ${code.toLowerCase().replaceAll(/[\s-]/g, '')}`;
