import type { OpenAPIObject } from '@nestjs/swagger';

/** The OpenAPI document of the API. The HTTP layer implements it. */
export abstract class ApiDescription {
  /** Returns the document, which is generated on first use. */
  abstract get(): OpenAPIObject;
}
