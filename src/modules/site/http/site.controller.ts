import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../platform/http/public.js';
import { ObjectsSettings } from '../../objects/objects.settings.js';
import { PageNotFound } from '../site.errors.js';
import { appPolicyFor, SITE_HEADERS } from '../policy/site-headers.js';
import { type Encoding, SiteFiles } from './site-files.js';

/** The name of a file of a build has a hash of its content, so that it never changes. */
const FOREVER = 'public, max-age=31536000, immutable';
const ASK_EACH_TIME = 'no-cache';

/** Serves the web app. Its files need no account; what they show comes from the API. */
@ApiExcludeController()
@Controller()
@Public()
export class SiteController {
  private readonly appPolicy: string;

  constructor(
    private readonly files: SiteFiles,
    objects: ObjectsSettings,
  ) {
    this.appPolicy = appPolicyFor(objects.endpoint);
  }

  @Get('app')
  home(@Req() request: Request, @Res() response: Response): void {
    this.send('app.html', ASK_EACH_TIME, request, response);
  }

  /** Every address below is one page, which finds its screen by itself. */
  @Get('app/*path')
  screen(@Req() request: Request, @Res() response: Response): void {
    this.send('app.html', ASK_EACH_TIME, request, response);
  }

  @Get('assets/:file')
  asset(@Param('file') file: string, @Req() request: Request, @Res() response: Response): void {
    this.send(`assets/${file}`, FOREVER, request, response);
  }

  @Get('site/:file')
  picture(@Param('file') file: string, @Req() request: Request, @Res() response: Response): void {
    this.send(`site/${file}`, ASK_EACH_TIME, request, response);
  }

  /** @throws {PageNotFound} `page_not_found` */
  private send(name: string, caching: string, request: Request, response: Response): void {
    const file = this.files.find(name, encodingsOf(request));
    if (file === undefined) throw new PageNotFound();
    for (const [header, value] of Object.entries(SITE_HEADERS)) response.setHeader(header, value);
    response.setHeader('Content-Security-Policy', this.appPolicy);
    response.setHeader('Cache-Control', caching);
    response.setHeader('Vary', 'Accept-Encoding');
    response.setHeader('Content-Type', file.contentType);
    response.setHeader('Content-Length', file.content.length);
    if (file.encoding !== undefined) response.setHeader('Content-Encoding', file.encoding);
    response.end(request.method === 'HEAD' ? undefined : file.content);
  }
}

/** The encodings that the caller accepts, the smallest result first. */
function encodingsOf({ headers }: Request): Encoding[] {
  const accepted = (headers['accept-encoding'] ?? '')
    .split(',')
    .filter((entry) => !/;\s*q=0(?:\.0*)?\s*$/.test(entry))
    .map((entry) => entry.split(';', 1)[0]!.trim().toLowerCase());
  return (['br', 'gzip'] as const).filter((encoding) => accepted.includes(encoding));
}
