import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { Public } from '../../../platform/http/public.js';
import { PAGE_POLICY } from '../../docs/page-policy.js';
import { RunbookPages } from './runbook-pages.js';

/** Serves the page that `docsUrl` of a runbook points to. */
@Controller('docs/runbooks')
@Public()
export class RunbookPagesController {
  constructor(private readonly pages: RunbookPages) {}

  @Get(':runbook_id')
  @ApiExcludeEndpoint()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', PAGE_POLICY)
  show(@Param('runbook_id') id: string): string {
    return this.pages.page(id);
  }
}
