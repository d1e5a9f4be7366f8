import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ERROR_CODES, ERROR_TYPES, type ErrorCode } from '../errors/error-codes.js';

class ErrorView {
  @ApiProperty({ enum: ERROR_TYPES }) type!: string;
  @ApiProperty({ enum: Object.keys(ERROR_CODES) }) code!: string;
  @ApiProperty({ type: 'integer' }) status!: number;
  @ApiProperty() message!: string;
  @ApiPropertyOptional({ description: 'Facts of this code; for `invalid_request` one row per field.', oneOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' } }] })
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
export const ANY_CALL: readonly ErrorCode[] = ['burst_limit_exceeded', 'daily_limit_exceeded', 'internal_error', 'service_unavailable'];

/** Lists in OpenAPI the codes that a route can answer with. */
export function ApiRefusals(...codes: ErrorCode[]): MethodDecorator {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, ofStatus]) => ApiResponse({
    status,
    description: ofStatus.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}`).join('\n\n'),
    schema: { $ref: getSchemaPath(ErrorAnswer) },
  }));
  return applyDecorators(ApiExtraModels(ErrorAnswer), ...responses);
}
