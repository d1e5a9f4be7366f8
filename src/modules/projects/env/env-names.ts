const NAME_FORM = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/**
 * Names that the platform sets, or that would change how its own programs start. They are compared without regard to
 * case, because some programs read them so.
 */
const RESERVED_NAMES = new Set([
  'ALL_PROXY',
  'BASH_ENV',
  'ENV',
  'FTP_PROXY',
  'GCONV_PATH',
  'GLIBC_TUNABLES',
  'HOME',
  'HOST',
  'HOSTNAME',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'IFS',
  'LOCPATH',
  'LOGNAME',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NO_PROXY',
  'OLDPWD',
  'PATH',
  'PORT',
  'PS4',
  'PWD',
  'SHELL',
  'SHELLOPTS',
  'SHLVL',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TMPDIR',
  'USER',
  '_',
]);
const RESERVED_PREFIXES = ['BASH_FUNC_', 'DYLD_', 'GIT_', 'LD_', 'MALLOC_', 'NPM_CONFIG_'];

export const isEnvName = (text: string): boolean => NAME_FORM.test(text);

export function isReservedEnvName(text: string): boolean {
  const name = text.toUpperCase();
  return RESERVED_NAMES.has(name) || RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
}
