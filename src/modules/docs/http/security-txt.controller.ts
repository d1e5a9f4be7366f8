import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Config } from '../../../platform/config/config.js';
import { DocsSettings } from '../docs.settings.js';
import { Public } from '../../../platform/http/public.js';
import { Clock } from '../../../platform/time/clock.js';
import { PageNotFound } from '../../site/site.errors.js';

/** RFC 9116 recommends less than a year, so that readers stop trusting a file that is no longer maintained. */
const VALID_MS = 180 * 86_400_000;

/** Serves the contact for vulnerability reports (RFC 9116). */
@ApiExcludeController()
@Controller('.well-known/security.txt')
@Public()
export class SecurityTxtController {
  constructor(
    private readonly config: Config,
    private readonly settings: DocsSettings,
    private readonly clock: Clock,
  ) {}

  /** @throws {PageNotFound} `page_not_found` when `SECURITY_CONTACT` is not set. */
  @Get()
  @Header('Content-Type', 'text/plain; charset=utf-8')
  show(): string {
    const { securityContact } = this.settings;
    const { publicUrl } = this.config;
    if (securityContact === undefined) throw new PageNotFound();
    const expires = new Date(this.clock.now().getTime() + VALID_MS);
    return [
      `Contact: ${securityContact}`,
      `Expires: ${expires.toISOString().slice(0, 10)}T00:00:00Z`,
      `Canonical: ${publicUrl}/.well-known/security.txt`,
      'Preferred-Languages: en',
      '',
    ].join('\n');
  }
}
