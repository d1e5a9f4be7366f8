import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ERROR_CODES, ERROR_TYPES, type ErrorCode } from '../errors/error-codes.js';

class ErrorView {
  @ApiProperty({ enum: ERROR_TYPES }) type!: string;
  @ApiProperty({ enum: Object.keys(ERROR_CODES) }) code!: string;
  @ApiProperty({ type: 'integer' }) status!: number;
  @ApiProperty() message!: string;
  @ApiPropertyOptional({
    description: 'Facts of this code; for `invalid_request` one row per field.',
    oneOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' } }],
  })
  details?: unknown;
  @ApiPropertyOptional({ type: String }) hint?: string;
  @ApiPropertyOptional({ type: String }) dashboard_url?: string;
  @ApiPropertyOptional({ type: String }) docs_url?: string;
  @ApiPropertyOptional({ type: String, description: 'With 402 and 429.' }) upgrade_url?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'Seconds, with 429 and 503.' }) retry_after?: number;
}

class MetaView {
  @ApiProperty() request_id!: string;
}

/** The shape of every failed answer. */
class ErrorAnswer {
  @ApiProperty({ type: ErrorView }) error!: ErrorView;
  @ApiProperty({ type: MetaView }) meta!: MetaView;
}

/** Refusals that any call under `/api/v1` can meet. */
export const ANY_CALL: readonly ErrorCode[] = [
  'burst_limit_exceeded',
  'daily_limit_exceeded',
  'internal_error',
  'service_unavailable',
];

/** Refusals that any call to an operators' endpoint can meet. */
export const ANY_OPERATOR: readonly ErrorCode[] = ['invalid_token', 'burst_limit_exceeded'];

/** And those that a call with a credential can meet. */
export const ANY_CALLER: readonly ErrorCode[] = [
  ...ANY_CALL,
  'conflicting_credentials',
  'missing_api_key',
  'malformed_api_key',
  'invalid_api_key',
  'expired_api_key',
  'revoked_api_key',
  'rotated_api_key',
  'session_token_not_allowed',
  'session_required',
  'invalid_session',
  'insufficient_scopes',
  'org_access_denied',
  'key_org_mismatch',
  'ip_not_allowed',
];

/** And those of a write, besides the faults of its body. */
export const ANY_WRITE: readonly ErrorCode[] = [
  'invalid_request',
  'idempotency_mismatch',
  'idempotency_in_progress',
  'storage_unavailable',
];

/** And those of a write that takes a body. */
export const ANY_BODY: readonly ErrorCode[] = [
  ...ANY_WRITE,
  'malformed_json',
  'payload_too_large',
  'unsupported_media_type',
];

/**
 * Lists in OpenAPI the codes that a route can answer with: in words, and for programs in `x-error-codes`. Decorate a route
 * once with all of its codes, because a second list would replace those of the first for programs.
 */
export function ApiRefusals(...codes: ErrorCode[]): MethodDecorator {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, ofStatus]) =>
    ApiResponse({
      status,
      description: ofStatus.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}`).join('\n\n'),
      schema: { $ref: getSchemaPath(ErrorAnswer) },
      ...{ 'x-error-codes': ofStatus },
    }),
  );
  return applyDecorators(ApiExtraModels(ErrorAnswer), ...responses);
}
