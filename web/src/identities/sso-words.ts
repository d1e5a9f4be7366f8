import { ServiceError } from '@service/client';

/** What people read who sign in, in place of words for programs. */
const WORDS: Readonly<Record<string, string>> = {
  sso_connection_not_found:
    'No organization signs in with this. Check what you typed, or sign in with your password or another account.',
  domain_not_verified:
    'Your identity provider gave an address outside of the domains of the organization. Ask an administrator of it.',
  sso_not_provisioned: 'Your organization has not added you yet, or has suspended you. Ask an administrator of it.',
  sso_response_invalid: 'The answer of your identity provider was refused. Try again, or ask an administrator.',
  identity_without_email: 'Your identity provider gave no address for you. Ask an administrator of your organization.',
  account_exists:
    'The account with this address is connected to another person at your identity provider. Sign in to it another ' +
    'way, or ask an administrator of your organization.',
};

/** The same error, in plain words where there are some. */
export function inPlainWords(error: unknown): unknown {
  const words = error instanceof ServiceError && Object.hasOwn(WORDS, error.code) ? WORDS[error.code] : undefined;
  return words === undefined ? error : new Error(words, { cause: error });
}
