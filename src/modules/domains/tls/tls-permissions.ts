import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isHostName } from '../../../platform/config/hosts.js';
import { Clock } from '../../../platform/time/clock.js';
import { DomainsSettings } from '../domains.settings.js';
import { DomainMetrics, type TlsAnswer } from '../metrics/domains.metrics.js';
import { DomainsStore } from '../persistence/domains.store.js';
import { AskRate } from './ask-rate.js';

/** Certificate authorities limit how many certificates a domain may have in a week. */
const MOST_BELOW_WILDCARD = 50;

/** Says which host names a proxy may get certificates for. */
@Injectable()
export class TlsPermissions {
  private readonly rate = new AskRate();

  constructor(
    private readonly settings: DomainsSettings,
    private readonly domains: DomainsStore,
    private readonly metrics: DomainMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * True when the secret is right and the name is that of a domain that is served. Every visitor can make a proxy ask
   * for any name, so questions beyond a rate are answered with false, and few names below a wildcard are allowed.
   */
  async allows(secret: unknown, name: unknown): Promise<boolean> {
    try {
      const answer = await this.answerTo(secret, name);
      this.metrics.answered(answer);
      return answer === 'allowed';
    } catch (error) {
      this.metrics.answered('error');
      throw error;
    }
  }

  private async answerTo(secret: unknown, name: unknown): Promise<TlsAnswer> {
    const { tlsAskSecret } = this.settings;
    if (tlsAskSecret === undefined) return 'disabled';
    if (typeof secret !== 'string' || !isSame(secret, tlsAskSecret)) return 'wrong_secret';
    if (typeof name !== 'string' || !name.includes('.') || !isHostName(name)) return 'not_served';
    if (!this.rate.take()) return 'too_many_questions';
    const domain = await this.domains.findServed([name, `*${name.slice(name.indexOf('.'))}`]);
    if (domain === undefined) return 'not_served';
    if (!domain.isWildcard) return 'allowed';
    const limit = { most: MOST_BELOW_WILDCARD, at: this.clock.now() };
    return (await this.domains.admitBelowWildcard(domain.id, name, limit)) ? 'allowed' : 'too_many_names';
  }
}

/** Hashes have one length, so that the comparison takes the same time however much of the secret is right. */
const isSame = (given: string, secret: string): boolean => timingSafeEqual(hash(given), hash(secret));

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
