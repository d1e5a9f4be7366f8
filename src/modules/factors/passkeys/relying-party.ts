import { createHash, generateKeyPairSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { Config } from '../../../platform/config/config.js';
import { FactorRefused } from '../factors.errors.js';
import type { PasskeyRow } from '../persistence/passkeys.store.js';
import { CHALLENGE_MS, Challenges } from './challenges.js';

/** What a browser sends: the answer of `navigator.credentials`, as JSON. */
export type PasskeyAnswer = Readonly<Record<string, unknown>>;

export type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON };

export interface NewCredential {
  readonly credentialId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly backedUp: boolean;
  readonly challenge: string;
}

/** A signature that is right, of which neither counter nor challenge were noted yet. */
export interface PasskeyProof {
  readonly passkey: PasskeyRow;
  readonly counter: number;
  readonly challenge: string;
}

const KNOWN_TRANSPORTS = new Set(['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']);
/** Lower than any, because the counter is compared where it is stored: in one place for all processes. */
const ANY_COUNTER = -1;

/**
 * The service as passkeys know it: its name is the host of the dashboard, and only pages of the dashboard's origin may
 * ask for them. A passkey must be found without a name, and must verify its user. The library is loaded when it is
 * first needed: it takes a second, and most processes never need it.
 */
@Injectable()
export class RelyingParty {
  private readonly id: string;
  private readonly origin: string;
  private readonly decoy = decoyKey();

  constructor(
    { dashboardUrl }: Config,
    private readonly challenges: Challenges,
  ) {
    const { hostname, origin } = new URL(dashboardUrl);
    this.id = hostname;
    this.origin = origin;
  }

  async creationOptions(
    user: { readonly id: string; readonly username: string; readonly email: string },
    known: readonly PasskeyRow[],
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { generateRegistrationOptions } = await import('@simplewebauthn/server');
    return generateRegistrationOptions({
      rpName: this.id,
      rpID: this.id,
      userID: new Uint8Array(createHash('sha256').update(user.id).digest()),
      userName: user.email,
      userDisplayName: user.username,
      challenge: this.challenges.create(`add to ${user.id}`),
      timeout: CHALLENGE_MS,
      excludeCredentials: known.map(({ credentialId, transports }) => ({
        id: credentialId,
        transports: [...transports],
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** The options name no passkey, so that they are the same for everybody. */
  async requestOptions(): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
    return generateAuthenticationOptions({
      rpID: this.id,
      challenge: this.challenges.create('sign in'),
      timeout: CHALLENGE_MS,
      userVerification: 'required',
    });
  }

  /** @throws {FactorRefused} `invalid_factor` */
  async checkCreation(answer: PasskeyAnswer, userId: string): Promise<NewCredential> {
    const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
    let challenge = '';
    const { registrationInfo } = await refusing(() =>
      verifyRegistrationResponse({
        response: answer as unknown as RegistrationResponseJSON,
        expectedChallenge: (given) => this.challenges.isOurs((challenge = given), `add to ${userId}`),
        expectedOrigin: this.origin,
        expectedRPID: this.id,
        requireUserVerification: true,
      }),
    );
    if (registrationInfo === undefined) throw new FactorRefused();
    const { credential, credentialBackedUp } = registrationInfo;
    return {
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: (credential.transports ?? []).filter((transport) => KNOWN_TRANSPORTS.has(transport)),
      backedUp: credentialBackedUp,
      challenge,
    };
  }

  /**
   * Checks a signature. That of an unknown passkey is checked against a key that nobody has, so that the time does not
   * tell whether it exists.
   *
   * @throws {FactorRefused} `invalid_factor`
   */
  async checkSignature(answer: PasskeyAnswer, passkey: PasskeyRow | undefined): Promise<PasskeyProof> {
    const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
    let challenge = '';
    const { verified, authenticationInfo } = await refusing(() =>
      verifyAuthenticationResponse({
        response: answer as unknown as AuthenticationResponseJSON,
        expectedChallenge: (given) => this.challenges.isOurs((challenge = given), 'sign in'),
        expectedOrigin: this.origin,
        expectedRPID: this.id,
        requireUserVerification: true,
        credential: {
          id: passkey?.credentialId ?? '',
          publicKey: new Uint8Array(passkey?.publicKey ?? this.decoy),
          counter: ANY_COUNTER,
        },
      }),
    );
    if (!verified || passkey === undefined) throw new FactorRefused();
    return { passkey, counter: authenticationInfo.newCounter, challenge };
  }
}

/** The library tells what is wrong by throwing, and also throws at what is no answer at all. */
async function refusing<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch {
    throw new FactorRefused();
  }
}

/** The public half of a key for ES256 whose other half is thrown away, as COSE (RFC 9052). */
function decoyKey(): Buffer {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  // A map of five: kty 2 (EC2), alg -7 (ES256), crv 1 (P-256), x and y as 32 bytes each.
  return Buffer.concat([
    Buffer.from('a50102032620012158' + '20', 'hex'),
    Buffer.from(x!, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y!, 'base64url'),
  ]);
}
