import { isDatabaseUnavailable } from '../platform/database/database-unavailable.js';

/** The codes of PostgreSQL for a wrong password, an unknown role and an unknown database. */
const REFUSED = /^(28|3D)/;
/** The codes of Node.js for a certificate that does not prove who the server is. */
const UNVERIFIED = /^(UNABLE_TO_|CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;
const WITHOUT_TLS = 'The server does not support SSL connections';

/** Explains an error that ends the process to the operator, and names the setting to check. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && UNVERIFIED.test(code))
    return `The certificate of the PostgreSQL server of DATABASE_URL is not valid for it: ${error.message}.`;
  if (error.message === WITHOUT_TLS)
    return 'The PostgreSQL server of DATABASE_URL offers no TLS, which sslmode requires.';
  if (code !== undefined && REFUSED.test(code))
    return `The PostgreSQL server of DATABASE_URL refused the connection: ${error.message}.`;
  if (isDatabaseUnavailable(error))
    return `The PostgreSQL server of DATABASE_URL cannot be reached (${code ?? error.message}).`;
  return error.message;
}

export interface ListenAddress {
  readonly host: string;
  /** 0 for a port that the system chooses. */
  readonly port: number;
  /** Name of the setting of the port. */
  readonly setting: 'PORT' | 'APPS_PORT' | 'DATABASES_PORT';
}

/** Explains why the port cannot be opened. */
export function explainListening(error: NodeJS.ErrnoException, { host, port, setting }: ListenAddress): Error {
  const explanations: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use. Set ${setting} to another port, or stop the program that uses it.`,
    EACCES: `Port ${port} needs more rights. Set ${setting} to a port above 1023.`,
    EADDRNOTAVAIL: `HOST is not an address of this machine: ${host}.`,
    ENOTFOUND: `HOST is not an address of this machine: ${host}.`,
  };
  return new Error(explanations[error.code ?? ''] ?? error.message, { cause: error });
}
