/**
 * Settings whose values are secrets, or addresses with a password in them. The chart takes them by reference to a
 * Secret only, and no others that way.
 */
export const SECRET_SETTINGS: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'REDIS_URL',
  'API_KEY_PEPPER',
  'SECRETS_KEY',
  'SMTP_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'REDIS_SENTINEL_PASSWORD',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'BACKUP_PASSPHRASE',
  'OPS_TOKEN',
  'METRICS_TOKEN',
  'USAGE_TOKEN',
  'SIGN_IN_GITHUB_CLIENT_SECRET',
  'SIGN_IN_GOOGLE_CLIENT_SECRET',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'GITHUB_APP_PRIVATE_KEY',
  'GITHUB_APP_CLIENT_SECRET',
  'GITHUB_WEBHOOK_SECRET',
  'TLS_ASK_SECRET',
  'TENANT_DATABASES_URL',
  'MODEL_ROUTER_API_KEY',
  'OPENROUTER_API_KEY',
];

/** What the templates set, because ports, probes and volumes rely on it. */
export const SETTINGS_OF_THE_CHART: readonly string[] = [
  'ROLE',
  'HOST',
  'PORT',
  'APPS_PORT',
  'DATABASES_PORT',
  'DATA_DIR',
  'DATABASES_ADDRESS',
  'DATABASES_TLS_CERT_FILE',
  'DATABASES_TLS_KEY_FILE',
  'SERVICE_INSTALL',
];
