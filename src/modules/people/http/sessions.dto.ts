import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import type { Call } from '../../auth/caller.js';
import { SIGN_IN_METHODS, type SignInMethod } from '../../auth/sign-in-method.js';
import type { IssuedToken, Session } from '../../auth/sessions.service.js';

export class SessionView {
  @ApiProperty({ example: 'ses_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time', description: 'Time of the last use, accurate to a minute.' })
  last_used_at!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;
  @ApiProperty({ description: 'IP address that signed in.', example: '203.0.113.7' }) ip!: string;
  @ApiPropertyOptional({ type: String, description: 'User agent that signed in.' }) user_agent?: string;
  @ApiProperty({ enum: SIGN_IN_METHODS, isArray: true, description: 'What was shown to sign in, and to confirm it.' })
  methods!: SignInMethod[];
  @ApiProperty({ format: 'date-time', description: 'Time of the sign-in, or of its last confirmation.' })
  authenticated_at!: string;
  @ApiProperty({ description: 'True for the session of this call.' }) current!: boolean;

  static of(
    { id, createdAt, lastUsedAt, expiresAt, ip, userAgent, methods, authenticatedAt }: Session,
    { principal: { credential } }: Call,
  ): SessionView {
    return {
      id,
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt.toISOString(),
      expires_at: expiresAt.toISOString(),
      ip,
      ...(userAgent === null ? {} : { user_agent: userAgent }),
      methods,
      authenticated_at: authenticatedAt.toISOString(),
      current: credential.type === 'session' && credential.sessionId === id,
    };
  }
}

export class SessionPageAnswer {
  @ApiProperty({ type: [SessionView] }) data!: SessionView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class RotatedSessionView {
  @ApiProperty({ description: 'New token, which is returned only once.', example: 'svc_sess_…' })
  session_token!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;

  static of({ token, expiresAt }: IssuedToken): RotatedSessionView {
    return { session_token: token, expires_at: expiresAt.toISOString() };
  }
}

export class RotatedSessionAnswer {
  @ApiProperty({ type: RotatedSessionView }) data!: RotatedSessionView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
