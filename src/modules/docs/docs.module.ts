import { Module } from '@nestjs/common';
import { SiteModule } from '../site/site.module.js';
import { DocLayout } from './doc-layout.js';
import { DocPages } from './pages/doc-pages.js';
import { DocSearch } from './pages/doc-search.js';

@Module({
  imports: [SiteModule],
  providers: [DocLayout, DocPages, DocSearch],
  exports: [DocLayout, DocPages, DocSearch],
})
export class DocsModule {}
