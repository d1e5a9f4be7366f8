import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../../platform/config/config.js';
import { keyFor } from '../../../../platform/secrets/sealed.js';
import { Clock } from '../../../../platform/time/clock.js';
import { parseVerifier, verifierOfUnknown } from '../../credentials/scram-verifier.js';
import { GatewayMetrics } from '../../metrics/gateway.metrics.js';
import { WireAccessStore, type WireLogin } from '../../persistence/wire-access.store.js';
import { authenticationOf } from '../protocol/messages.js';
import { readMessage } from '../protocol/read-packets.js';
import type { StartupMessage } from '../protocol/startup-packet.js';
import { WireRefusal } from '../protocol/wire-refusal.js';
import { LoginAttempts } from './login-attempts.js';
import { MECHANISM, ScramExchange } from './scram-exchange.js';

const MAX_MESSAGE_BYTES = 2_048;

/** Signs clients in with SCRAM-SHA-256. Nothing is woken before the password is known to be right. */
@Injectable()
export class SignIn {
  private readonly unknownKey: Buffer;

  constructor(
    private readonly store: WireAccessStore,
    private readonly attempts: LoginAttempts,
    private readonly metrics: GatewayMetrics,
    private readonly clock: Clock,
    { secretsKeys }: Config,
  ) {
    const secret = secretsKeys[0]?.secret ?? randomBytes(32).toString('hex');
    this.unknownKey = keyFor('database-unknown-users', secret);
  }

  /** @throws {WireRefusal | PeerGone} An unknown user, another database and a wrong password look the same. */
  async signIn(stream: Duplex, { parameters }: StartupMessage, ip: string): Promise<WireLogin> {
    const username = parameters.get('user') ?? '';
    if (username === '') throw new WireRefusal('28000', 'no PostgreSQL user name specified in startup packet');
    const waitSeconds = this.attempts.waitSecondsOf(ip, username);
    if (waitSeconds > 0) {
      this.metrics.refused('attempts');
      throw new WireRefusal('28000', 'too many failed attempts to sign in', `Retry in ${waitSeconds} s.`);
    }
    const login = await this.store.findLogin(username, parameters.get('database') ?? username, this.clock.now());
    const verifier = login === undefined ? verifierOfUnknown(this.unknownKey, username) : parseVerifier(login.verifier);

    stream.write(authenticationOf('sasl', `${MECHANISM}\0\0`));
    const exchange = ScramExchange.begin(await this.answer(stream), verifier);
    stream.write(authenticationOf('saslContinue', exchange.challenge));
    const proof = exchange.finish(await this.answer(stream));
    if (proof === undefined || login === undefined) {
      this.metrics.refused('password');
      await this.attempts.failed(ip, username);
      throw new WireRefusal('28P01', `password authentication failed for user "${username.slice(0, 63)}"`);
    }
    stream.write(authenticationOf('saslFinal', proof));
    return login;
  }

  private async answer(stream: Duplex): Promise<Buffer> {
    const { type, body } = await readMessage(stream, MAX_MESSAGE_BYTES);
    if (type !== 'p') throw new WireRefusal('08P01', 'expected SASL response');
    return body;
  }
}
