import { createPrivateKey } from 'node:crypto';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { ParsedSetting, TextSetting, UrlSetting } from '../../platform/config/setting.js';

/** The GitHub App of this service. */
export interface GithubAppSettings {
  readonly appId: string;
  /** The name of the app in its URL. */
  readonly slug: string;
  /** The RSA key as PEM. */
  readonly privateKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookSecret: string;
  /** The account that owns the templates. */
  readonly templateOwner: string;
  /** The web and git URL of GitHub, without a trailing slash. */
  readonly url: string;
  readonly apiUrl: string;
}

const APP_SETTINGS = [
  'GITHUB_APP_ID',
  'GITHUB_APP_SLUG',
  'GITHUB_APP_PRIVATE_KEY',
  'GITHUB_APP_CLIENT_ID',
  'GITHUB_APP_CLIENT_SECRET',
  'GITHUB_WEBHOOK_SECRET',
  'GITHUB_TEMPLATE_OWNER',
];

export class GithubSettings extends ModuleSettings {
  @TextSetting({
    name: 'GITHUB_APP_ID',
    summary: 'Id of the GitHub App that connects accounts. Set this and the six settings below, or none of them.',
    see: 'repositories.md#github',
    example: '123456',
    pattern: { matches: /^\d{1,15}$/, rule: 'must be a number' },
  })
  private readonly appId?: string;

  @TextSetting({
    name: 'GITHUB_APP_SLUG',
    summary: 'Name of the app in its URL, `https://github.com/apps/<slug>`.',
    example: 'my-platform',
    pattern: { matches: /^[a-z0-9-]{1,100}$/, rule: 'must be the name of the app in its URL' },
  })
  private readonly slug?: string;

  @ParsedSetting({
    name: 'GITHUB_APP_PRIVATE_KEY',
    summary: 'Key of the app, as PEM; line breaks may be written `\\n`.',
    example: '-----BEGIN RSA PRIVATE KEY-----\\n…\\n-----END RSA PRIVATE KEY-----',
    parse: parseRsaKey,
    rule: 'must be an RSA key as PEM; its line breaks may be written \\n',
  })
  private readonly privateKey?: RsaKey;

  @TextSetting({ name: 'GITHUB_APP_CLIENT_ID', summary: 'Client id of the app.' })
  private readonly clientId?: string;

  @TextSetting({ name: 'GITHUB_APP_CLIENT_SECRET', summary: 'Client secret of the app.' })
  private readonly clientSecret?: string;

  @TextSetting({ name: 'GITHUB_WEBHOOK_SECRET', summary: "Secret of the app's webhook.", minLength: 16 })
  private readonly webhookSecret?: string;

  @TextSetting({
    name: 'GITHUB_TEMPLATE_OWNER',
    summary: 'GitHub account that owns the template repositories `nextjs`, `expo` and `ai-chat`.',
    example: 'my-templates',
    pattern: { matches: /^[A-Za-z0-9-]{1,39}$/, rule: 'must be the name of an account' },
  })
  private readonly templateOwner?: string;

  @UrlSetting({
    name: 'GITHUB_URL',
    summary: 'URL of GitHub, for people and git. Change it for GitHub Enterprise.',
  })
  private readonly url: string = 'https://github.com';

  @UrlSetting({ name: 'GITHUB_API_URL', summary: 'URL of the GitHub API.' })
  private readonly apiUrl: string = 'https://api.github.com';

  @UrlSetting({
    name: 'SECRET_SCANNING_KEYS_URL',
    summary:
      'Where the public keys are that sign messages to `POST /api/v1/secret-scanning`. It is asked only when such a ' +
      'message comes, once a day.',
    see: 'access.md#leaked-keys',
  })
  readonly secretScanningKeysUrl: string = 'https://api.github.com/meta/public_keys/secret_scanning';

  /** Undefined while no GitHub App is configured. */
  get app(): GithubAppSettings | undefined {
    if (this.appId === undefined) return undefined;
    return {
      appId: this.appId,
      slug: this.slug!,
      privateKey: this.privateKey!.pem,
      clientId: this.clientId!,
      clientSecret: this.clientSecret!,
      webhookSecret: this.webhookSecret!,
      templateOwner: this.templateOwner!,
      url: this.url,
      apiUrl: this.apiUrl,
    };
  }

  /** An incomplete configuration would let people start a connection that they cannot finish. */
  override faults(environment: NodeJS.ProcessEnv): readonly string[] {
    const missing = APP_SETTINGS.filter((name) => environment[name] === undefined);
    return missing.length === APP_SETTINGS.length
      ? []
      : missing.map((name) => `${name} must be set if other settings of the GitHub App are`);
  }
}

interface RsaKey {
  readonly pem: string;
}

/** Accepts escaped line breaks, because many tools allow only one line in an environment variable. */
function parseRsaKey(text: string): RsaKey | undefined {
  const pem = text.replaceAll('\\n', '\n');
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa' ? { pem } : undefined;
  } catch {
    return undefined;
  }
}
