import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { SCOPE_PATTERNS } from '../../auth/scopes.js';
import type { ShownGrant } from '../grants/oauth-grants.service.js';
import type { OrgGrant } from '../grants/org-grants.service.js';
import type { OauthGrant } from '../persistence/oauth-grants.store.js';

type ClientFacts = Readonly<Pick<OauthClientView, keyof OauthClientView>>;

const ORG = 'org_01jd3m8yeqf5rb0xkq5ym8s6tn';

class OauthClientView {
  @ApiProperty({ example: 'grt_01jd3m8yeqf5rb0xkq5ym8s6tn', description: 'Id of the grant.' }) id!: string;
  @ApiProperty({ example: 'Claude', description: 'Name that the client calls itself.' }) client_name!: string;
  @ApiPropertyOptional({
    type: String,
    example: 'claude.ai',
    description: 'Host that the metadata of the client came from. Absent for a client that described itself.',
  })
  client_host?: string;
  @ApiProperty({ example: 'claude.ai', description: 'Host that the client got its code at.' }) redirect_host!: string;
  @ApiProperty({
    enum: ['metadata', 'registration'],
    example: 'metadata',
    description: 'How the client is known: by a metadata document, or because it registered itself.',
  })
  way!: 'metadata' | 'registration';
  @ApiProperty({
    enum: SCOPE_PATTERNS,
    isArray: true,
    example: ['projects:read'],
    description: 'Scopes that the client was granted.',
  })
  scopes!: string[];
  @ApiProperty({ format: 'date-time', example: '2035-01-31T00:00:00Z', description: 'When the person consented.' })
  created_at!: string;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    example: '2035-01-31T00:00:00Z',
    description: 'When the client last made a call, to about a minute. Absent before the first one.',
  })
  last_used_at?: string;
}

export class OauthGrantView extends OauthClientView {
  @ApiProperty({
    example: 'key_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'Key that the client calls with. Deleting it ends the grant.',
  })
  key_id!: string;
  @ApiProperty({ type: [String], example: [ORG], description: 'Organizations that the client has access to.' })
  org_ids!: string[];
  @ApiProperty({
    enum: ['active', 'ended'],
    example: 'active',
    description: '`ended`: the client gets no more tokens, and those that it has are refused.',
  })
  status!: 'active' | 'ended';
  @ApiProperty({
    format: 'date-time',
    example: '2035-01-31T00:00:00Z',
    description: 'When the client last got a token.',
  })
  used_at!: string;
  @ApiProperty({
    format: 'date-time',
    example: '2035-03-02T00:00:00Z',
    description: 'When the grant ends if the client gets no token until then.',
  })
  expires_at!: string;

  static of({ grant, key }: ShownGrant): OauthGrantView {
    return {
      ...factsOf(grant, key.key.lastUsedAt),
      key_id: grant.keyId,
      org_ids: key.key.orgIds,
      status: grant.endedAt === null && key.status === 'active' ? 'active' : 'ended',
      used_at: grant.usedAt.toISOString(),
      expires_at: grant.expiresAt.toISOString(),
    };
  }
}

class GrantUserView {
  @ApiProperty({ example: 'usr_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'ada' }) username!: string;
}

export class OrgGrantView extends OauthClientView {
  @ApiProperty({ type: GrantUserView, description: 'Member who consented.' }) user!: GrantUserView;

  static of({ grant, username, lastUsedAt }: OrgGrant): OrgGrantView {
    return { ...factsOf(grant, lastUsedAt), user: { id: grant.userId, username } };
  }
}

export class OrgGrantPageAnswer {
  @ApiProperty({ type: [OrgGrantView] }) data!: OrgGrantView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class OauthGrantAnswer {
  @ApiProperty({ type: OauthGrantView }) data!: OauthGrantView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class OauthGrantPageAnswer {
  @ApiProperty({ type: [OauthGrantView] }) data!: OauthGrantView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

const factsOf = (grant: OauthGrant, lastUsedAt: Date | null): ClientFacts => ({
  id: grant.id,
  client_name: grant.clientName,
  ...(grant.clientHost === null ? {} : { client_host: grant.clientHost }),
  redirect_host: grant.redirectHost,
  way: grant.way,
  scopes: [...grant.scopes],
  created_at: grant.createdAt.toISOString(),
  ...(lastUsedAt === null ? {} : { last_used_at: lastUsedAt.toISOString() }),
});
