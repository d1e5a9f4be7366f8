import { Module } from '@nestjs/common';
import { SiteController } from './site.controller.js';
import { SiteFiles } from './site-files.js';

@Module({ controllers: [SiteController], providers: [SiteFiles] })
export class SiteHttpModule {}
