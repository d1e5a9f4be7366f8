import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../../platform/http/public.js';
import { DocLayout } from '../../docs/doc-layout.js';
import { RunbookPages } from './runbook-pages.js';

/** Serves the page that `docsUrl` of a runbook points to. */
@Controller('docs/runbooks')
@Public()
export class RunbookPagesController {
  constructor(
    private readonly pages: RunbookPages,
    private readonly layout: DocLayout,
  ) {}

  @Get(':runbook_id')
  @ApiExcludeEndpoint()
  show(@Param('runbook_id') id: string, @Res() response: Response): void {
    this.layout.send(response, this.pages.page(id), `runbooks/${id}`);
  }
}
