import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { type Configuration, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { Config } from '../../../platform/config/config.js';
import { Log } from '../../../platform/logging/log.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { errorPage } from '../consent/error-page.js';
import { CONSENT_PATH, mcpResourceOf } from '../domain/addresses.js';
import { GRANTABLE_SCOPES } from '../domain/grantable-scopes.js';
import { OauthGrantsService } from '../grants/oauth-grants.service.js';
import { SigningKeysService } from '../keys/signing-keys.service.js';
import { OauthFlowMetrics } from '../metrics/oauth-flow.metrics.js';
import { OauthAdapters } from './oauth-adapters.js';

const DAY_SECONDS = 86_400;
/** How long a client can refresh its access before it must ask the person again. */
const MOST_REFRESHED_SECONDS = 365 * DAY_SECONDS;
const ACCESS_TOKEN_SECONDS = 900;
const REQUEST_SECONDS = 900;

/** An authorization server with the keys of the moment. */
export interface OpenProvider {
  readonly provider: Provider;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** The authorization server. It is built again when the signing keys change. */
@Injectable()
export class OauthProvider {
  private current: { readonly version: string; readonly opened: Promise<OpenProvider> } | undefined;

  constructor(
    private readonly config: Config,
    private readonly keys: SigningKeysService,
    private readonly adapters: OauthAdapters,
    private readonly grants: OauthGrantsService,
    private readonly people: PersonDirectory,
    private readonly metrics: OauthFlowMetrics,
    private readonly log: Log,
  ) {}

  async get(): Promise<OpenProvider> {
    const version = await this.keys.version();
    if (this.current === undefined || version === '' || this.current.version !== version) {
      const opened = this.open();
      this.current = { version, opened };
      opened.catch(() => {
        this.current = undefined;
      });
    }
    return this.current.opened;
  }

  private async open(): Promise<OpenProvider> {
    const keys = await this.keys.privateJwks();
    const provider = new Provider(this.config.publicUrl, { ...this.configuration(), jwks: { keys } });
    // The public address of the service is set on each request, whatever the proxy before it says.
    provider.proxy = true;
    provider.on('grant.success', () => {
      this.metrics.token('issued');
    });
    provider.on('grant.error', (_ctx, error) => {
      this.metrics.token(/already (?:used|consumed)/.test(detailOf(error)) ? 'reused' : 'refused');
    });
    provider.on('server_error', (_ctx, error) => {
      this.log.error({ error }, 'The authorization server failed.');
    });
    (provider as EventEmitter).on('error', (error: unknown) => {
      this.log.warn({ error }, 'A request to the authorization server could not be answered.');
    });
    const handle = provider.callback() as OpenProvider['handle'];
    return { provider, handle };
  }

  private configuration(): Configuration {
    const resource = mcpResourceOf(this.config.publicUrl);
    const isSecure = this.config.publicUrl.startsWith('https:');
    const nameOf = (name: string): string => `${isSecure ? '__Secure-' : ''}oauth_${name}`;
    const cookie = { httpOnly: true, sameSite: 'lax', signed: false } as const;
    return {
      adapter: (model) => this.adapters.of(model),
      responseTypes: ['code'],
      clientAuthMethods: ['none'],
      clientDefaults: {
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
      },
      enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
      scopes: [],
      claims: {},
      routes: {
        authorization: '/oauth/authorize',
        token: '/oauth/token',
        jwks: '/oauth/jwks',
        revocation: '/oauth/revoke',
        end_session: '/oauth/end-session',
      },
      cookies: {
        names: { session: nameOf('session'), interaction: nameOf('request'), resume: nameOf('resume') },
        long: { ...cookie, path: '/oauth' },
        short: cookie,
      },
      ttl: {
        AccessToken: ACCESS_TOKEN_SECONDS,
        AuthorizationCode: 60,
        // It ends 30 days after its last use, and a year after the consent, when the person is asked again.
        RefreshToken: (_ctx, token) =>
          Math.max(1, Math.min(30 * DAY_SECONDS, MOST_REFRESHED_SECONDS - token.totalLifetime())),
        Interaction: REQUEST_SECONDS,
        Session: REQUEST_SECONDS,
        Grant: 30 * DAY_SECONDS,
        IdToken: ACCESS_TOKEN_SECONDS,
      },
      features: {
        devInteractions: { enabled: false },
        userinfo: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        pushedAuthorizationRequests: { enabled: false },
        dPoP: { enabled: false },
        revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          useGrantedResource: () => true,
          getResourceServerInfo: (_ctx, requested) => {
            if (requested !== resource) throw new errors.InvalidTarget();
            return {
              scope: GRANTABLE_SCOPES.join(' '),
              audience: resource,
              accessTokenTTL: ACCESS_TOKEN_SECONDS,
              accessTokenFormat: 'jwt',
              jwt: { sign: { alg: 'ES256' } },
            };
          },
        },
      },
      interactions: { url: (_ctx, { uid }) => `${CONSENT_PATH}/${uid}` },
      pkce: { required: () => true },
      clientBasedCORS: () => true,
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      expiresWithSession: () => false,
      extraTokenClaims: (_ctx, token) => this.claimsOf('grantId' in token ? token.grantId : undefined),
      findAccount: async (_ctx, id) => {
        const person = await this.people.find(id);
        return person && { accountId: id, claims: () => ({ sub: id }) };
      },
      // Each request asks the person again, so only the answer to this one counts.
      loadExistingGrant: (ctx) => grantOf(ctx),
      renderError: (ctx, { error, error_description: description }) => {
        const { headers, html } = errorPage(error, description);
        for (const [name, value] of Object.entries(headers)) ctx.set(name, value);
        ctx.body = html;
      },
    };
  }

  private async claimsOf(grantId: string | undefined): Promise<{ key: string }> {
    const keyId = grantId === undefined ? undefined : await this.grants.use(grantId);
    if (keyId === undefined) throw new errors.InvalidGrant('grant not found');
    return { key: keyId };
  }
}

function grantOf({ oidc }: KoaContextWithOIDC): ReturnType<NonNullable<Configuration['loadExistingGrant']>> {
  const grantId = oidc.result?.consent?.grantId;
  return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
}

function detailOf(error: unknown): string {
  const detail = (error as { readonly error_detail?: unknown }).error_detail;
  return typeof detail === 'string' ? detail : '';
}
