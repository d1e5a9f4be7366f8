import { Delete, Get, Param, Patch, Post, Put, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { TakesMessage } from '../../../platform/http/json-body.js';
import { project, type Projection, readListRequest, readProjection } from '../domain/list-request.js';
import { changesOfPatch, changesOfResource } from '../domain/scim-operations.js';
import type { ScimUser } from '../domain/scim-resources.js';
import { listView, userView } from '../domain/scim-views.js';
import { changedUser, newUser, replacedUser } from '../domain/user-attributes.js';
import type { ScimCall } from '../tokens/scim-call.js';
import { ScimUsersService } from '../users/scim-users.service.js';
import { AdmittedCall, sendNothing, sendScim } from './scim-answers.js';
import { baseOf, ScimRoute } from './scim-route.js';

@ScimRoute('/Users')
export class ScimUsersController {
  constructor(
    private readonly users: ScimUsersService,
    private readonly config: Config,
  ) {}

  @Get()
  async list(@AdmittedCall() call: ScimCall, @Req() { query }: Request, @Res() response: Response): Promise<void> {
    const request = readListRequest(query);
    const { total, items } = await this.users.list(call, request);
    const shown = items.map((user) => this.viewOf(call, user, request));
    sendScim(response, 200, listView(shown, total, request.startIndex));
  }

  @Get(':id')
  async get(
    @AdmittedCall() call: ScimCall,
    @Param('id') id: string,
    @Req() { query }: Request,
    @Res() response: Response,
  ): Promise<void> {
    const projection = readProjection(query);
    sendScim(response, 200, this.viewOf(call, await this.users.get(call, id), projection));
  }

  @Post()
  @TakesMessage()
  async create(
    @AdmittedCall() call: ScimCall,
    @Req() { query, body }: Request,
    @Res() response: Response,
  ): Promise<void> {
    const projection = readProjection(query);
    const user = await this.users.create(call, newUser(changesOfResource(body)));
    response.setHeader('Location', `${baseOf(this.config.publicUrl, call.connection)}/Users/${user.id}`);
    sendScim(response, 201, this.viewOf(call, user, projection));
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
    const user = await this.users.change(call, id, (before) => replacedUser(before, changes));
    sendScim(response, 200, this.viewOf(call, user, projection));
  }

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
    const user = await this.users.change(call, id, (before) => changedUser(before, changes));
    sendScim(response, 200, this.viewOf(call, user, projection));
  }

  @Delete(':id')
  async delete(@AdmittedCall() call: ScimCall, @Param('id') id: string, @Res() response: Response): Promise<void> {
    await this.users.delete(call, id);
    sendNothing(response);
  }

  private viewOf({ connection }: ScimCall, user: ScimUser, projection: Projection): object {
    return project(userView(user, baseOf(this.config.publicUrl, connection)), projection);
  }
}
