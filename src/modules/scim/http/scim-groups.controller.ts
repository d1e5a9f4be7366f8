import { Delete, Get, Param, Patch, Post, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { TakesMessage } from '../../../platform/http/json-body.js';
import { changedGroup, replacedGroup } from '../domain/group-attributes.js';
import { project, type Projection, readListRequest, readProjection } from '../domain/list-request.js';
import { changesOfPatch, changesOfResource } from '../domain/scim-operations.js';
import { groupView, listView } from '../domain/scim-views.js';
import { ScimGroupsService, type ShownGroup } from '../groups/scim-groups.service.js';
import type { ScimCall } from '../tokens/scim-call.js';
import { AdmittedCall, sendNothing, sendScim } from './scim-answers.js';
import { baseOf, ScimRoute } from './scim-route.js';

@ScimRoute('/Groups')
export class ScimGroupsController {
  constructor(
    private readonly groups: ScimGroupsService,
    private readonly config: Config,
  ) {}

  @Get()
  async list(@AdmittedCall() call: ScimCall, @Req() { query }: Request, @Res() response: Response): Promise<void> {
    const request = readListRequest(query);
    const { total, items } = await this.groups.list(call, request);
    const shown = items.map((group) => this.viewOf(call, group, request));
    sendScim(response, 200, listView(shown, total, request.startIndex));
  }

  @Get(':id')
  async get(
    @AdmittedCall() call: ScimCall,
    @Param('id') id: string,
    @Req() { query }: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.sendGroup(call, { id, status: 200, projection: readProjection(query) }, response);
  }

  @Post()
  @TakesMessage()
  async create(
    @AdmittedCall() call: ScimCall,
    @Req() { query, body }: Request,
    @Res() response: Response,
  ): Promise<void> {
    const projection = readProjection(query);
    const { id } = await this.groups.create(call, replacedGroup(changesOfResource(body)));
    response.setHeader('Location', `${baseOf(this.config.publicUrl, call.connection)}/Groups/${id}`);
    await this.sendGroup(call, { id, status: 201, projection }, response);
  }

  @Put(':id')
  @TakesMessage()
  async replace(
    @AdmittedCall() call: ScimCall,
    @Param('id') id: string,
    @Req() { query, body }: Request,
    @Res() response: Response,
  ): Promise<void> {
    const projection = readProjection(query);
    const changes = changesOfResource(body);
    await this.groups.change(call, id, () => replacedGroup(changes));
    await this.sendGroup(call, { id, status: 200, projection }, response);
  }

  /** Groups may be large, so that a group is returned only to a caller who says what of it (RFC 7644 §3.5.2). */
  @Patch(':id')
  @TakesMessage()
  async change(
    @AdmittedCall() call: ScimCall,
    @Param('id') id: string,
    @Req() { query, body }: Request,
    @Res() response: Response,
  ): Promise<void> {
    const projection = readProjection(query);
    const changes = changesOfPatch(body);
    await this.groups.change(call, id, (before) => changedGroup(before, changes));
    if (projection.only === undefined) sendNothing(response);
    else await this.sendGroup(call, { id, status: 200, projection }, response);
  }

  @Delete(':id')
  async delete(@AdmittedCall() call: ScimCall, @Param('id') id: string, @Res() response: Response): Promise<void> {
    await this.groups.delete(call, id);
    sendNothing(response);
  }

  private async sendGroup(
    call: ScimCall,
    { id, status, projection }: { readonly id: string; readonly status: number; readonly projection: Projection },
    response: Response,
  ): Promise<void> {
    sendScim(response, status, this.viewOf(call, await this.groups.get(call, id, projection), projection));
  }

  private viewOf({ connection }: ScimCall, { members, ...group }: ShownGroup, projection: Projection): object {
    return project(groupView(group, members, baseOf(this.config.publicUrl, connection)), projection);
  }
}
