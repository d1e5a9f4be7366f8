import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Config } from '../../../platform/config/config.js';
import { Public } from '../../../platform/http/public.js';
import { mcpResourceOf } from '../domain/addresses.js';
import { GRANTABLE_SCOPES } from '../domain/grantable-scopes.js';
import { AnswersPreflight, AnyOrigin } from './cross-origin.js';

const RESOURCE = 'oauth-protected-resource';
const MCP_RESOURCE = `${RESOURCE}/mcp`;
const SERVER = 'oauth-authorization-server';

/** Where clients find the authorization server, and what it can do (RFC 8414, 9728). */
@ApiExcludeController()
@Controller('.well-known')
export class OauthMetadataController {
  constructor(private readonly config: Config) {}

  @Get(RESOURCE)
  @Public()
  @AnyOrigin()
  resource(): object {
    const { publicUrl } = this.config;
    return {
      resource: mcpResourceOf(publicUrl),
      authorization_servers: [publicUrl],
      scopes_supported: GRANTABLE_SCOPES,
      bearer_methods_supported: ['header'],
      resource_name: 'MCP server',
    };
  }

  /** The address that RFC 9728 derives from that of the resource. */
  @Get(MCP_RESOURCE)
  @Public()
  @AnyOrigin()
  mcpResource(): object {
    return this.resource();
  }

  @Get(SERVER)
  @Public()
  @AnyOrigin()
  server(): object {
    const { publicUrl } = this.config;
    return {
      issuer: publicUrl,
      authorization_endpoint: `${publicUrl}/oauth/authorize`,
      token_endpoint: `${publicUrl}/oauth/token`,
      registration_endpoint: `${publicUrl}/oauth/register`,
      revocation_endpoint: `${publicUrl}/oauth/revoke`,
      jwks_uri: `${publicUrl}/oauth/jwks`,
      scopes_supported: GRANTABLE_SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    };
  }

  @AnswersPreflight(RESOURCE)
  resourcePreflight(): void {
    // The headers are the whole answer.
  }

  @AnswersPreflight(MCP_RESOURCE)
  mcpResourcePreflight(): void {
    // The headers are the whole answer.
  }

  @AnswersPreflight(SERVER)
  serverPreflight(): void {
    // The headers are the whole answer.
  }
}
