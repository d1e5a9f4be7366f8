import { applyDecorators } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  getSchemaPath,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { ERROR_TYPES, type ErrorDefinition } from '../errors/define-errors.js';

class ErrorView {
  @ApiProperty({ enum: ERROR_TYPES }) type!: string;
  /** `listErrorCodes` adds the codes, because a decorator runs before the roles have assembled the catalog. */
  @ApiProperty() code!: string;
  @ApiProperty({ type: 'integer' }) status!: number;
  @ApiProperty() message!: string;
  @ApiPropertyOptional({
    description: 'Details that depend on the code; for `invalid_request`, one entry per field.',
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

/** The body of every failed response. */
class ErrorAnswer {
  @ApiProperty({ type: ErrorView }) error!: ErrorView;
  @ApiProperty({ type: MetaView }) meta!: MetaView;
}

/**
 * Lists the error codes of a route in OpenAPI: in words, and for programs in `x-error-codes`. Decorate a route once
 * with all of its codes, because a second list would replace the first one for programs.
 */
export function ApiRefusals(...errors: ErrorDefinition[]): MethodDecorator {
  const byStatus = Map.groupBy(errors, ({ status }) => status);
  const responses = [...byStatus].map(([status, ofStatus]) =>
    ApiResponse({
      status,
      description: ofStatus.map(({ code, title }) => `\`${code}\`: ${title}`).join('\n\n'),
      schema: { $ref: getSchemaPath(ErrorAnswer) },
      ...{ 'x-error-codes': ofStatus.map(({ code }) => code) },
    }),
  );
  return applyDecorators(ApiExtraModels(ErrorAnswer), ...responses);
}

/** Adds every error code to the schema of the error response. */
export function listErrorCodes(document: OpenAPIObject, codes: readonly string[]): void {
  const view = document.components?.schemas?.[ErrorView.name];
  const code = view !== undefined && 'properties' in view ? view.properties['code'] : undefined;
  if (code === undefined) throw new Error(`The API document has no field ${ErrorView.name}.code.`);
  Object.assign(code, { enum: codes });
}
