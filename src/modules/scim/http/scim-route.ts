import { applyDecorators, Controller, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../../platform/http/public.js';
import { ScimErrorFilter } from './scim-error.filter.js';
import { ScimGuard } from './scim.guard.js';

/** A controller of the protocol, below the URL of a connection. The guards of the API let all callers through. */
export const ScimRoute = (path = ''): ClassDecorator =>
  applyDecorators(
    ApiExcludeController(),
    Public(undefined),
    UseFilters(ScimErrorFilter),
    UseGuards(ScimGuard),
    Controller(`scim/v2/:connection_id${path}`),
  );

/** Returns the URL that `meta.location` begins with. */
export const baseOf = (publicUrl: string, { id }: { readonly id: string }): string => `${publicUrl}/scim/v2/${id}`;
