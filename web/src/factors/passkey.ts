import { api } from '../api';

type Json = Readonly<Record<string, unknown>>;

/** False in browsers without passkeys, and without HTTPS. */
export const hasPasskeys = (): boolean =>
  'PublicKeyCredential' in globalThis && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

/** Asks the browser for any passkey of this service, and returns what it has signed. */
export async function showPasskey(): Promise<Json> {
  const { options } = await api.auth.passkeyOptions();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  return answerOf(navigator.credentials.get({ publicKey }));
}

/** Lets the browser create a passkey, and returns its public half. */
export async function createPasskey(): Promise<Json> {
  const { options } = await api.auth.newPasskeyOptions();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  return answerOf(navigator.credentials.create({ publicKey }));
}

/** Browsers do not tell why there is no answer, so that no page learns which passkeys exist. */
async function answerOf(answer: Promise<Credential | null>): Promise<Json> {
  try {
    const credential = (await answer) as PublicKeyCredential | null;
    if (credential !== null) return credential.toJSON() as unknown as Json;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'InvalidStateError')
      throw new Error('This device has a passkey for your account already.', { cause: error });
    if (!(error instanceof DOMException)) throw error;
  }
  throw new Error('No passkey was used. Try again, or show another factor.');
}
