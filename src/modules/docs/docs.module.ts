import { Module } from '@nestjs/common';
import { SiteModule } from '../site/site.module.js';
import { DocLayout } from './doc-layout.js';
import { DocListing } from './doc-listing.js';
import { DocPages } from './pages/doc-pages.js';
import { DocPictures } from './pages/doc-pictures.js';
import { DocSearch } from './pages/doc-search.js';

@Module({
  imports: [SiteModule],
  providers: [DocLayout, DocListing, DocPages, DocPictures, DocSearch],
  exports: [DocLayout, DocListing, DocPages, DocPictures, DocSearch],
})
export class DocsModule {}
