import { Controller, Get, HttpStatus, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../../platform/http/public.js';
import { TlsPermissions } from '../tls/tls-permissions.js';

/**
 * Answers a proxy that asks whether it may get a certificate for a host name. The secret is a part of the query, which
 * is never logged, because Caddy can send nothing but a URL. The status is the whole answer.
 */
@ApiExcludeController()
@Controller('internal/tls')
@Public()
export class TlsController {
  constructor(private readonly permissions: TlsPermissions) {}

  @Get()
  async ask(
    @Query() { secret, domain }: Readonly<Record<string, unknown>>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    response.status((await this.permissions.allows(secret, domain)) ? HttpStatus.OK : HttpStatus.NOT_FOUND);
  }
}
