import { Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { ScimRefusal, shown } from '../domain/scim-refusal.js';
import { resourceTypeViews, schemaViews, serviceProviderConfigView } from '../domain/scim-schemas.js';
import { listView, type ScimView } from '../domain/scim-views.js';
import type { ScimCall } from '../tokens/scim-call.js';
import { AdmittedCall, sendScim } from './scim-answers.js';
import { baseOf, ScimRoute } from './scim-route.js';

/** What this service supports (RFC 7644 §4). */
@ScimRoute()
export class ScimDiscoveryController {
  constructor(private readonly config: Config) {}

  @Get('ServiceProviderConfig')
  serviceProviderConfig(@AdmittedCall() call: ScimCall, @Res() response: Response): void {
    sendScim(response, 200, serviceProviderConfigView(this.baseOf(call), this.config.docsUrl));
  }

  @Get('ResourceTypes')
  resourceTypes(@AdmittedCall() call: ScimCall, @Res() response: Response): void {
    sendAll(response, resourceTypeViews(this.baseOf(call)));
  }

  @Get('ResourceTypes/:name')
  resourceType(@AdmittedCall() call: ScimCall, @Param('name') name: string, @Res() response: Response): void {
    sendOne(response, resourceTypeViews(this.baseOf(call)), name);
  }

  @Get('Schemas')
  schemas(@AdmittedCall() call: ScimCall, @Res() response: Response): void {
    sendAll(response, schemaViews(this.baseOf(call)));
  }

  @Get('Schemas/:urn')
  schema(@AdmittedCall() call: ScimCall, @Param('urn') urn: string, @Res() response: Response): void {
    sendOne(response, schemaViews(this.baseOf(call)), urn);
  }

  private baseOf({ connection }: ScimCall): string {
    return baseOf(this.config.publicUrl, connection);
  }
}

function sendAll(response: Response, views: readonly ScimView[]): void {
  sendScim(response, 200, listView(views, views.length, 1));
}

/** @throws {ScimRefusal} 404 */
function sendOne(response: Response, views: readonly ScimView[], id: string): void {
  const view = views.find((each) => each['id'] === id);
  if (view === undefined) throw new ScimRefusal(404, `${shown(id)} not found.`);
  sendScim(response, 200, view);
}
