import { Module } from '@nestjs/common';
import { ApiDocument } from './api-document.js';
import { DocsController } from './docs.controller.js';
import { Pages } from './pages.js';

@Module({ controllers: [DocsController], providers: [ApiDocument, Pages], exports: [ApiDocument] })
export class DocsHttpModule {}
