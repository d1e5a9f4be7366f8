import { Module } from '@nestjs/common';
import { PublicPages } from './public-pages.js';

/** What every page for people has in common. */
@Module({ providers: [PublicPages], exports: [PublicPages] })
export class SiteModule {}
